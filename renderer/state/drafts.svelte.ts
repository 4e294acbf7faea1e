/**
 * Drafts of forms: unsent input survives its tab and the window. All forms use the same mechanism: an object that
 * returns its input and can restore it.
 */
import { untrack } from 'svelte';
import {
  atStart,
  beyondMost,
  DRAFT_PREFIX,
  type KeptDraft,
  notKeptReason,
  offersOf,
  readDraft,
} from '../lib/drafts.ts';
import type { JsonObject } from '../lib/records.ts';
import { clock } from './clock.svelte.ts';
import type { Tab } from './tabs.svelte.ts';
import type { ViewStateStorage } from './view-state-storage.ts';

export interface Draftable {
  /** Unsent input as JSON; null if there is none. Reactive. */
  readonly draft: JsonObject | null;
  /** Names the input in a few words, e.g. `changed items (2 edited)`; by default it is called the input of a form. */
  readonly inputText?: string | undefined;
  takeDraft(value: JsonObject): void;
}

/** A form in a tab, and its stored draft. */
class DraftLink {
  /** When the restored input was typed; null if none was restored. */
  restoredAtMs = $state<number | null>(null);
  readonly tabId: string;
  readonly model: Draftable;
  readonly #form: () => string;
  /** Id of the form's draft. */
  id: string = crypto.randomUUID();

  constructor(tabId: string, form: () => string, model: Draftable) {
    this.tabId = tabId;
    this.#form = form;
    this.model = model;
  }

  get form(): string {
    return this.#form();
  }
}

export class DraftsState {
  list = $state.raw<readonly KeptDraft[]>([]);
  readonly #keep: ViewStateStorage;
  readonly #links = new Map<Draftable, DraftLink>();

  constructor(keep: ViewStateStorage) {
    this.#keep = keep;
  }

  /** Loads the drafts of a connection after its tabs were restored. */
  load(openTabs: readonly Tab[]): void {
    this.#links.clear();
    const stored = this.#keep.entries(DRAFT_PREFIX);
    const read = stored.flatMap(([id, value]) => readDraft(id, value) ?? []);
    this.list = atStart(read, new Set(openTabs.map(({ id }) => id)));
  }

  /** Whether input of this tab is stored. Works even before `load`. */
  isKeptOf(tabId: string): boolean {
    return this.#keep.entries(DRAFT_PREFIX).some(([id, value]) => readDraft(id, value)?.tabId === tabId);
  }

  /**
   * Connects a form to its tab: restores earlier input and stores every change. Must be called where the form is
   * created, so that the connection ends with the form. `form` identifies the form among all forms of the connection.
   */
  attach(tabId: string, form: () => string, model: Draftable): void {
    const link = new DraftLink(tabId, form, model);
    this.#links.set(model, link);
    const own = this.list.find((draft) => draft.tabId === tabId && draft.form === link.form);
    if (own !== undefined) this.#takeInto(link, own);
    $effect(() => {
      const value = model.draft;
      untrack(() => this.#typed(link, value));
    });
  }

  linkOf(model: Draftable): DraftLink | null {
    return this.#links.get(model) ?? null;
  }

  /** Whether this tab contains unsent input. */
  hasInput(tabId: string): boolean {
    return this.list.some((draft) => draft.tabId === tabId && draft.left === null);
  }

  /** Names the unsent input of a tab, one text for each form. */
  inputOf(tabId: string): string[] {
    const own = new Set(
      this.list.flatMap((draft) => (draft.tabId === tabId && draft.left === null ? draft.id : [])),
    );
    const known = [...this.#links.values()].filter(({ id }) => own.has(id));
    const unknown = own.size - known.length;
    return [
      ...known.map(({ model }) => model.inputText ?? 'the input of a form'),
      ...Array.from({ length: unknown }, () => 'the input of a form'),
    ];
  }

  /** Drafts of the same form that remained when their tabs were closed. */
  offers(link: DraftLink): readonly KeptDraft[] {
    return offersOf(this.list, link.form, link.tabId);
  }

  /**
   * Continues a draft that remained from another tab. The present input of the form becomes a separate draft, so that
   * nothing is lost.
   */
  take(link: DraftLink, draft: KeptDraft): void {
    this.#setAside(({ id }) => id === link.id);
    this.#takeInto(link, draft);
  }

  /**
   * Moves a draft to the tab that was opened for its form: into the form if it exists already; otherwise it is restored
   * when the form is created. Other input of the form becomes a separate draft.
   */
  move(draft: KeptDraft, tabId: string): void {
    const link = [...this.#links.values()].find((each) => each.tabId === tabId && each.form === draft.form);
    if (link === undefined) {
      this.#setAside((each) => each.form === draft.form && each.tabId === tabId && each.left === null);
      this.#put({ ...draft, tabId, left: null });
    } else if (link.id !== draft.id) this.take(link, draft);
  }

  /** Keeps the input of a tab as separate drafts, because its forms show something else from now on. */
  setAside(tabId: string): void {
    for (const { id } of this.list.filter((each) => each.tabId === tabId && each.left === null))
      this.#setAside((draft) => draft.id === id);
    for (const link of this.#links.values()) {
      if (link.tabId !== tabId) continue;
      link.restoredAtMs = null;
      link.id = crypto.randomUUID();
    }
  }

  /** Turns the input of a form into a separate draft. */
  #setAside(isOwn: (draft: KeptDraft) => boolean): void {
    const own = this.list.find(isOwn);
    if (own !== undefined) this.#put({ ...own, tabId: '', left: null });
  }

  #takeInto(link: DraftLink, draft: KeptDraft): void {
    link.id = draft.id;
    link.restoredAtMs = draft.atMs;
    this.#put({ ...draft, tabId: link.tabId, left: null });
    link.model.takeDraft(draft.value);
  }

  /** To be called when the input was sent or discarded: its draft is deleted. */
  done(model: Draftable): void {
    const link = this.#links.get(model);
    if (link === undefined) return;
    link.restoredAtMs = null;
    this.discard(link.id);
    link.id = crypto.randomUUID();
  }

  discard(id: string): void {
    if (!this.list.some((draft) => draft.id === id)) return;
    this.list = this.list.filter((draft) => draft.id !== id);
    this.#keep.set(`${DRAFT_PREFIX}${id}`, null);
  }

  /** Discards all input of a tab. */
  forget(tabId: string): void {
    for (const draft of this.list) if (draft.tabId === tabId && draft.left === null) this.discard(draft.id);
  }

  /** Restores a discarded draft. */
  restore(draft: KeptDraft): void {
    this.#put(draft);
  }

  /** The reason why closing this tab would lose its input; null if nothing would be lost. */
  lossReason(tabId: string): string | null {
    const own = this.list.filter((draft) => draft.tabId === tabId && draft.left === null);
    const reason = own.map(({ value }) => notKeptReason(value)).find((each) => each !== null);
    if (reason !== undefined) return reason;
    if (!own.some(({ id }) => this.#keep.isRefused(`${DRAFT_PREFIX}${id}`))) return null;
    return this.#keep.isUnread
      ? 'The stored data of this connection could not be read, so nothing is added to it.'
      : 'The disk could not be written.';
  }

  /** To be called when the tab was closed. Its drafts are kept until their form is opened again, and returned. */
  leave({ id: tabId, kind, title, params }: Tab): KeptDraft[] {
    for (const [model, link] of this.#links) if (link.tabId === tabId) this.#links.delete(model);
    const own = this.list.filter((draft) => draft.tabId === tabId && draft.left === null);
    const left: KeptDraft[] = [];
    for (const draft of own) {
      if (notKeptReason(draft.value) === null) left.push({ ...draft, left: { kind, title, params } });
      else this.discard(draft.id);
    }
    for (const draft of left) this.#put(draft);
    for (const { id } of beyondMost(this.list)) this.discard(id);
    return left;
  }

  #typed(link: DraftLink, value: JsonObject | null): void {
    if (value === null) {
      this.done(link.model);
      return;
    }
    const known = this.list.find(({ id }) => id === link.id);
    const isSame = known !== undefined && JSON.stringify(known.value) === JSON.stringify(value);
    if (isSame) return;
    const { id, form, tabId } = link;
    this.#put({ id, form, tabId, left: null, atMs: clock.nowMs, value });
  }

  #put(draft: KeptDraft): void {
    this.list = [draft, ...this.list.filter(({ id }) => id !== draft.id)];
    const { id, ...kept } = draft;
    this.#keep.set(`${DRAFT_PREFIX}${id}`, notKeptReason(draft.value) === null ? kept : null);
  }
}
