/** Files that were offered, uploads being prepared, and the jobs of the connection at hand. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { OfferedFile, UploadJob } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { type DraftStart, UploadDraft } from './uploads-draft.svelte.ts';

export type JobAction = 'start' | 'pause' | 'resume' | 'cancel' | 'gather-evidence' | 'schedule';

class UploadsState {
  jobs = $state.raw<UploadJob[]>([]);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);

  /** Of every connection; views show those of the one at hand. */
  drafts = $state.raw<UploadDraft[]>([]);
  /** Files that cannot be used, with the reason; until dismissed. */
  rejected = $state.raw<OfferedFile[]>([]);
  isOffering = $state(false);
  offerError = $state.raw<AppError | null>(null);

  connectionId = $state<string | null>(null);
  readonly waiting = $derived(this.drafts.filter((draft) => draft.connectionId === this.connectionId));
  readonly active = $derived(
    this.jobs.filter(({ state }) => state === 'running' || state === 'waiting').length,
  );

  /** Returns what ends it. */
  listen(): () => void {
    return client.on('uploads:job-changed', ({ connectionId, job }) => {
      if (connectionId === this.connectionId) this.put(job);
    });
  }

  /** Shows the jobs of a connection. */
  async watch(connectionId: string): Promise<void> {
    if (this.connectionId !== connectionId) {
      this.connectionId = connectionId;
      this.jobs = [];
      this.isLoaded = false;
    }
    await this.load();
  }

  async load(): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    this.error = null;
    try {
      const jobs = await client.invoke('uploads:list-jobs', { connectionId });
      if (connectionId !== this.connectionId) return;
      this.jobs = jobs.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
      this.isLoaded = true;
    } catch (thrown) {
      if (connectionId === this.connectionId) this.error = toAppError(thrown);
    }
  }

  put(job: UploadJob): void {
    if (job.connectionId !== this.connectionId) return;
    const at = this.jobs.findIndex(({ jobId }) => jobId === job.jobId);
    this.jobs = at === -1 ? [job, ...this.jobs] : this.jobs.with(at, job);
  }

  jobOf(jobId: string): UploadJob | null {
    return this.jobs.find((job) => job.jobId === jobId) ?? null;
  }

  draftOf(draftId: string): UploadDraft | null {
    return this.drafts.find((draft) => draft.draftId === draftId) ?? null;
  }

  /** Hands dropped files to main; answers the drafts made of those that can be used. */
  offer(files: File[], start: DraftStart): Promise<UploadDraft[]> {
    return this.#take(() => client.offerFiles(files), start);
  }

  /** Asks which files, then the same. */
  choose(start: DraftStart): Promise<UploadDraft[]> {
    return this.#take(() => client.invoke('uploads:choose-files'), start);
  }

  async #take(ask: () => Promise<OfferedFile[]>, start: DraftStart): Promise<UploadDraft[]> {
    this.isOffering = true;
    this.offerError = null;
    try {
      const offered = await ask();
      const usable = offered.filter(({ error }) => error === null);
      this.rejected = [...offered.filter(({ error }) => error !== null), ...this.rejected];
      const drafts = usable.map((file) => new UploadDraft(file, start));
      this.drafts = [...this.drafts, ...drafts];
      return drafts;
    } catch (thrown) {
      this.offerError = toAppError(thrown);
      return [];
    } finally {
      this.isOffering = false;
    }
  }

  dismiss(fileId: string): void {
    this.rejected = this.rejected.filter((file) => file.fileId !== fileId);
  }

  discard(draftId: string): void {
    this.draftOf(draftId)?.dispose();
    this.drafts = this.drafts.filter((draft) => draft.draftId !== draftId);
  }

  /** `startAtMs`, a wall time, belongs to `schedule`. Throws AppError. */
  async control(jobId: string, action: JobAction, startAtMs: number | null = null): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    this.put(await client.invoke('uploads:control-job', { connectionId, jobId, action, startAtMs }));
  }

  /** Throws AppError. */
  async decide(jobId: string, batch: number, decision: 'stored' | 'resend' | 'give-up'): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    this.put(await client.invoke('uploads:decide-batch', { connectionId, jobId, batch, decision }));
  }

  /** Asks where to save; the name of the file written, or null where the person cancelled. Throws AppError. */
  async save(
    ownerId: string,
    what: 'receipts' | 'refused-rows' | 'bad-rows',
    connectionId = this.connectionId,
  ): Promise<string | null> {
    if (connectionId === null) return null;
    const answer = await client.invoke('uploads:save-file', { connectionId, ownerId, what });
    return answer?.fileName ?? null;
  }

  /** Removes an ended job with its receipts. Throws AppError. */
  async forget(jobId: string): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    await client.invoke('uploads:forget-job', { connectionId, jobId });
    this.jobs = this.jobs.filter((job) => job.jobId !== jobId);
  }
}

export const uploads = new UploadsState();
