/**
 * The rows of the environment before and after an undo, as the service counts them. That a deletion is through is what
 * the service says of its own work; that it has so many rows fewer is a second witness.
 */

import { toAppError } from '../shared/errors.ts';
import type { RowCount } from '../shared/upload-model.ts';
import type { JobControl } from './job-control.ts';
import { readRowCount } from './row-counts.ts';
import type { UploadsDeps } from './types.ts';

type CountDeps = Pick<UploadsDeps, 'store' | 'client' | 'clock' | 'logger'>;

/** A deletion that may still take something. */
const NOT_OVER = new Set(['scheduled', 'sending']);

export class UndoCounts {
  readonly #deps: CountDeps;
  readonly #control: Pick<JobControl, 'jobs' | 'view'>;
  /** Uploads whose rows are being counted. */
  readonly #counting = new Set<string>();

  constructor(deps: CountDeps, control: Pick<JobControl, 'jobs' | 'view'>) {
    this.#deps = deps;
    this.#control = control;
  }

  /** Before the deletions are stored. What the service does not say stops no undo. */
  async before(jobId: string): Promise<void> {
    this.#keep(jobId, { before: await this.#count(jobId), after: null });
  }

  /** Counts now, whatever is known of the deletions: a service need not report on what it does later. */
  async now(jobId: string): Promise<void> {
    const before = this.#control.jobs.ledger(jobId).job.undoCounts?.before;
    if (before !== undefined) this.#keep(jobId, { before, after: await this.#count(jobId) });
  }

  /** Looks at every undo whose rows were not counted since. */
  lookAgain(): void {
    for (const { id, undoCounts } of this.#deps.store.jobs.list())
      if (undoCounts !== undefined && (undoCounts.after?.rowCount ?? null) === null) void this.look(id);
  }

  /** A deletion that named events of this upload has changed: once all are over, the rows are counted again. */
  async look(jobId: string): Promise<void> {
    const before = this.#control.jobs.ledger(jobId).job.undoCounts?.before;
    if (before === undefined || this.#counting.has(jobId) || !this.#isDue(jobId, before.atMs)) return;
    this.#counting.add(jobId);
    try {
      this.#keep(jobId, { before, after: await this.#count(jobId) });
    } finally {
      this.#counting.delete(jobId);
    }
  }

  #isDue(jobId: string, sinceMs: number): boolean {
    const isOver = this.#deps.store.deletions.ofUpload(jobId).every(({ status }) => !NOT_OVER.has(status));
    const { deletions, rowCounts } = this.#control.view(jobId);
    if (!isOver || deletions.some(({ outcome }) => outcome === 'going-on')) return false;
    const isUndone = deletions.some(({ outcome, atMs }) => outcome === 'deleted' && atMs >= sinceMs);
    return isUndone && (rowCounts.afterUndo?.rowCount ?? null) === null;
  }

  async #count(jobId: string): Promise<RowCount> {
    const { client, clock } = this.#deps;
    const { plan } = this.#control.view(jobId);
    try {
      return { ...(await readRowCount(client, plan, `undo ${jobId}`)), atMs: clock.nowMs() };
    } catch (problem) {
      return { rowCount: null, why: toAppError(problem).message, atMs: clock.nowMs() };
    }
  }

  #keep(jobId: string, undoCounts: { before: RowCount; after: RowCount | null }): void {
    try {
      this.#control.jobs.change(jobId, (ledger) => ledger.apply([], { undoCounts }));
    } catch (problem) {
      this.#deps.logger.warn('row count of an undo not written', {
        job: jobId,
        code: toAppError(problem).code,
      });
    }
  }
}
