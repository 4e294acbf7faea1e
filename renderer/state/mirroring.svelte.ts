/** Mirrors of all stored data for notebooks, and the code that reads them. */

import type { MirrorJob } from '../../electron/shared/mirror-model.ts';
import { notebookCode } from '../lib/notebook-code.ts';
import { app } from './app.svelte.ts';
import { exporting } from './exporting.svelte.ts';
import { jobs } from './jobs.svelte.ts';
import { toast } from './toast.ts';

class Mirroring {
  /** The folder of the newest complete mirror; null if there is none. */
  get folder(): string | null {
    return jobs.of('mirror').find(({ state }) => state === 'done')?.folder ?? null;
  }

  /** Asks for a folder and starts to write a mirror. Throws AppError. */
  async write(): Promise<void> {
    const { mirrorId: id, connectionId } = await jobs.create('mirror', { tables: null });
    const saved = await jobs.saveDraft({ kind: 'mirror', id }, 'folder', connectionId);
    if (saved === null) return;
    const action = { label: 'Show', onClick: () => app.tabs.openTop('jobs', 'Jobs') };
    toast(`Writing the mirror to ${saved.fileName}`, { action });
  }

  /** Writes an existing mirror again. Throws AppError. */
  async refresh({ mirrorId, plan }: MirrorJob): Promise<void> {
    await jobs.create('mirror', { ...plan, again: mirrorId });
  }

  /** Copies Python code that reads the rows of the active tab from a mirror. */
  async copyCode(): Promise<void> {
    const subject = exporting.active();
    const code = subject === null ? null : notebookCode(subject, this.folder);
    if (code !== null)
      return app.copy(
        code,
        this.folder === null ? 'Notebook code copied: write a mirror first' : 'Notebook code copied',
      );
    toast(
      subject === null
        ? 'Open a list with rows, a comparison or an SQL result first.'
        : `A mirror does not have the rows of ${subject.name}. Export them instead.`,
    );
  }
}

export const mirroring = new Mirroring();
