import { untrack } from 'svelte';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
import { gathered, inGroup, isSameSide, onSide, readGroups, type TabGroup } from '../lib/tab-groups.ts';
import {
  aboutOf,
  type ClosedTab,
  isAboutSame,
  isTab,
  type Tab,
  type TabKind,
  tabRow,
  withCurrentTitle,
} from '../lib/tab-kinds.ts';
import { NO_VISITS, type VisitedTabs, visit, visitedAt } from '../lib/visited-tabs.ts';
import { HeldObjects } from './held-objects.ts';
import type { ViewStateStorage } from './view-state-storage.ts';

export type { Tab, TabKind };

const KEEP_KEY = 'tabs';
const MAX_CLOSED = 20;
/** Default share of the left side in the width of a split window. */
const EQUAL_SHARE = 0.5;

export class TabsState {
  list = $state.raw<Tab[]>([]);
  /** The tab that has the focus. */
  activeId = $state<string | null>(null);
  /** The visible tab of the other side; null if there is only one side. */
  besideId = $state<string | null>(null);
  /** Share of the left side, if there are two. */
  share = $state(EQUAL_SHARE);
  groups = $state.raw<readonly TabGroup[]>([]);
  /** Whether the tabs of the active connection are restored. Until then no tabs are shown or stored. */
  isRestored = $state(false);
  readonly active = $derived(this.list.find((tab) => tab.id === this.activeId) ?? null);
  readonly beside = $derived(this.list.find((tab) => tab.id === this.besideId) ?? null);
  /** The visible tab of the left side and, if there is one, of the right side, each with the tabs of its strip. */
  readonly sides = $derived(
    (this.besideId === null ? [false] : [false, true]).map((isRight) => ({
      isRight,
      tabs: this.list.filter((tab) => (tab.isRight === true) === isRight),
      shown: [this.active, this.beside].find((tab) => (tab?.isRight === true) === isRight) ?? null,
    })),
  );

  readonly #keep: ViewStateStorage;
  readonly #held = new HeldObjects();
  /** Closed tabs, newest first. */
  #closed: ClosedTab[] = [];
  /** Ids of tabs in the order in which they were active, the last one at the end. */
  #used: string[] = [];
  #visited = $state.raw<VisitedTabs>(NO_VISITS);
  /** Whether Back or Forward is showing a visited tab, which does not count as a new visit. */
  #isReturning = false;
  readonly canGoBack = $derived(visitedAt(this.#visited, -1) !== null);
  readonly canGoForward = $derived(visitedAt(this.#visited, 1) !== null);
  /** Whether new tabs open on the other side. */
  #opensBeside = false;
  /** Whether closing this tab automatically would lose something, or hide something that the user is waiting for. */
  isProtected: (tab: Tab) => boolean = () => false;
  /** Returns the maximum number of tabs that stay open. */
  most: () => number = () => DEFAULT_SETTINGS.mostTabs;
  /** Called with each tab that was closed because too many were open. */
  onlimitreached: (closed: ClosedTab) => void = () => undefined;
  /** Called with each tab before it is removed. */
  onclose: (tab: Tab) => void = () => undefined;

  constructor(keep: ViewStateStorage) {
    this.#keep = keep;
  }

  /**
   * Restores the tabs that this connection had last, limited to those accepted by `comesBack`, or opens the given first
   * tab. Tabs opened since `clear` stay open too, as the user need not wait for the restore.
   */
  restore(first: TabKind, title: string, comesBack: (tab: Tab) => boolean = () => true): void {
    const early = this.list;
    const wanted = this.activeId;
    const stored = this.#keep.get(KEEP_KEY);
    const kept = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>;
    const { list, activeId, besideId, share } = kept;
    const restored = Array.isArray(list) ? list.filter(isTab).filter(comesBack).map(withCurrentTitle) : [];
    // Earlier versions could store several previews. Only the visible one stays a preview.
    const tabs = restored.map((tab) => (tab.id === activeId ? tab : { ...tab, isPassing: false }));
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

  /** Adds a tab that was opened before the restore. Returns the id of the tab that shows its content. */
  #join(tab: Tab): string {
    const found = this.#same(tab.kind, tab.params);
    if (found === undefined) return this.#add(tab).id;
    this.update(found.id, { params: { ...found.params, ...tab.params } });
    return found.id;
  }

  /** Closes all tabs, until those of another connection are loaded. */
  clear(): void {
    for (const tab of this.list) this.#held.drop(tab.id);
    this.isRestored = false;
    this.list = [];
    this.groups = [];
    this.activeId = null;
    this.besideId = null;
    this.#closed = [];
    this.#used = [];
    this.#visited = NO_VISITS;
  }

  /** Activates the tab that already shows this subject, or opens a new one next to the active tab. */
  open(kind: TabKind, title: string, params: Record<string, string> = {}): Tab {
    const found = this.#same(kind, params);
    if (found?.isPassing === true) this.keepOpen(found.id);
    // The id is never reused: a late answer belongs to its own tab, or to none.
    if (found === undefined) {
      const added = this.#add({ id: crypto.randomUUID(), kind, title, params });
      this.#closeOldest();
      return added;
    }
    this.activate(found.id);
    return found;
  }

  /** Opens the tabs that `act` opens on the other side, which is created if necessary. */
  openBeside(act: () => unknown): void {
    this.#opensBeside = true;
    try {
      act();
    } finally {
      this.#opensBeside = false;
    }
  }

  /**
   * Shows a place; its tab is used even if it shows a record of the place. A new tab is a preview: it replaces the
   * previous preview of its side, and the next one replaces it, unless the user changes something in it or keeps it
   * open.
   */
  openTop(kind: TabKind, title: string, params: Record<string, string> = {}): Tab {
    const found = this.#same(kind, params);
    const tab = found ?? this.#add({ id: crypto.randomUUID(), kind, title, params, isPassing: true });
    if (found === undefined) {
      this.#replacePreviews(tab);
      this.#closeOldest();
    } else this.activate(tab.id);
    const { below } = tabRow(kind);
    if (below !== undefined && tab.params[below] !== undefined) this.update(tab.id, { title, params });
    return tab;
  }

  /** Turns a preview into a tab that the next place does not replace. */
  keepOpen(id: string): void {
    if (this.list.some((tab) => tab.id === id && tab.isPassing === true))
      this.#change(id, { isPassing: false });
  }

  /** Whether the tab must not be closed automatically, whatever the user did in it. */
  #stays(tab: Tab): boolean {
    return tab.isPinned === true || tab.groupId !== undefined || this.isProtected(tab);
  }

  /** Closes the other previews on the side of the tab. */
  #replacePreviews(by: Tab): void {
    for (const tab of this.list)
      if (tab.isPassing === true && tab.id !== by.id && isSameSide(tab, by) && !this.#stays(tab))
        this.close(tab.id, false);
  }

  /** Shows the tab that was shown before (-1) or after (1) the current one. A closed tab is opened again. */
  goThrough(by: -1 | 1): void {
    const wanted = visitedAt(this.#visited, by);
    if (wanted === null) return;
    this.#isReturning = true;
    try {
      this.#visited = { ...this.#visited, at: this.#visited.at + by };
      this.#return(wanted);
    } finally {
      this.#isReturning = false;
    }
  }

  #return(wanted: Tab): void {
    const open = this.list.find(({ id }) => id === wanted.id) ?? this.#same(wanted.kind, wanted.params);
    if (open !== undefined) {
      this.activate(open.id);
      // The tab shows another record, or its list, by now.
      if (aboutOf(open) !== aboutOf(wanted))
        this.#change(open.id, { title: wanted.title, params: wanted.params });
    } else {
      this.#closed = this.#closed.filter(({ tab }) => tab.id !== wanted.id);
      const added = this.#add(wanted);
      if (added.isPassing === true) this.#replacePreviews(added);
    }
  }

  #change(id: string, change: Partial<Omit<Tab, 'id'>>): void {
    this.list = this.list.map((tab) => (tab.id === id ? { ...tab, ...change } : tab));
    const { active } = this;
    if (active?.id === id && !this.#isReturning) this.#visited = visit(this.#visited, active);
    this.#save();
  }

  /**
   * If too many tabs are open, closes unused tabs that were opened from the sidebar, beginning with the one not shown
   * for the longest time.
   */
  #closeOldest(): void {
    // Before the restore, it is not known which tabs have drafts.
    if (!this.isRestored) return;
    const lastUse = (tab: Tab) => this.#used.indexOf(tab.id);
    const oldest = this.list.toSorted((a, b) => lastUse(a) - lastUse(b));
    for (const tab of oldest) {
      if (this.list.length <= this.most()) return;
      const isShown = tab.id === this.activeId || tab.id === this.besideId;
      if (isShown || this.#stays(tab) || tab.isPassing !== true) continue;
      const closed = this.close(tab.id);
      if (closed !== null) this.onlimitreached(closed);
    }
  }

  /** Pins or unpins a tab. A pinned tab is never closed automatically. */
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

  /** Inserts a tab after the visible one of that side. */
  #put(tab: Tab, isRight: boolean): void {
    const others = this.list.filter(({ id }) => id !== tab.id);
    const shown = [this.active, this.beside].find(
      (each) => each !== null && (each.isRight === true) === isRight,
    );
    const at = others.findIndex(({ id }) => id === shown?.id);
    this.list = others.toSpliced(at === -1 ? others.length : at + 1, 0, onSide(tab, isRight));
  }

  /** Activates a tab. The side that loses the focus keeps its visible tab. */
  #goTo(id: string | null): void {
    const [from, to] = [this.active, this.list.find((tab) => tab.id === id)];
    if (from !== null && to !== undefined && !isSameSide(from, to)) this.besideId = from.id;
    this.activeId = id;
    if (to !== undefined && !this.#isReturning) this.#visited = visit(this.#visited, to);
    if (id !== null) this.#used = [...this.#used.filter((each) => each !== id), id];
  }

  /**
   * To be called after any change of the list: makes groups contiguous, and removes empty groups and sides without
   * tabs.
   */
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

  /** Moves a tab to the other side. If there is one side with several tabs, this creates the second side. */
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

  /** Merges both sides. */
  join(): void {
    this.list = this.list.map((tab) => onSide(tab, false));
    this.#settle();
    this.#save();
  }

  setShare(share: number): void {
    this.share = share;
    this.#save();
  }

  /** Moves a tab before another one and into its group; to the end of a side if `before` is null. */
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
    // Between two tabs of a group, the tab joins the group; before the first one it does not.
    const groupId = right?.groupId !== undefined && left?.groupId === right.groupId ? right.groupId : null;
    const stays = tab.groupId !== undefined && [left?.groupId, right?.groupId].includes(tab.groupId);
    const placed = inGroup(moved, stays ? (tab.groupId ?? null) : groupId);
    this.list = others.toSpliced(at === -1 ? others.length : at, 0, placed);
    this.#settle();
    this.#save();
  }

  /** Moves a tab by one position among the tabs of its side. */
  moveBy(id: string, by: 1 | -1): void {
    const tab = this.list.find((each) => each.id === id);
    if (tab === undefined) return;
    const own = this.list.filter((each) => isSameSide(each, tab));
    const at = own.findIndex((each) => each.id === id);
    const to = at + by;
    if (to < 0 || to >= own.length) return;
    this.place(id, own[by === 1 ? to + 1 : to]?.id ?? null, tab.isRight === true);
  }

  /** Creates a group for a tab, or changes the name or colour of an existing group, or collapses or expands it. */
  setGroup(group: TabGroup): void {
    const isKnown = this.groups.some(({ id }) => id === group.id);
    this.groups = isKnown
      ? this.groups.map((each) => (each.id === group.id ? group : each))
      : [...this.groups, group];
    this.#save();
  }

  /** Moves a tab into a group, or out of its group. */
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

  /** Removes a group. Its tabs stay open. */
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
   * The state of a tab for its view: the current state, or the last one after the tab was closed. It never switches to
   * another tab, so that an answer that arrives after the view was left applies to the right tab.
   */
  follow(opened: Tab): { readonly tab: Tab } {
    let last = opened;
    const find = () => {
      // While the tab is visible, its view does not depend on changes of other tabs.
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

  /** Activates the next or previous tab of the active side, cyclically. Hidden tabs of collapsed groups are skipped. */
  step(by: 1 | -1): void {
    const { active } = this;
    if (active === null) return;
    const isFolded = ({ groupId }: Tab) => this.groups.find(({ id }) => id === groupId)?.isFolded === true;
    const own = this.list.filter((tab) => isSameSide(tab, active) && (tab === active || !isFolded(tab)));
    const next = own[(own.indexOf(active) + by + own.length) % own.length];
    if (next !== undefined) this.activate(next.id);
  }

  update(id: string, change: { title?: string; params?: Record<string, string> }): void {
    this.#change(id, change);
  }

  /**
   * Returns the closed tab, for `reopenClosed`; null if it was not open. `isListed`: it can be the last closed tab.
   */
  close(id: string, isListed = true): ClosedTab | null {
    const at = this.list.findIndex((tab) => tab.id === id);
    const tab = this.list[at];
    if (tab === undefined) return null;
    this.onclose(tab);
    const closed = { tab, at, group: this.groups.find((each) => each.id === tab.groupId) ?? null };
    if (isListed) this.#closed = [closed, ...this.#closed].slice(0, MAX_CLOSED);
    const place = this.list.filter((each) => isSameSide(each, tab)).indexOf(tab);
    this.list = this.list.toSpliced(at, 1);
    this.#used = this.#used.filter((each) => each !== id);
    const next = this.#nextTo(tab, place)?.id ?? null;
    if (this.activeId === id) this.#goTo(next ?? this.besideId ?? this.list[0]?.id ?? null);
    else if (this.besideId === id) this.besideId = next;
    this.#settle();
    this.#held.drop(id);
    this.#save();
    return closed;
  }

  /**
   * The tab that becomes active on its side after a tab is removed: the previously active one if it is adjacent,
   * otherwise the next one to the right. `at`: index of the removed tab on its side.
   */
  #nextTo(tab: Tab, at: number): Tab | undefined {
    const own = this.list.filter((each) => each.id !== tab.id && isSameSide(each, tab));
    const [right, left] = [own[at], own[at - 1]];
    const last = this.#used.findLast((id) => id !== tab.id);
    return left !== undefined && left.id === last ? left : (right ?? left);
  }

  /** Reopens a tab, by default the one that was closed last, at its position, on its side and in its group. */
  reopenClosed(closed = this.#closed[0]): void {
    if (closed === undefined) return;
    const { tab, at, group } = closed;
    this.#closed = this.#closed.filter((each) => each.tab.id !== tab.id);
    const same = this.list.find((each) => each.id === tab.id) ?? this.#same(tab.kind, tab.params);
    if (same !== undefined) {
      this.activate(same.id);
      return;
    }
    if (group !== null && this.groups.every((each) => each.id !== group.id))
      this.groups = [...this.groups, group];
    // The tab keeps its id, so that data stored under the id is found again.
    this.list = this.list.toSpliced(at, 0, { ...tab, isPassing: false });
    this.#goTo(tab.id);
    this.#settle();
    this.#save();
    this.#closeOldest();
  }

  /** The object that a view keeps under this name while its tab is open, created on first use. */
  hold<T extends object>(tabId: string, name: string, make: () => T): T {
    return this.#held.hold(tabId, name, make);
  }

  /** Whether the tab that a view belongs to is visible. Views without a tab are. */
  isViewShown(viewId: string): boolean {
    const isOf = (tab: Tab | null) => viewId.startsWith(`tab-${tab?.id}.`);
    return !viewId.startsWith('tab-') || isOf(this.active) || isOf(this.beside);
  }

  /** Ends every selection of rows. */
  forgetRows(): void {
    this.#held.forgetRows();
  }

  /** The results of `read` for the objects of open tabs, by tab and name. Null results are omitted. */
  collect<T>(read: (thing: unknown) => T | null): Record<string, T> {
    return this.#held.collect(read);
  }

  #save(): void {
    if (!this.isRestored) return;
    const { list, activeId, besideId, share, groups } = this;
    this.#keep.set(KEEP_KEY, { list, activeId, besideId, share, groups });
  }
}
