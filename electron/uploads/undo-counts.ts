/**
 * Row counts of the environment before and after an undo, as the service reports them. A row count that fell by the
 * number of deleted rows supports the service's report that a deletion has finished. It is the only evidence if the
 * service does not report on its deletion jobs.
 */

import { AppError, toAppError } from '../shared/errors.ts';
import type { RowCount, UploadDeletion } from '../shared/upload-model.ts';
import type { Deletions } from './deletions.ts';
import type { JobControl } from './job-control.ts';
import { readSteadyRowCount } from './row-counts.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';

type CountDeps = Pick<UploadsDeps, 'store' | 'client' | 'clock' | 'logger'> & {
  options: Pick<UploadOptions, 'countPauseMs'>;
};

const MOVED =
  'the number changed while it was counted: the deletion may still be at work, or others write to the environment';

/** States of a deletion that may still delete something. */
const NOT_OVER = new Set(['scheduled', 'sending', 'paused']);

/**
 * The first and the longest pause before the rows of accepted deletions are counted again, and the time after which
 * counting ends.
 */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
const LOOKS_FOR_MS = 3_600_000;

export class UndoCounts {
  readonly #deps: CountDeps;
  readonly #control: Pick<JobControl, 'jobs' | 'view'>;
  readonly #deletions: Pick<Deletions, 'confirm'>;
  /** Uploads whose rows are being counted. */
  readonly #counting = new Set<string>();
  /** Uploads whose rows will be counted again after a delay, with the functions that cancel the timers. */
  readonly #pauses = new Map<string, () => void>();
  readonly #closing = new AbortController();

  constructor(
    deps: CountDeps,
    control: Pick<JobControl, 'jobs' | 'view'>,
    deletions: Pick<Deletions, 'confirm'>,
  ) {
    this.#deps = deps;
    this.#control = control;
    this.#deletions = deletions;
  }

  /** Cancels counts in progress and planned ones; their results are not stored. */
  stop(): void {
    this.#closing.abort();
    for (const cancel of this.#pauses.values()) cancel();
    this.#pauses.clear();
  }

  /**
   * Must be called before the deletions are stored. If the count fails, the undo continues. Throws CANCELLED if it was
   * stopped meanwhile.
   */
  async before(jobId: string): Promise<void> {
    const before = await this.#count(jobId);
    if (this.#isStopped)
      throw new AppError('CANCELLED', 'Nothing was deleted: the connection was closed.', {
        outcome: 'unsent',
      });
    this.#keep(jobId, { before, after: null });
  }

  /** Counts now, whether or not the service has reported the end of the deletions: it may never do so. */
  async now(jobId: string): Promise<void> {
    const before = this.#control.jobs.ledger(jobId).job.undoCounts?.before;
    if (before !== undefined) await this.#countAfter(jobId, before);
  }

  /** Checks every undo whose rows are not counted yet. */
  recheck(): void {
    for (const id of this.#deps.store.jobs.withFact('undoCounts')) this.look(id);
  }

  /**
   * Called when a deletion that named events of this upload has changed. If all its deletions have ended, counts the
   * rows again in the background. A failure is logged, also if the job was removed meanwhile.
   */
  look(jobId: string): void {
    this.#guarded(jobId, async () => {
      const before = this.#control.jobs.ledger(jobId).job.undoCounts?.before;
      if (before === undefined || this.#counting.has(jobId) || !this.#isDue(jobId, before.atMs)) return;
      this.#counting.add(jobId);
      try {
        await this.#countAfter(jobId, before);
      } finally {
        this.#counting.delete(jobId);
      }
      this.#lookLater(jobId, before, FIRST_PAUSE_MS, LOOKS_FOR_MS);
    });
  }

  /** Counts again later, because an accepted deletion may take a while. */
  #lookLater(jobId: string, before: RowCount, pauseMs: number, leftMs: number): void {
    if (this.#isStopped || leftMs <= 0 || this.#pauses.has(jobId)) return;
    const after = this.#control.view(jobId).rowCounts.afterUndo;
    // The count may have changed because the deletion, which the service has only accepted, is still running.
    const isTold =
      before.rowCount !== null && after !== null && (after.rowCount !== null || after.hasMoved === true);
    if (!isTold || this.#accepted(jobId, before).length === 0) return;
    const countAgain = () =>
      this.#guarded(jobId, async () => {
        try {
          await this.#countAfter(jobId, before);
        } finally {
          if (this.#pauses.delete(jobId) && !this.#isStopped && this.#isThere(jobId))
            this.#lookLater(jobId, before, Math.min(pauseMs * 2, LONGEST_PAUSE_MS), leftMs - pauseMs);
        }
      });
    this.#pauses.set(jobId, this.#deps.clock.setTimer(countAgain, pauseMs, 'counting rows after an undo'));
  }

  get #isStopped(): boolean {
    return this.#closing.signal.aborted;
  }

  #guarded(jobId: string, work: () => Promise<void>): void {
    work().catch((thrown: unknown) => {
      const { code, message } = toAppError(thrown);
      this.#deps.logger.warn('rows of an undo not counted', { job: jobId, code, reason: message });
    });
  }

  #isThere(jobId: string): boolean {
    return this.#deps.store.jobs.revision(jobId) !== null;
  }

  #since(jobId: string, { atMs }: RowCount): UploadDeletion[] {
    return this.#control.view(jobId).deletions.filter((deletion) => deletion.atMs >= atMs);
  }

  /** Deletions that the service accepted without reporting their end. */
  #accepted(jobId: string, before: RowCount): UploadDeletion[] {
    return this.#since(jobId, before).filter(({ outcome }) => outcome === 'accepted');
  }

  /**
   * If exactly the expected number of rows is gone and the count was otherwise steady, the accepted deletions have
   * finished.
   */
  async #countAfter(jobId: string, before: RowCount): Promise<void> {
    const counted = await this.#count(jobId);
    if (this.#isStopped) return;
    const accepted = this.#accepted(jobId, before);
    const after = counted.hasMoved === true && accepted.length > 0 ? { ...counted, reason: MOVED } : counted;
    this.#keep(jobId, { before, after });
    if (accepted.length === 0 || before.rowCount === null || after.rowCount === null) return;
    const gone = this.#since(jobId, before)
      .filter(({ outcome }) => outcome === 'accepted' || outcome === 'deleted')
      .reduce((sum, { rows }) => sum + rows, 0);
    if (before.rowCount - after.rowCount !== gone) return;
    for (const { deletionId } of accepted) this.#confirm(deletionId);
  }

  #confirm(deletionId: string): void {
    try {
      this.#deletions.confirm(deletionId);
    } catch (problem) {
      this.#deps.logger.warn('counted deletion not written', {
        deletion: deletionId,
        code: toAppError(problem).code,
      });
    }
  }

  #isDue(jobId: string, sinceMs: number): boolean {
    const isOver = this.#deps.store.deletions.ofUpload(jobId).every(({ status }) => !NOT_OVER.has(status));
    const { deletions, rowCounts } = this.#control.view(jobId);
    if (!isOver || deletions.some(({ outcome }) => outcome === 'going-on')) return false;
    const since = deletions.filter(({ atMs }) => atMs >= sinceMs);
    if (since.some(({ outcome }) => outcome === 'accepted')) return !this.#pauses.has(jobId);
    // If a deletion has no answer, a person needs the count as evidence.
    const hasEnded = since.some(({ outcome }) => outcome === 'deleted' || outcome === 'unknown');
    return hasEnded && (rowCounts.afterUndo?.rowCount ?? null) === null;
  }

  async #count(jobId: string): Promise<RowCount> {
    const { client, clock, options } = this.#deps;
    const { signal } = this.#closing;
    const reading = { client, clock, pauseMs: options.countPauseMs, signal };
    const { plan } = this.#control.view(jobId);
    try {
      return { ...(await readSteadyRowCount(reading, plan, `undo ${jobId}`)), atMs: clock.nowMs() };
    } catch (problem) {
      return { rowCount: null, reason: toAppError(problem).message, atMs: clock.nowMs() };
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
