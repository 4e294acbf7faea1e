/** Files that were offered, uploads being prepared, and the jobs of the connection at hand. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { OfferedFile, UploadJob } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { type DraftStart, UploadDraft } from './uploads-draft.svelte.ts';
import { WatchedList } from './watched-list.svelte.ts';

export type JobAction = 'start' | 'pause' | 'resume' | 'cancel' | 'gather-evidence' | 'schedule';

class UploadsState extends WatchedList<UploadJob> {
  /** Of every connection; views show those of the one at hand. */
  drafts = $state.raw<UploadDraft[]>([]);
  /** Files that cannot be used, with the reason; until dismissed. */
  rejected = $state.raw<OfferedFile[]>([]);
  isOffering = $state(false);
  offerError = $state.raw<AppError | null>(null);

  readonly waiting = $derived(this.drafts.filter((draft) => draft.connectionId === this.connectionId));
  readonly active = $derived(
    this.jobs.filter(({ state }) => state === 'running' || state === 'waiting').length,
  );

  get jobs(): readonly UploadJob[] {
    return this.list;
  }

  protected idOf({ jobId }: UploadJob): string {
    return jobId;
  }

  /** Newest first. */
  protected async read(connectionId: string): Promise<readonly UploadJob[]> {
    const jobs = await client.invoke('uploads:list-jobs', { connectionId });
    return jobs.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
  }

  /** Returns what ends it. */
  listen(): () => void {
    return client.on('uploads:job-changed', ({ connectionId, job }) => this.told(connectionId, job));
  }

  /** Sends what was prepared. Null where it failed: the draft says why. */
  send(draft: UploadDraft): Promise<UploadJob | null> {
    return this.ask(draft.connectionId, () => draft.send());
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
    const argument = { connectionId, jobId, action, startAtMs };
    await this.ask(connectionId, () => client.invoke('uploads:control-job', argument));
  }

  /** Throws AppError. */
  async decide(jobId: string, batch: number, decision: 'stored' | 'resend' | 'give-up'): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    const argument = { connectionId, jobId, batch, decision };
    await this.ask(connectionId, () => client.invoke('uploads:decide-batch', argument));
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
    this.drop(jobId);
  }
}

export const uploads = new UploadsState();
