/** Files that were offered, and uploads being prepared. */
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import type { UploadChoices } from '../../electron/shared/upload-preparation.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';
import { UploadKeeper } from './upload-keeper.svelte.ts';
import { type DraftStart, FIRST_BATCH_ROWS, UploadDraft } from './uploads-draft.svelte.ts';

/** Those without a place of their own come last. */
const LAST_PLACE = Number.MAX_SAFE_INTEGER;

class UploadsState {
  connectionId = $state<string | null>(null);
  /** Of every connection; views show those of the one at hand. */
  drafts = $state.raw<UploadDraft[]>([]);
  /** Files that cannot be used, with the reason; until dismissed. */
  rejected = $state.raw<readonly OfferedFile[]>([]);
  /** Connections whose files that were being prepared before are back. */
  #broughtBack = $state.raw<ReadonlySet<string>>(new Set());
  bringBackError = $state.raw<AppError | null>(null);
  isOffering = $state(false);
  offerError = $state.raw<AppError | null>(null);

  /** In their order: a person's, then that in which they came. */
  readonly waiting = $derived(
    this.drafts
      .filter((draft) => draft.connectionId === this.connectionId)
      .toSorted((a, b) => (a.place ?? LAST_PLACE) - (b.place ?? LAST_PLACE)),
  );
  readonly areDraftsBack = $derived(this.connectionId !== null && this.#broughtBack.has(this.connectionId));
  /** The upload that was begun last, with what it was made of. */
  #begun = $state.raw<ReadonlyMap<string, { draft: UploadDraft; choices: UploadChoices }>>(new Map());
  readonly #keepers = new Map<string, UploadKeeper>();
  /** Sent or discarded: a list that was read before must not bring them back. */
  readonly #endedDrafts = new Set<string>();

  async watch(connectionId: string): Promise<void> {
    this.connectionId = connectionId;
    await this.bringBack();
  }

  /** Files that were being prepared when the application ended, once for each connection. */
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

  /** Puts a file in preparation before the one above it, or behind the one below. */
  move(draft: UploadDraft, by: -1 | 1): void {
    const list = [...this.waiting];
    const at = list.indexOf(draft);
    const other = list[at + by];
    if (at < 0 || other === undefined) return;
    list[at] = other;
    list[at + by] = draft;
    for (const [place, each] of list.entries()) each.place = place;
  }

  /** Not said any more: of one file, or of all. */
  dismiss(fileId?: string): void {
    this.rejected = fileId === undefined ? [] : this.rejected.filter((file) => file.fileId !== fileId);
  }

  /** Said again, as it was. */
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

  /** A person gives it up. Throws AppError where it could not be taken off the disk. */
  async discard(draft: UploadDraft): Promise<void> {
    this.#end(draft);
    const { connectionId, draftId } = draft;
    const argument = { connectionId, preparationId: draftId, chosen: null };
    await client.invoke('uploads:keep-preparation', argument);
  }

  /** Takes back that a draft was discarded, with what was chosen in it. Throws AppError where it cannot be kept. */
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

  /** It was sent: its job stands in its place. `jobId`: of one that can be taken back until it begins. */
  sent(draft: UploadDraft, jobId: string | null = null): void {
    if (jobId !== null) this.#begun = new Map([[jobId, { draft, choices: draft.choices }]]);
    this.#end(draft);
  }

  /** It was begun in this window, so that what was prepared for it is known. */
  canTakeBack(jobId: string): boolean {
    return this.#begun.has(jobId);
  }

  /**
   * Takes back that an upload was begun: the file is in preparation as before, and the id of that is answered. Null
   * where rows are on their way already: then it is stopped, and its page says what was sent. Throws AppError.
   */
  async takeBack(jobId: string): Promise<string | null> {
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
