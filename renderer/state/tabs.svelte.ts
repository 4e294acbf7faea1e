import { untrack } from 'svelte';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
import type { Keep } from './keep.ts';
import { outlive } from './outlive.svelte.ts';

export const TAB_KINDS = [
  'start',
  'catalog',
  'values',
  'attributes',
  'datasets',
  'dataset',
  'item-file',
  'spans',
  'trace',
  'builds',
  'build',
  'uploads',
  'upload',
  'deletions',
  'sql',
  'alert-rules',
  'alert-rule',
  'alert-rule-form',
  'charts',
  'chart',
  'resources',
  'resource',
  'jobs',
  'changes',
  'outbox',
  'search',
  'offline',
  'traffic',
  'health',
  'settings',
  'connection',
] as const;
export type TabKind = (typeof TAB_KINDS)[number];

export interface Tab {
  id: string;
  kind: TabKind;
  title: string;
  /** What the view shows: ids, names, filters. Kept between starts. */
  params: Record<string, string>;
  /** It stays open however many tabs there are. */
  isPinned?: boolean;
}

/** What a view holds while its tab is open, so that coming back to it loses nothing. */
interface Disposable {
  dispose(): void;
}

/** Kinds of which one tab is enough. */
const SINGLE: ReadonlySet<TabKind> = new Set([
  'start',
  'catalog',
  'attributes',
  'datasets',
  'spans',
  'builds',
  'uploads',
  'deletions',
  'sql',
  'alert-rules',
  'charts',
  'jobs',
  'changes',
  'outbox',
  'search',
  'offline',
  'traffic',
  'health',
  'settings',
]);
/**
 * Parameters that say what a tab is about, where the rest is only how it is shown. All parameters count where a kind
 * is not here, and where one of these is missing, as in the form of a new record.
 */
const IDENTITY: Partial<Record<TabKind, readonly string[]>> = {
  values: ['applicationId', 'entityType', 'name'],
  dataset: ['datasetId'],
  trace: ['scope', 'scope_id'],
  build: ['build'],
  upload: ['job'],
  'alert-rule': ['alertId'],
  chart: ['chartId'],
  resources: ['resource'],
  resource: ['resource', 'id'],
};
/** The parameter that leads from the list of a section to something in it. */
const BELOW: Partial<Record<TabKind, string>> = { catalog: 'applicationId' };
const KEEP_KEY = 'tabs';
const MOST_CLOSED = 20;

function isTab(value: unknown): value is Tab {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, title, params, isPinned } = value as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    typeof title === 'string' &&
    (isPinned === undefined || typeof isPinned === 'boolean') &&
    TAB_KINDS.some((each) => each === kind) &&
    typeof params === 'object' &&
    params !== null &&
    Object.values(params).every((each) => typeof each === 'string')
  );
}

function isAboutSame(kind: TabKind, a: Record<string, string>, b: Record<string, string>): boolean {
  const identity = IDENTITY[kind];
  if (identity?.every((key) => b[key] !== undefined) === true)
    return identity.every((key) => a[key] === b[key]);
  const keys = Object.keys(b);
  return keys.length === Object.keys(a).length && keys.every((key) => a[key] === b[key]);
}

/** Names what a tab is about, whichever way it is shown: the same text for the same thing. */
export function aboutOf({ kind, params }: Pick<Tab, 'kind' | 'params'>): string {
  const below = BELOW[kind];
  const keys =
    IDENTITY[kind] ?? (below === undefined ? (SINGLE.has(kind) ? [] : Object.keys(params)) : [below]);
  return JSON.stringify([kind, ...keys.toSorted().map((key) => params[key] ?? null)]);
}

export class TabsState {
  list = $state.raw<Tab[]>([]);
  activeId = $state<string | null>(null);
  /** Are the tabs of the connection at hand there? Until then none is shown, and nothing is kept. */
  isRestored = $state(false);
  readonly active = $derived(this.list.find((tab) => tab.id === this.activeId) ?? null);

  readonly #keep: Keep;
  readonly #held = new Map<string, Map<string, { thing: object; end: () => void }>>();
  #closed: Tab[] = [];
  /** Ids of tabs, the one that was active last at the end. */
  #used: string[] = [];
  /** Would something be lost, or be out of sight that a person waits for, if this tab was closed for another one? */
  mustStay: (tab: Tab) => boolean = () => false;
  /** How many tabs stay open by themselves. */
  most: () => number = () => DEFAULT_SETTINGS.mostTabs;
  /** Told of a tab that was closed because too many were open. */
  oncrowded: (tab: Tab) => void = () => undefined;
  /** Told of a tab before it is gone. */
  onclose: (tab: Tab) => void = () => undefined;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  /**
   * Tabs as they were when this connection was last used, or the given first one; of those only what `comesBack`. What was opened since `clear` stays
   * open beside them: a person need not wait for them.
   */
  restore(first: TabKind, title: string, comesBack: (tab: Tab) => boolean = () => true): void {
    const early = this.list;
    const wanted = this.activeId;
    const stored = this.#keep.get(KEEP_KEY);
    const { list, activeId } = (typeof stored === 'object' && stored !== null ? stored : {}) as {
      list?: unknown;
      activeId?: unknown;
    };
    const tabs = Array.isArray(list) ? list.filter(isTab).filter(comesBack) : [];
    this.list = tabs;
    this.#goTo(tabs.find((tab) => tab.id === activeId)?.id ?? tabs[0]?.id ?? null);
    this.isRestored = true;
    if (tabs.length === 0) this.open(first, title);
    const joined = new Map(early.map((tab) => [tab.id, this.#join(tab)]));
    const active = wanted === null ? undefined : joined.get(wanted);
    if (active !== undefined) this.activate(active);
  }

  /** Puts a tab among those that are there; the id of the one that shows what it shows. */
  #join(tab: Tab): string {
    const found = this.#same(tab.kind, tab.params);
    if (found === undefined) return this.#add(tab).id;
    this.update(found.id, { params: { ...found.params, ...tab.params } });
    return found.id;
  }

  /** Leaves the tabs of a connection, until those of another are read. */
  clear(): void {
    for (const tab of this.list) this.#drop(tab.id);
    this.isRestored = false;
    this.list = [];
    this.activeId = null;
    this.#closed = [];
    this.#used = [];
  }

  /** Goes to the tab that shows this already, else opens one beside the active tab. */
  open(kind: TabKind, title: string, params: Record<string, string> = {}): Tab {
    const found = this.#same(kind, params);
    // Never that of a tab that was: an answer that comes late is for its own tab, or for none.
    if (found === undefined) {
      const added = this.#add({ id: crypto.randomUUID(), kind, title, params });
      this.#closeOldest();
      return added;
    }
    this.activate(found.id);
    return found;
  }

  /** Goes to the list of a section, also where its tab shows something in it. */
  openTop(kind: TabKind, title: string, params: Record<string, string> = {}): Tab {
    const tab = this.open(kind, title, params);
    const below = BELOW[kind];
    if (below !== undefined && tab.params[below] !== undefined) this.update(tab.id, { title, params });
    return tab;
  }

  /** Beyond the limit, tabs that were not looked at for longest make room. */
  #closeOldest(): void {
    // What is typed in them is not known before they are back.
    if (!this.isRestored) return;
    const lastUse = (tab: Tab) => this.#used.indexOf(tab.id);
    const oldest = this.list.toSorted((a, b) => lastUse(a) - lastUse(b));
    for (const tab of oldest) {
      if (this.list.length <= this.most()) return;
      if (tab.id === this.activeId || tab.isPinned === true || this.mustStay(tab)) continue;
      this.close(tab.id);
      this.oncrowded(tab);
    }
  }

  /** A pinned tab stays open however many there are. */
  setPinned(id: string, isPinned: boolean): void {
    this.list = this.list.map((tab) => (tab.id === id ? { ...tab, isPinned } : tab));
    this.#save();
  }

  #same(kind: TabKind, params: Record<string, string>): Tab | undefined {
    return this.list.find(
      (tab) => tab.kind === kind && (SINGLE.has(kind) || isAboutSame(kind, tab.params, params)),
    );
  }

  #add(tab: Tab): Tab {
    const at = this.list.findIndex((each) => each.id === this.activeId);
    this.list = this.list.toSpliced(at === -1 ? this.list.length : at + 1, 0, tab);
    this.#goTo(tab.id);
    this.#save();
    return tab;
  }

  #goTo(id: string | null): void {
    this.activeId = id;
    if (id !== null) this.#used = [...this.#used.filter((each) => each !== id), id];
  }

  activate(id: string): void {
    this.#goTo(id);
    this.#save();
  }

  /**
   * A tab for its view: as it is now, and as it was last once it is closed. Never another one, so that an answer that
   * comes after the view was left is about what was asked.
   */
  follow(opened: Tab): { readonly tab: Tab } {
    let last = opened;
    const find = () => {
      // While it is shown, changes of other tabs are none of its view's business.
      const { active } = this;
      if (active?.id === opened.id) return active;
      return untrack(() => this.list.find(({ id }) => id === opened.id)) ?? last;
    };
    return {
      get tab() {
        last = find();
        return last;
      },
    };
  }

  /** Steps through the tabs, around the ends. */
  step(by: 1 | -1): void {
    const at = this.list.findIndex((tab) => tab.id === this.activeId);
    const next = this.list[(at + by + this.list.length) % this.list.length];
    if (next !== undefined) this.activate(next.id);
  }

  update(id: string, change: { title?: string; params?: Record<string, string> }): void {
    this.list = this.list.map((tab) => (tab.id === id ? { ...tab, ...change } : tab));
    this.#save();
  }

  close(id: string): void {
    const at = this.list.findIndex((tab) => tab.id === id);
    const tab = this.list[at];
    if (tab === undefined) return;
    this.onclose(tab);
    this.#closed = [tab, ...this.#closed].slice(0, MOST_CLOSED);
    this.list = this.list.toSpliced(at, 1);
    this.#used = this.#used.filter((each) => each !== id);
    if (this.activeId === id) this.#goTo(this.#nextTo(at)?.id ?? null);
    this.#drop(id);
    this.#save();
  }

  /** Where one goes from a tab that was closed: back to where one came from if that is beside it, else to the right. */
  #nextTo(at: number): Tab | undefined {
    const [right, left] = [this.list[at], this.list[at - 1]];
    return left !== undefined && left.id === this.#used.at(-1) ? left : (right ?? left);
  }

  closeOthers(id: string): void {
    for (const tab of this.list) if (tab.id !== id) this.close(tab.id);
  }

  reopenClosed(): void {
    const [tab, ...rest] = this.#closed;
    if (tab === undefined) return;
    this.#closed = rest;
    const found = this.#same(tab.kind, tab.params);
    // Under its own id: what is kept of it by that is found again.
    if (found === undefined) {
      this.#add(tab);
      this.#closeOldest();
    } else this.activate(found.id);
  }

  /** The thing a view keeps under this name while its tab is open; made on first use. */
  hold<T extends object>(tabId: string, name: string, make: () => T): T {
    let held = this.#held.get(tabId);
    if (held === undefined) {
      held = new Map();
      this.#held.set(tabId, held);
    }
    const known = held.get(name) ?? outlive(make);
    held.set(name, known);
    // A name stands for things of one type.
    return known.thing as T;
  }

  /** What `read` finds in the things that open tabs hold, by tab and name; null where there is nothing. */
  collect<T>(read: (thing: unknown) => T | null): Record<string, T> {
    const found: Record<string, T> = {};
    for (const [tabId, held] of this.#held) {
      for (const [name, { thing }] of held) {
        const value = read(thing);
        if (value !== null) found[`${tabId} ${name}`] = value;
      }
    }
    return found;
  }

  #drop(tabId: string): void {
    for (const { thing, end } of this.#held.get(tabId)?.values() ?? []) {
      if (isDisposable(thing)) thing.dispose();
      end();
    }
    this.#held.delete(tabId);
  }

  #save(): void {
    if (!this.isRestored) return;
    this.#keep.set(KEEP_KEY, { list: this.list, activeId: this.activeId });
  }
}

function isDisposable(value: object): value is Disposable {
  return 'dispose' in value;
}
