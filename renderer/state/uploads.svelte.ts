/** Offered files, and uploads in preparation. */
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import type { UploadChoices } from '../../electron/shared/upload-preparation.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';
import { UploadKeeper } from './upload-keeper.svelte.ts';
import { type DraftStart, FIRST_BATCH_ROWS, UploadDraft } from './uploads-draft.svelte.ts';

/** Position of drafts that have none, so that they come last. */
const LAST_PLACE = Number.MAX_SAFE_INTEGER;

class UploadsState {
  connectionId = $state<string | null>(null);
  /** Drafts of all connections. Views show those of the active connection. */
  drafts = $state.raw<UploadDraft[]>([]);
  /** Files that cannot be used, with the reason, until the user dismisses them. */
  rejected = $state.raw<readonly OfferedFile[]>([]);
  /** Connections whose files in preparation have been restored. */
  #broughtBack = $state.raw<ReadonlySet<string>>(new Set());
  bringBackError = $state.raw<AppError | null>(null);
  isOffering = $state(false);
  offerError = $state.raw<AppError | null>(null);

  /** In the order of the user, then in order of arrival. */
  readonly waiting = $derived(
    this.drafts
      .filter((draft) => draft.connectionId === this.connectionId)
      .toSorted((a, b) => (a.place ?? LAST_PLACE) - (b.place ?? LAST_PLACE)),
  );
  readonly areDraftsBack = $derived(this.connectionId !== null && this.#broughtBack.has(this.connectionId));
  /** The upload started last, by job id, with its draft and the choices at that time. */
  #begun = $state.raw<ReadonlyMap<string, { draft: UploadDraft; choices: UploadChoices }>>(new Map());
  readonly #keepers = new Map<string, UploadKeeper>();
  /** Ids of drafts that were sent or discarded. A list that was read earlier must not restore them. */
  readonly #endedDrafts = new Set<string>();

  async watch(connectionId: string): Promise<void> {
    this.connectionId = connectionId;
    await this.bringBack();
  }

  /** Restores the files that were in preparation when the application ended. Happens once per connection. */
  async bringBack(): Promise<void> {
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

  draftOf(draftId: string): UploadDraft | null {
    return this.drafts.find((draft) => draft.draftId === draftId) ?? null;
  }

  /** Passes dropped files to the main process. Returns drafts for the usable ones. */
  offer(files: File[], start: DraftStart): Promise<UploadDraft[]> {
    return this.#take(() => client.offerFiles(files), start);
  }

  /** Like `offer`, for files that the user chooses in a dialog. */
  choose(start: DraftStart): Promise<UploadDraft[]> {
    return this.#take(() => client.invoke('uploads:choose-files'), start);
  }

  /** Like `offer`, for the sample workspace's file with problems. */
  offerSample(start: DraftStart): Promise<UploadDraft[]> {
    const { connectionId } = start;
    return this.#take(() => client.invoke('uploads:offer-sample', { connectionId }), start);
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

  /** Adds messages about files that cannot be used. A file that is dropped again replaces its earlier message. */
  #refuse(offered: readonly OfferedFile[]): void {
    const again = new Set(offered.map(({ name }) => name));
    const refused = offered.filter(({ error }) => error !== null);
    this.rejected = [...refused, ...this.rejected.filter(({ name }) => !again.has(name))];
  }

  /** Moves a file in preparation up (-1) or down (1) in the list. */
  move(draft: UploadDraft, by: -1 | 1): void {
    const list = [...this.waiting];
    const at = list.indexOf(draft);
    const other = list[at + by];
    if (at < 0 || other === undefined) return;
    list[at] = other;
    list[at + by] = draft;
    for (const [place, each] of list.entries()) each.place = place;
  }

  /** Removes the message about one file, or all messages. */
  dismiss(fileId?: string): void {
    this.rejected = fileId === undefined ? [] : this.rejected.filter((file) => file.fileId !== fileId);
  }

  /** Shows removed messages again. */
  refuse(rejected: readonly OfferedFile[]): void {
    this.rejected = rejected;
  }

  /** Asks where the file of a draft is now. Throws AppError. */
  async findFile(draft: UploadDraft): Promise<void> {
    const [file] = await client.invoke('uploads:choose-files');
    if (file === undefined) return;
    if (file.error !== null) throw fromWire(file.error);
    await draft.replaceFile(file);
  }

  /** Discards a draft on the user's request. Throws AppError if it could not be deleted from disk. */
  async discard(draft: UploadDraft): Promise<void> {
    this.#end(draft);
    const { connectionId, draftId } = draft;
    const argument = { connectionId, preparationId: draftId, chosen: null };
    await client.invoke('uploads:keep-preparation', argument);
  }

  /** Restores a discarded draft with its choices. Throws AppError if it cannot be stored. */
  async restore({ connectionId, draftId, file }: UploadDraft, choices: UploadChoices): Promise<void> {
    const chosen = { fileId: file.fileId, choices, isRestored: true };
    await client.invoke('uploads:keep-preparation', { connectionId, preparationId: draftId, chosen });
    this.#endedDrafts.delete(draftId);
    this.#broughtBack = new Set([...this.#broughtBack].filter((each) => each !== connectionId));
    await this.bringBack();
  }

  #end(draft: UploadDraft): void {
    const { draftId } = draft;
    this.#endedDrafts.add(draftId);
    this.#keepers.get(draftId)?.end();
    this.#keepers.delete(draftId);
    draft.dispose();
    this.drafts = this.drafts.filter((each) => each !== draft);
  }

  /** Replaces a sent draft with its job. `jobId`: set if the job can be cancelled until it starts. */
  sent(draft: UploadDraft, jobId: string | null = null): void {
    if (jobId !== null) this.#begun = new Map([[jobId, { draft, choices: draft.choices }]]);
    this.#end(draft);
  }

  /** Whether the job was started in this window, so that its draft is known. */
  canUndoStart(jobId: string): boolean {
    return this.#begun.has(jobId);
  }

  /**
   * Cancels the start of an upload, so that its file is in preparation again. Returns the id of its draft. Null if rows
   * are already in flight: the upload is then stopped, and its view shows the rows sent. Throws AppError.
   */
  async undoStart(jobId: string): Promise<string | null> {
    const begun = this.#begun.get(jobId);
    if (begun === undefined) return null;
    const name = { kind: 'upload', id: jobId } as const;
    await jobs.control(name, 'cancel');
    this.#begun = new Map();
    const job = jobs.own('upload', jobId);
    if (job === null || job.requests > 0) return null;
    await this.restore(begun.draft, begun.choices);
    await jobs.forget(name);
    return begun.draft.draftId;
  }
}

export const uploads = new UploadsState();
