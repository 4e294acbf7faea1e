/** An asynchronous task of the service that a tab follows. The main process polls it as long as the tab exists. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { JobState } from '../../electron/shared/resource-contract.ts';
import { client } from '../lib/client.ts';

export class JobWatchState {
  job = $state.raw<JobState | null>(null);
  error = $state.raw<AppError | null>(null);
  readonly jobId: string;
  readonly #connectionId: string;
  readonly #viewId: string;
  #stopListening: (() => void) | null = null;
  #isGone = false;

  constructor(connectionId: string, viewId: string, jobId: string) {
    this.#connectionId = connectionId;
    this.#viewId = viewId;
    this.jobId = jobId;
  }

  /** Starts following the task. If it is followed already, polls it immediately. */
  async watch(): Promise<void> {
    this.#stopListening ??= client.on('resources:job-changed', ({ connectionId, job }) => {
      if (connectionId === this.#connectionId && job.jobId === this.jobId) this.job = job;
    });
    try {
      const { jobId } = this;
      const job = await client.invoke('resources:watch-job', {
        connectionId: this.#connectionId,
        viewId: this.#viewId,
        jobId,
      });
      if (this.#isGone) return;
      this.error = null;
      // If an event arrived before this answer, the event is newer.
      if (this.job === null || (job.checkedAtMs ?? 0) >= (this.job.checkedAtMs ?? 0)) this.job = job;
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  dispose(): void {
    this.#isGone = true;
    this.#stopListening?.();
    this.#stopListening = null;
    void client.invoke('library:release', { connectionId: this.#connectionId, viewId: this.#viewId });
  }
}
