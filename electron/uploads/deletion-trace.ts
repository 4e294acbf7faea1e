/** Finds the uploads that sent the events of a deletion, using the receipts of these uploads. */

import type { Clock, Logger } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredDeletion, UploadStore } from '../db/upload-store.ts';
import { toAppError } from '../shared/errors.ts';
import { namedIds } from './deletion-request.ts';

interface TraceDeps {
  store: UploadStore;
  clock: Clock;
  logger: Logger;
  /** Called when the uploads of this deletion are known. */
  onTraced: (deletionId: string) => void;
}

/** Traces one deletion after the other, in short steps that do not block the event loop. */
export class DeletionTrace {
  readonly #deps: TraceDeps;
  #last: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(deps: TraceDeps) {
    this.#deps = deps;
  }

  /** Does nothing for a deletion by time, because receipts hold no times of events. */
  trace(deletion: StoredDeletion): void {
    this.#last = this.#last.then(() => this.#trace(deletion));
  }

  /** Resolves when the trace in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#last;
  }

  async #trace(deletion: StoredDeletion): Promise<void> {
    const ids = namedIds(deletion.body);
    if (ids === null || this.#isStopped) return;
    const { store, logger, onTraced } = this.#deps;
    try {
      const found = await this.#count(deletion, ids);
      if (found === null) return;
      store.commit(() => store.deletions.saveTrace(deletion.id, found));
      if (found.length > 0) onTraced(deletion.id);
    } catch (problem) {
      logger.warn('deletion not traced', {
        deletion: deletion.id,
        reason: toAppError(problem).message,
      });
    }
  }

  /** Null if the trace was stopped before the end. */
  async #count(
    { modelId, createdAtMs: atMs }: StoredDeletion,
    ids: ReadonlySet<string>,
  ): Promise<{ jobId: string; rows: number }[] | null> {
    const { store, clock } = this.#deps;
    const slicer = new TimeSlicer(clock);
    const found: { jobId: string; rows: number }[] = [];
    for (const { id: jobId, plan, createdAtMs } of store.jobs.list()) {
      // The deletion cannot include rows that were sent after it.
      if (plan.modelId !== modelId || createdAtMs > atMs) continue;
      let rows = 0;
      for (const { receipt } of store.batches.acknowledged(jobId)) {
        for (const id of receipt?.eventIds ?? receipt?.looseIds ?? []) if (ids.has(id)) rows += 1;
        await slicer.pause();
        if (this.#isStopped) return null;
      }
      if (rows > 0) found.push({ jobId, rows });
    }
    return found;
  }
}
