/** The user's choices for undoing an upload: the plan, the start, and the typed name. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { UndoPlan, UploadJob } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';
import { LatestRequest } from './newest.ts';
import { StartChoice } from './start-choice.svelte.ts';

export class UndoDraft {
  isOpen = $state(false);
  /** Null until it is read. */
  plan = $state.raw<UndoPlan | null>(null);
  /** Error of reading the plan, or the reason why nothing can be deleted. */
  error = $state.raw<AppError | null>(null);
  isReading = $state(false);
  isSending = $state(false);
  typed = $state('');
  readonly start = new StartChoice();
  readonly #job: Pick<UploadJob, 'connectionId' | 'jobId'>;
  readonly #latest = new LatestRequest();

  constructor(job: Pick<UploadJob, 'connectionId' | 'jobId'>) {
    this.#job = job;
  }

  /** Reads the plan for the chosen start. */
  async ask(): Promise<void> {
    const { connectionId, jobId } = this.#job;
    const { atMs: startAtMs } = this.start;
    const isLast = this.#latest.ask();
    this.isReading = true;
    this.error = null;
    try {
      const plan = await jobs.plan('deletion', { uploadId: jobId, startAtMs }, connectionId);
      if (isLast()) this.plan = plan;
    } catch (thrown) {
      if (isLast()) this.error = toAppError(thrown);
    } finally {
      if (isLast()) this.isReading = false;
    }
  }

  /** Deletes events according to the plan, and reads the plan again. */
  async undo(): Promise<void> {
    const { plan } = this;
    if (plan === null || plan.problem !== '' || this.isSending) return;
    const { connectionId, jobId } = this.#job;
    const agreed = { events: plan.events, deletions: plan.deletions.length };
    this.isSending = true;
    this.error = null;
    try {
      await client.invoke('uploads:undo', { connectionId, jobId, agreed, startAtMs: this.start.atMs });
      this.plan = null;
      this.typed = '';
      this.start.clear();
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'CONFLICT') await this.ask();
      this.error = error;
    } finally {
      this.isSending = false;
    }
  }

  close(): void {
    this.isOpen = false;
    this.plan = null;
    this.error = null;
    this.typed = '';
    this.start.clear();
  }
}
