/** What can be exported from the tab in front, and the dialog that asks how. */
import type { ExportPlan } from '../../electron/shared/export-model.ts';
import type { ExportSubject } from '../lib/export-words.ts';
import { app } from './app.svelte.ts';
import { jobs } from './jobs.svelte.ts';

class Exporting {
  /** The dialog is open, about this. */
  asked = $state.raw<ExportSubject | null>(null);
  readonly #byTab = new Map<string, () => ExportSubject | null>();

  /** Returns what takes it away again. */
  set(tabId: string, subject: () => ExportSubject | null): () => void {
    this.#byTab.set(tabId, subject);
    return () => {
      if (this.#byTab.get(tabId) === subject) this.#byTab.delete(tabId);
    };
  }

  /** Of the tab in front. False where it has no list with rows. */
  ask(): boolean {
    const { activeId } = app.tabs;
    this.asked = activeId === null ? null : (this.#byTab.get(activeId)?.() ?? null);
    return this.asked !== null;
  }

  /** Of a part of a view, beside what the tab itself would export. */
  askAbout(subject: ExportSubject): void {
    this.asked = subject;
  }

  /** Asks where to, then begins. False where the person cancelled. Throws AppError. */
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
