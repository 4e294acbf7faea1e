/** Reports: the open dialog, and the requests of the main process behind it. */
import type {
  ReportAnswers,
  ReportForm,
  ReportOptions,
  ReportSubject,
} from '../../electron/shared/report-model.ts';
import { client } from '../lib/client.ts';
import { app } from './app.svelte.ts';

class Reporting {
  /** Subject of the open dialog. */
  asked = $state.raw<ReportSubject | null>(null);

  ask(subject: ReportSubject): void {
    this.asked = subject;
  }

  /** Throws AppError. */
  fields(subject: ReportSubject): Promise<ReportAnswers['fields']> {
    return client.act('reports:act', 'fields', { connectionId: app.connections.activeId ?? '', subject });
  }

  /** Asks for the target and writes; null if the user cancelled. Throws AppError. */
  write(
    subject: ReportSubject,
    options: ReportOptions,
    { fileName, form }: { fileName: string; form: ReportForm },
  ): Promise<ReportAnswers['write']> {
    const connectionId = app.connections.activeId ?? '';
    return client.act('reports:act', 'write', { connectionId, subject, options, fileName, form });
  }
}

export const reporting = new Reporting();
