/**
 * Drafts of forms: what was typed and sent nowhere outlives its tab and the window. One mechanism for every form: a
 * thing that says what is typed in it, and takes that back.
 */
import { untrack } from 'svelte';
import {
  atStart,
  beyondMost,
  DRAFT_PREFIX,
  type KeptDraft,
  offersOf,
  readDraft,
  whyNotKept,
} from '../lib/drafts.ts';
import type { JsonObject } from '../lib/records.ts';
import { clock } from './clock.svelte.ts';
import type { Keep } from './keep.ts';
import type { Tab } from './tabs.svelte.ts';

export interface Draftable {
  /** What is typed and sent nowhere yet, as JSON; null where there is nothing. Reactive. */
  readonly draft: JsonObject | null;
  takeDraft(value: JsonObject): void;
}

/** A form in a tab, and what is kept of it. */
class DraftLink {
  /** When what stands in it was typed, where it came back from before. */
  restoredAtMs = $state<number | null>(null);
  readonly tabId: string;
  readonly model: Draftable;
  readonly #form: () => string;
  /** Of the draft it is kept as. */
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
  readonly #keep: Keep;
  readonly #links = new Map<Draftable, DraftLink>();

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  /** The drafts of a connection, once its tabs are back. */
  load(openTabs: readonly Tab[]): void {
    this.#links.clear();
    const stored = this.#keep.entries(DRAFT_PREFIX);
    const read = stored.flatMap(([id, value]) => readDraft(id, value) ?? []);
    this.list = atStart(read, new Set(openTabs.map(({ id }) => id)));
  }

  /** Is something kept that was typed in this tab? Before `load`, too. */
  isKeptOf(tabId: string): boolean {
    return this.#keep.entries(DRAFT_PREFIX).some(([id, value]) => readDraft(id, value)?.tabId === tabId);
  }

  /**
   * Joins a form to its tab: what was typed there before comes back, and every change is kept. To be called where the
   * form is made, so that it ends with it. `form` names it among all forms of the connection.
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

  /** Does this tab hold input that was sent nowhere? */
  hasInput(tabId: string): boolean {
    return this.list.some((draft) => draft.tabId === tabId && draft.left === null);
  }

  /** Drafts of the same form that were left elsewhere. */
  offers(link: DraftLink): readonly KeptDraft[] {
    return offersOf(this.list, link.form, link.tabId);
  }

  /** Goes on with a draft that was left. */
  take(link: DraftLink, draft: KeptDraft): void {
    const own = this.list.find(({ id }) => id === link.id);
    // What stands there now is a draft of its own; nothing of it is lost.
    if (own !== undefined) this.#put({ ...own, tabId: '', left: null });
    this.#takeInto(link, draft);
  }

  /** A draft goes with its form to the tab that was opened for it; one that stands there stays, and it is offered. */
  move(draft: KeptDraft, tabId: string): void {
    if (!this.hasInput(tabId)) this.#put({ ...draft, tabId, left: null });
  }

  #takeInto(link: DraftLink, draft: KeptDraft): void {
    link.id = draft.id;
    link.restoredAtMs = draft.atMs;
    this.#put({ ...draft, tabId: link.tabId, left: null });
    link.model.takeDraft(draft.value);
  }

  /** What was typed is sent, or given up: nothing of it is kept. */
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

  /** Everything typed in a tab is given up. */
  forget(tabId: string): void {
    for (const draft of this.list) if (draft.tabId === tabId && draft.left === null) this.discard(draft.id);
  }

  /** Takes back what was discarded. */
  restore(draft: KeptDraft): void {
    this.#put(draft);
  }

  /** Why closing this tab would lose what is typed in it; null where it would not. */
  whyLost(tabId: string): string | null {
    const own = this.list.filter((draft) => draft.tabId === tabId && draft.left === null);
    const why = own.map(({ value }) => whyNotKept(value)).find((each) => each !== null);
    if (why !== undefined) return why;
    return own.some(({ id }) => this.#keep.isRefused(`${DRAFT_PREFIX}${id}`))
      ? 'The disk could not be written.'
      : null;
  }

  /** The tab is closed: its drafts wait for its form to be opened again. Answers them. */
  leave({ id: tabId, kind, title, params }: Tab): KeptDraft[] {
    for (const [model, link] of this.#links) if (link.tabId === tabId) this.#links.delete(model);
    const own = this.list.filter((draft) => draft.tabId === tabId && draft.left === null);
    const left: KeptDraft[] = [];
    for (const draft of own) {
      if (whyNotKept(draft.value) === null) left.push({ ...draft, left: { kind, title, params } });
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
    this.#keep.set(`${DRAFT_PREFIX}${id}`, whyNotKept(draft.value) === null ? kept : null);
  }
}
