/** Files that were offered, uploads being prepared, and the jobs of the connection at hand. */
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import type { OfferedFile, UploadJob } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { UploadKeeper } from './upload-keeper.svelte.ts';
import { type DraftStart, FIRST_BATCH_ROWS, UploadDraft } from './uploads-draft.svelte.ts';
import { WatchedList } from './watched-list.svelte.ts';

export type JobAction = 'start' | 'pause' | 'resume' | 'cancel' | 'gather-evidence' | 'schedule';

class UploadsState extends WatchedList<UploadJob> {
  /** Of every connection; views show those of the one at hand. */
  drafts = $state.raw<UploadDraft[]>([]);
  /** Files that cannot be used, with the reason; until dismissed. */
  rejected = $state.raw<OfferedFile[]>([]);
  /** Connections whose files that were being prepared before are back. */
  #broughtBack = $state.raw<ReadonlySet<string>>(new Set());
  bringBackError = $state.raw<AppError | null>(null);
  isOffering = $state(false);
  offerError = $state.raw<AppError | null>(null);

  readonly waiting = $derived(this.drafts.filter((draft) => draft.connectionId === this.connectionId));
  readonly active = $derived(
    this.jobs.filter(({ state }) => state === 'running' || state === 'waiting').length,
  );

  readonly areDraftsBack = $derived(this.connectionId !== null && this.#broughtBack.has(this.connectionId));
  readonly #keepers = new Map<string, UploadKeeper>();
  /** Sent or discarded: a list that was read before must not bring them back. */
  readonly #endedDrafts = new Set<string>();

  get jobs(): readonly UploadJob[] {
    return this.list;
  }

  protected idOf({ jobId }: UploadJob): string {
    return jobId;
  }

  override async load(): Promise<void> {
    void this.#bringBack();
    await super.load();
  }

  /** Files that were being prepared when the application ended, once for each connection. */
  async #bringBack(): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null || this.#broughtBack.has(connectionId)) return;
    try {
      const before = await client.invoke('uploads:list-preparations', { connectionId });
      if (this.#broughtBack.has(connectionId)) return;
      this.bringBackError = null;
      const back = before.filter(
        ({ preparationId }) => this.draftOf(preparationId) === null && !this.#endedDrafts.has(preparationId),
      );
      const drafts = back.map((each) => {
        const start = { connectionId, batchRows: each.choices?.batchRows ?? FIRST_BATCH_ROWS };
        const draft = new UploadDraft(each.file, start, each);
        this.#keepers.set(draft.draftId, new UploadKeeper(draft, each.choices));
        return draft;
      });
      this.drafts = [...drafts, ...this.drafts];
      this.#broughtBack = new Set([...this.#broughtBack, connectionId]);
    } catch (thrown) {
      this.bringBackError = toAppError(thrown);
    }
  }

  keeperOf(draftId: string): UploadKeeper | null {
    return this.#keepers.get(draftId) ?? null;
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
      this.#refuse(offered);
      const drafts = usable.map((file) => new UploadDraft(file, start));
      for (const draft of drafts) this.#keepers.set(draft.draftId, new UploadKeeper(draft, null));
      this.drafts = [...this.drafts, ...drafts];
      return drafts;
    } catch (thrown) {
      this.offerError = toAppError(thrown);
      return [];
    } finally {
      this.isOffering = false;
    }
  }

  /** Said once: a file that is dropped again takes the place of what was said of it before. */
  #refuse(offered: readonly OfferedFile[]): void {
    const again = new Set(offered.map(({ name }) => name));
    const refused = offered.filter(({ error }) => error !== null);
    this.rejected = [...refused, ...this.rejected.filter(({ name }) => !again.has(name))];
  }

  dismissAll(): void {
    this.rejected = [];
  }

  dismiss(fileId: string): void {
    this.rejected = this.rejected.filter((file) => file.fileId !== fileId);
  }

  /** Asks where the file of a draft is now. Throws AppError. */
  async findFile(draft: UploadDraft): Promise<void> {
    const [file] = await client.invoke('uploads:choose-files');
    if (file === undefined) return;
    if (file.error !== null) throw fromWire(file.error);
    await draft.replaceFile(file);
  }

  /** A person gives it up. Throws AppError where it could not be taken off the disk. */
  async discard(draft: UploadDraft): Promise<void> {
    this.#end(draft);
    const { connectionId, draftId } = draft;
    await client.invoke('uploads:forget-preparation', { connectionId, preparationId: draftId });
  }

  #end(draft: UploadDraft): void {
    const { draftId } = draft;
    this.#endedDrafts.add(draftId);
    this.#keepers.get(draftId)?.end();
    this.#keepers.delete(draftId);
    draft.dispose();
    this.drafts = this.drafts.filter((each) => each !== draft);
  }

  /** It was sent: its job stands in its place. */
  sent(draft: UploadDraft): void {
    this.#end(draft);
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
