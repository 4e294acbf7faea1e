import { untrack } from 'svelte';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
import { gathered, inGroup, isSameSide, onSide, readGroups, type TabGroup } from '../lib/tab-groups.ts';
import { BELOW, isAboutSame, isTab, type Tab, type TabKind } from '../lib/tab-kinds.ts';
import type { Keep } from './keep.ts';
import { outlive } from './outlive.svelte.ts';

export type { Tab, TabKind };

/** What a view holds while its tab is open, so that coming back to it loses nothing. */
interface Disposable {
  dispose(): void;
}

const KEEP_KEY = 'tabs';
const MOST_CLOSED = 20;
/** Of the room, for the left of two sides. */
const EQUAL_SHARE = 0.5;

export class TabsState {
  list = $state.raw<Tab[]>([]);
  /** The tab that is worked in. */
  activeId = $state<string | null>(null);
  /** The tab that is shown on the other side; null where there is one side. */
  besideId = $state<string | null>(null);
  /** Part of the room that the left side has, where there are two. */
  share = $state(EQUAL_SHARE);
  groups = $state.raw<readonly TabGroup[]>([]);
  /** Are the tabs of the connection at hand there? Until then none is shown, and nothing is kept. */
  isRestored = $state(false);
  readonly active = $derived(this.list.find((tab) => tab.id === this.activeId) ?? null);
  readonly beside = $derived(this.list.find((tab) => tab.id === this.besideId) ?? null);
  /** What is shown at the left and, where there are two sides, at the right; each with the tabs of its strip. */
  readonly sides = $derived(
    (this.besideId === null ? [false] : [false, true]).map((isRight) => ({
      isRight,
      tabs: this.list.filter((tab) => (tab.isRight === true) === isRight),
      shown: [this.active, this.beside].find((tab) => (tab?.isRight === true) === isRight) ?? null,
    })),
  );

  readonly #keep: Keep;
  readonly #held = new Map<string, Map<string, { thing: object; end: () => void }>>();
  /** Newest first, with what is needed to put them where they stood. */
  #closed: { tab: Tab; at: number; group: TabGroup | null }[] = [];
  /** Ids of tabs, the one that was active last at the end. */
  #used: string[] = [];
  /** Does what opens now open on the other side? */
  #opensBeside = false;
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
    const kept = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
    const { list, activeId, besideId, share } = kept;
    const tabs = Array.isArray(list) ? list.filter(isTab).filter(comesBack) : [];
    this.list = tabs;
    this.groups = readGroups(kept['groups']);
    this.share = typeof share === 'number' && share > 0 && share < 1 ? share : EQUAL_SHARE;
    this.#goTo(tabs.find((tab) => tab.id === activeId)?.id ?? tabs[0]?.id ?? null);
    this.besideId = tabs.find((tab) => tab.id === besideId)?.id ?? null;
    this.#settle();
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
    this.groups = [];
    this.activeId = null;
    this.besideId = null;
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

  /** What `act` opens stands on the other side, which is made where there is one side only. */
  openBeside(act: () => unknown): void {
    this.#opensBeside = true;
    try {
      act();
    } finally {
      this.#opensBeside = false;
    }
  }

  /** Goes to the list of a section, also where its tab shows something in it. A new tab makes room until it is worked in. */
  openTop(kind: TabKind, title: string, params: Record<string, string> = {}): Tab {
    const isNew = this.#same(kind, params) === undefined;
    const tab = this.open(kind, title, params);
    if (isNew) this.#change(tab.id, { isPassing: true });
    const below = BELOW[kind];
    if (below !== undefined && tab.params[below] !== undefined) this.update(tab.id, { title, params });
    return tab;
  }

  /** A person works in the tab: from now on it stays open. */
  touch(id: string): void {
    if (this.list.some((tab) => tab.id === id && tab.isPassing === true))
      this.#change(id, { isPassing: false });
  }

  #change(id: string, change: Partial<Omit<Tab, 'id'>>): void {
    this.list = this.list.map((tab) => (tab.id === id ? { ...tab, ...change } : tab));
    this.#save();
  }

  /** Beyond the limit, tabs of the sidebar that nobody worked in make room, the one not looked at for longest first. */
  #closeOldest(): void {
    // What is typed in them is not known before they are back.
    if (!this.isRestored) return;
    const lastUse = (tab: Tab) => this.#used.indexOf(tab.id);
    const oldest = this.list.toSorted((a, b) => lastUse(a) - lastUse(b));
    for (const tab of oldest) {
      if (this.list.length <= this.most()) return;
      const isShown = tab.id === this.activeId || tab.id === this.besideId;
      const stays = isShown || tab.isPinned === true || tab.groupId !== undefined || this.mustStay(tab);
      if (stays || tab.isPassing !== true) continue;
      this.close(tab.id);
      this.oncrowded(tab);
    }
  }

  /** A pinned tab stays open however many there are. */
  setPinned(id: string, isPinned: boolean): void {
    this.#change(id, { isPinned });
  }

  #same(kind: TabKind, params: Record<string, string>): Tab | undefined {
    return this.list.find((tab) => tab.kind === kind && isAboutSame(kind, tab.params, params));
  }

  #add(tab: Tab): Tab {
    const isRight = (this.active?.isRight === true) !== this.#opensBeside && this.active !== null;
    const group = this.groups.find(({ id }) => id === tab.groupId);
    this.#put(inGroup(tab, group?.id ?? null), isRight);
    this.#goTo(tab.id);
    this.#settle();
    this.#save();
    return this.list.find(({ id }) => id === tab.id) ?? tab;
  }

  /** Behind the tab that is shown on that side. */
  #put(tab: Tab, isRight: boolean): void {
    const others = this.list.filter(({ id }) => id !== tab.id);
    const shown = [this.active, this.beside].find(
      (each) => each !== null && (each.isRight === true) === isRight,
    );
    const at = others.findIndex(({ id }) => id === shown?.id);
    this.list = others.toSpliced(at === -1 ? others.length : at + 1, 0, onSide(tab, isRight));
  }

  /** The side that is left goes on showing what it shows. */
  #goTo(id: string | null): void {
    const [from, to] = [this.active, this.list.find((tab) => tab.id === id)];
    if (from !== null && to !== undefined && !isSameSide(from, to)) this.besideId = from.id;
    this.activeId = id;
    if (id !== null) this.#used = [...this.#used.filter((each) => each !== id), id];
  }

  /** After any change of the list: groups stand together, empty ones go, and a side without tabs is none. */
  #settle(): void {
    const known = new Set(this.groups.map(({ id }) => id));
    const hasGroup = ({ groupId }: Tab) => groupId === undefined || known.has(groupId);
    this.list = gathered(this.list.map((tab) => (hasGroup(tab) ? tab : inGroup(tab, null))));
    this.groups = this.groups.filter(({ id }) => this.list.some(({ groupId }) => groupId === id));
    const { active } = this;
    const others = active === null ? [] : this.list.filter((tab) => !isSameSide(tab, active));
    if (others.length === 0) {
      this.besideId = null;
      if (active?.isRight === true) this.list = this.list.map((tab) => onSide(tab, false));
    } else if (others.every(({ id }) => id !== this.besideId)) {
      const lastUse = ({ id }: Tab) => this.#used.indexOf(id);
      this.besideId = others.toSorted((a, b) => lastUse(b) - lastUse(a))[0]?.id ?? null;
    }
  }

  /** To the other side; where there is one side only and a second tab, there are two then. */
  moveAcross(id: string): void {
    const tab = this.list.find((each) => each.id === id);
    if (tab === undefined || this.list.length < 2) return;
    const at = this.list.filter((each) => isSameSide(each, tab)).findIndex((each) => each.id === id);
    const wasActive = id === this.activeId;
    if (wasActive) this.activeId = this.#nextTo(tab, at)?.id ?? this.besideId;
    this.#put(inGroup(tab, null), tab.isRight !== true);
    if (wasActive || this.besideId === null) this.#goTo(id);
    this.#settle();
    this.#save();
  }

  /** One side again, with the tabs of both. */
  join(): void {
    this.list = this.list.map((tab) => onSide(tab, false));
    this.#settle();
    this.#save();
  }

  setShare(share: number): void {
    this.share = share;
    this.#save();
  }

  /** Puts a tab before another one, into the group of that one; at the end of a side where `before` is null. */
  place(id: string, before: string | null, isRight: boolean): void {
    const tab = this.list.find((each) => each.id === id);
    if (tab === undefined || id === before) return;
    if ((tab.isRight === true) !== isRight) this.moveAcross(id);
    const moved = this.list.find((each) => each.id === id) ?? tab;
    const others = this.list.filter((each) => each.id !== id);
    const at = others.findIndex((each) => each.id === before);
    const own = others.filter((each) => isSameSide(each, moved));
    const beforeAt = own.findIndex((each) => each.id === before);
    const [left, right] = [own[(beforeAt === -1 ? own.length : beforeAt) - 1], own[beforeAt]];
    // Between two of a group one is in it; before the first of it, beside it.
    const groupId = right?.groupId !== undefined && left?.groupId === right.groupId ? right.groupId : null;
    const stays = tab.groupId !== undefined && [left?.groupId, right?.groupId].includes(tab.groupId);
    const placed = inGroup(moved, stays ? (tab.groupId ?? null) : groupId);
    this.list = others.toSpliced(at === -1 ? others.length : at, 0, placed);
    this.#settle();
    this.#save();
  }

  /** By one place among the tabs of its side. */
  nudge(id: string, by: 1 | -1): void {
    const tab = this.list.find((each) => each.id === id);
    if (tab === undefined) return;
    const own = this.list.filter((each) => isSameSide(each, tab));
    const at = own.findIndex((each) => each.id === id);
    const to = at + by;
    if (to < 0 || to >= own.length) return;
    this.place(id, own[by === 1 ? to + 1 : to]?.id ?? null, tab.isRight === true);
  }

  /** A group of its own for a tab, or another name, colour or folding of one that is there. */
  setGroup(group: TabGroup): void {
    const isKnown = this.groups.some(({ id }) => id === group.id);
    this.groups = isKnown
      ? this.groups.map((each) => (each.id === group.id ? group : each))
      : [...this.groups, group];
    this.#save();
  }

  /** Puts a tab into a group that is there, or into none. */
  groupTab(id: string, groupId: string | null): void {
    const tab = this.list.find((each) => each.id === id);
    if (tab === undefined || tab.groupId === (groupId ?? undefined)) return;
    const last = this.list.findLast((each) => each.groupId === (groupId ?? tab.groupId));
    const isRight = (groupId === null ? tab : (last ?? tab)).isRight === true;
    if ((tab.isRight === true) !== isRight) this.moveAcross(id);
    const others = this.list.filter((each) => each.id !== id);
    const at = last === undefined || last.id === id ? this.list.findIndex((each) => each.id === id) : -1;
    const behind = at === -1 ? others.findIndex((each) => each.id === last?.id) + 1 : at;
    this.list = others.toSpliced(behind, 0, inGroup(onSide(tab, isRight), groupId));
    this.#settle();
    this.#save();
  }

  /** Its tabs stay, in no group. */
  dissolveGroup(groupId: string): void {
    this.groups = this.groups.filter(({ id }) => id !== groupId);
    this.#settle();
    this.#save();
  }

  activate(id: string): void {
    const [from, to] = [this.active, this.list.find((tab) => tab.id === id)];
    const isMoved = this.#opensBeside && from !== null && to !== undefined && to !== from;
    if (isMoved && isSameSide(from, to)) this.#put(inGroup(to, null), from.isRight !== true);
    this.#goTo(id);
    if (isMoved) this.#settle();
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
      const { active, beside } = this;
      const shown = [active, beside].find((tab) => tab?.id === opened.id) ?? null;
      if (shown !== null) return shown;
      return untrack(() => this.list.find(({ id }) => id === opened.id)) ?? last;
    };
    return {
      get tab() {
        last = find();
        return last;
      },
    };
  }

  /** Steps through the tabs of the side that is worked in, around the ends; not through those that are folded. */
  step(by: 1 | -1): void {
    const { active } = this;
    if (active === null) return;
    const isFolded = ({ groupId }: Tab) => this.groups.find(({ id }) => id === groupId)?.isFolded === true;
    const own = this.list.filter((tab) => isSameSide(tab, active) && (tab === active || !isFolded(tab)));
    const next = own[(own.indexOf(active) + by + own.length) % own.length];
    if (next !== undefined) this.activate(next.id);
  }

  update(id: string, change: { title?: string; params?: Record<string, string> }): void {
    const isWork = change.params !== undefined;
    this.#change(id, { ...change, ...(isWork ? { isPassing: false } : {}) });
  }

  close(id: string): void {
    const at = this.list.findIndex((tab) => tab.id === id);
    const tab = this.list[at];
    if (tab === undefined) return;
    this.onclose(tab);
    const group = this.groups.find((each) => each.id === tab.groupId) ?? null;
    this.#closed = [{ tab, at, group }, ...this.#closed].slice(0, MOST_CLOSED);
    const place = this.list.filter((each) => isSameSide(each, tab)).indexOf(tab);
    this.list = this.list.toSpliced(at, 1);
    this.#used = this.#used.filter((each) => each !== id);
    const next = this.#nextTo(tab, place)?.id ?? null;
    if (this.activeId === id) this.#goTo(next ?? this.besideId ?? this.list[0]?.id ?? null);
    else if (this.besideId === id) this.besideId = next;
    this.#settle();
    this.#drop(id);
    this.#save();
  }

  /**
   * Where one goes on its side from a tab that is not there any more: back to where one came from if that is beside
   * it, else to the right. `at`: where it stood among the tabs of its side.
   */
  #nextTo(tab: Tab, at: number): Tab | undefined {
    const own = this.list.filter((each) => each.id !== tab.id && isSameSide(each, tab));
    const [right, left] = [own[at], own[at - 1]];
    const last = this.#used.findLast((id) => id !== tab.id);
    return left !== undefined && left.id === last ? left : (right ?? left);
  }

  /** Opens the tab that was closed last, or the one of this id, where it stood: on its side and in its group. */
  reopenClosed(id?: string): void {
    const found = this.#closed.find(({ tab }) => id === undefined || tab.id === id);
    if (found === undefined) return;
    this.#closed = this.#closed.filter((each) => each !== found);
    const { tab, at, group } = found;
    const same = this.#same(tab.kind, tab.params);
    if (same !== undefined) {
      this.activate(same.id);
      return;
    }
    if (group !== null && this.groups.every((each) => each.id !== group.id))
      this.groups = [...this.groups, group];
    // Under its own id: what is kept of it by that is found again.
    this.list = this.list.toSpliced(at, 0, { ...tab, isPassing: false });
    this.#goTo(tab.id);
    this.#settle();
    this.#save();
    this.#closeOldest();
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
    const { list, activeId, besideId, share, groups } = this;
    this.#keep.set(KEEP_KEY, { list, activeId, besideId, share, groups });
  }
}

function isDisposable(value: object): value is Disposable {
  return 'dispose' in value;
}
