/** Subjects that the active tab can export, and the export dialog. */
import type { ExportPlan } from '../../electron/shared/export-model.ts';
import type { ExportSubject } from '../lib/export-words.ts';
import { app } from './app.svelte.ts';
import { jobs } from './jobs.svelte.ts';

class Exporting {
  /** Subject of the open dialog. */
  asked = $state.raw<ExportSubject | null>(null);
  readonly #byTab = new Map<string, () => ExportSubject | null>();

  /** Returns a function that removes it. */
  set(tabId: string, subject: () => ExportSubject | null): () => void {
    this.#byTab.set(tabId, subject);
    return () => {
      if (this.#byTab.get(tabId) === subject) this.#byTab.delete(tabId);
    };
  }

  /** Opens the dialog for the active tab. Returns false if it has no list with rows. */
  ask(): boolean {
    const { activeId } = app.tabs;
    this.asked = activeId === null ? null : (this.#byTab.get(activeId)?.() ?? null);
    return this.asked !== null;
  }

  /** Opens the dialog for a part of a view, other than the default subject of the tab. */
  askAbout(subject: ExportSubject): void {
    this.asked = subject;
  }

  /** Asks for the target and starts. Returns false if the user cancelled. Throws AppError. */
  async start(plan: ExportPlan): Promise<boolean> {
    const name = { kind: 'export', id: (await jobs.create('export', plan)).exportId } as const;
    try {
      if ((await jobs.save(name, 'file')) !== null) return true;
    } catch (thrown) {
      await jobs.forget(name);
      throw thrown;
    }
    await jobs.forget(name);
    return false;
  }
}

export const exporting = new Exporting();
