/** Offered files, and uploads in preparation. */
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import type { UploadChoices } from '../../electron/shared/upload-preparation.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';
import { UploadKeeper } from './upload-keeper.svelte.ts';
import { type DraftStart, FIRST_BATCH_ROWS, UploadDraft } from './uploads-draft.svelte.ts';

/** Drafts without their own index come last. */
const LAST_PLACE = Number.MAX_SAFE_INTEGER;

class UploadsState {
  connectionId = $state<string | null>(null);
  /** Drafts of every connection; views show those of the active one. */
  drafts = $state.raw<UploadDraft[]>([]);
  /** Unusable files with the reason; until dismissed. */
  rejected = $state.raw<readonly OfferedFile[]>([]);
  /** Connections whose files in preparation were restored. */
  #broughtBack = $state.raw<ReadonlySet<string>>(new Set());
  bringBackError = $state.raw<AppError | null>(null);
  isOffering = $state(false);
  offerError = $state.raw<AppError | null>(null);

  /** In the user's order, then in order of arrival. */
  readonly waiting = $derived(
    this.drafts
      .filter((draft) => draft.connectionId === this.connectionId)
      .toSorted((a, b) => (a.place ?? LAST_PLACE) - (b.place ?? LAST_PLACE)),
  );
  readonly areDraftsBack = $derived(this.connectionId !== null && this.#broughtBack.has(this.connectionId));
  /** The last started upload, with the choices it was made from. */
  #begun = $state.raw<ReadonlyMap<string, { draft: UploadDraft; choices: UploadChoices }>>(new Map());
  readonly #keepers = new Map<string, UploadKeeper>();
  /** Sent or discarded drafts: a list that was read earlier must not restore them. */
  readonly #endedDrafts = new Set<string>();

  async watch(connectionId: string): Promise<void> {
    this.connectionId = connectionId;
    await this.bringBack();
  }

  /** Restores files that were in preparation when the application ended, once per connection. */
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

  /** Passes dropped files to the main process; returns drafts for the usable ones. */
  offer(files: File[], start: DraftStart): Promise<UploadDraft[]> {
    return this.#take(() => client.offerFiles(files), start);
  }

  /** The same for files chosen in a dialog. */
  choose(start: DraftStart): Promise<UploadDraft[]> {
    return this.#take(() => client.invoke('uploads:choose-files'), start);
  }

  /** The same for the file with problems of the sample workspace. */
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

  /** A file that is dropped again replaces its earlier message. */
  #refuse(offered: readonly OfferedFile[]): void {
    const again = new Set(offered.map(({ name }) => name));
    const refused = offered.filter(({ error }) => error !== null);
    this.rejected = [...refused, ...this.rejected.filter(({ name }) => !again.has(name))];
  }

  /** Moves a file in preparation before the previous one or after the next one. */
  move(draft: UploadDraft, by: -1 | 1): void {
    const list = [...this.waiting];
    const at = list.indexOf(draft);
    const other = list[at + by];
    if (at < 0 || other === undefined) return;
    list[at] = other;
    list[at + by] = draft;
    for (const [place, each] of list.entries()) each.place = place;
  }

  /** Removes the message about one file, or all. */
  dismiss(fileId?: string): void {
    this.rejected = fileId === undefined ? [] : this.rejected.filter((file) => file.fileId !== fileId);
  }

  /** Shows the messages again. */
  refuse(rejected: readonly OfferedFile[]): void {
    this.rejected = rejected;
  }

  /** Asks for the new path of a draft's file. Throws AppError. */
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

  /** The draft was sent: its job replaces it. `jobId`: set if it can be cancelled until it starts. */
  sent(draft: UploadDraft, jobId: string | null = null): void {
    if (jobId !== null) this.#begun = new Map([[jobId, { draft, choices: draft.choices }]]);
    this.#end(draft);
  }

  /** Whether it was started in this window, so that its draft is known. */
  canUndoStart(jobId: string): boolean {
    return this.#begun.has(jobId);
  }

  /**
   * Cancels the start of an upload: the file is in preparation again; returns the id of its draft. Null if
   * rows already are in flight: the upload is then stopped, and its view shows the rows sent. Throws
   * AppError.
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
