/** Reports: the open dialog, and the calls to the main process that it makes. */
import type {
  ReportAnswers,
  ReportForm,
  ReportOptions,
  ReportSubject,
} from '../../electron/shared/report-model.ts';
import { client } from '../lib/client.ts';
import { app } from './app.svelte.ts';

class Reporting {
  /** Subject of the open dialog; null if it is closed. */
  asked = $state.raw<ReportSubject | null>(null);

  constructor() {
    app.whenLeft(() => {
      this.asked = null;
    });
  }

  ask(subject: ReportSubject): void {
    this.asked = subject;
  }

  /** The fields that a report about this subject can have. Throws AppError. */
  fields(subject: ReportSubject): Promise<ReportAnswers['fields']> {
    return client.act('reports:act', 'fields', { connectionId: app.connections.activeId ?? '', subject });
  }

  /** Asks for the target file and writes the report; null if the user cancelled. Throws AppError. */
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
