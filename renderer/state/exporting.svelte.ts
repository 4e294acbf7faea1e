/** The data that the active tab can export, and the export dialog. */
import type { ExportPlan } from '../../electron/shared/export-model.ts';
import type { ExportSubject } from '../lib/export-words.ts';
import { app } from './app.svelte.ts';
import { jobs } from './jobs.svelte.ts';

class Exporting {
  /** The data that the open dialog exports; null if it is closed. */
  asked = $state.raw<ExportSubject | null>(null);
  readonly #byTab = new Map<string, () => ExportSubject | null>();

  constructor() {
    app.whenLeft(() => {
      this.asked = null;
    });
  }

  /** Sets what a tab can export. Returns a function that removes it. */
  set(tabId: string, subject: () => ExportSubject | null): () => void {
    this.#byTab.set(tabId, subject);
    return () => {
      if (this.#byTab.get(tabId) === subject) this.#byTab.delete(tabId);
    };
  }

  /** The data that the active tab can export; null if it has no rows. */
  active(): ExportSubject | null {
    const { activeId } = app.tabs;
    return activeId === null ? null : (this.#byTab.get(activeId)?.() ?? null);
  }

  /** Opens the dialog for the active tab. Returns false if the tab has no list with rows. */
  ask(): boolean {
    this.asked = this.active();
    return this.asked !== null;
  }

  /** Opens the dialog for a part of a view instead of the default of its tab. */
  askAbout(subject: ExportSubject): void {
    this.asked = subject;
  }

  /** Asks for the target file and starts. Returns the id of the export; null if the user cancelled. Throws AppError. */
  async start(plan: ExportPlan): Promise<string | null> {
    const { exportId: id, connectionId } = await jobs.create('export', plan);
    return (await jobs.saveDraft({ kind: 'export', id }, 'file', connectionId)) === null ? null : id;
  }
}

export const exporting = new Exporting();
