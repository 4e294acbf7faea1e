/**
 * The root of the window's state. Views read it directly; among the components below the views, only the frame does.
 */

import type { AppInfo } from '../../electron/shared/contract.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { base64Of } from '../lib/blob-base64.ts';
import { client } from '../lib/client.ts';
import { type KeptDraft, notKeptReason } from '../lib/drafts.ts';
import { followFormats } from '../lib/format.ts';
import { followPrivacy } from '../lib/message-privacy.ts';
import { followShortcuts } from '../lib/part-keys.ts';
import { scopeTitle } from '../lib/span-scope.ts';
import { nextColour, type TabGroup } from '../lib/tab-groups.ts';
import { type ClosedTab, TAB_KINDS, tabRow } from '../lib/tab-kinds.ts';
import { clock } from './clock.svelte.ts';
import { ConnectionsState } from './connections.svelte.ts';
import { DraftsState } from './drafts.svelte.ts';
import { InspectorState } from './inspector.svelte.ts';
import { NetworkState } from './network.svelte.ts';
import { shownViews } from './open-again.ts';
import { RecentsState } from './recents.svelte.ts';
import { refused } from './refused.ts';
import { SavedViewsState } from './saved-views.svelte.ts';
import { SettingsState } from './settings.svelte.ts';
import * as notices from './start-notices.ts';
import { type Tab, TabsState } from './tabs.svelte.ts';
import { toast, toastError } from './toast.ts';
import { UndoHistory } from './undo-history.svelte.ts';
import { connectionBackend, settingsBackend, ViewStateStorage } from './view-state-storage.ts';

const PLACES_KEY = 'places';
const PLACES_AFTER_MS = 1_000;
const LEFT_KEY = 'left';
/** Stands in for a tab while the form for the first connection is shown. */
export const FIRST_FORM: Tab = { id: 'first', kind: 'connection', title: 'New connection', params: {} };

export class AppState {
  phase = $state<'starting' | 'ready' | 'failed'>('starting');
  startError = $state.raw<AppError | null>(null);
  info = $state.raw<AppInfo | null>(null);
  isPaletteOpen = $state(false);
  isSheetOpen = $state(false);
  isAboutOpen = $state(false);
  packDialog = $state<'create' | 'open' | null>(null);
  /** While there is no connection: whether the form for one is shown instead of the welcome screen. */
  isConnecting = $state(false);
  /**
   * How often the active connection was reopened while its views were shown. They are created again when it changes.
   * Lists and records, which tabs keep, open again on their own: see `open-again.ts`.
   */
  reopenings = $state(0);
  /** When the active connection was last left; null if it never was. */
  leftAtMs = $state<number | null>(null);
  /** A tab that is closed only after confirmation, because its input cannot be stored, with the reason for that. */
  closing = $state.raw<{ tabId: string; title: string; reason: string } | null>(null);
  /** A tab group whose name and colour are being entered, with its first tab if the group is new. */
  grouping = $state.raw<{ group: TabGroup; tabId: string | null } | null>(null);

  readonly settings = new SettingsState();
  readonly connections = new ConnectionsState();
  readonly network = new NetworkState();
  /** Local actions that can be undone. */
  readonly undoHistory = new UndoHistory();
  readonly keep = new ViewStateStorage(connectionBackend);
  readonly tabs = new TabsState(this.keep);
  readonly drafts = new DraftsState(this.keep);
  readonly recents = new RecentsState(this.keep);
  readonly views = new SavedViewsState(this.keep, this.tabs);
  readonly #firstStorage = new ViewStateStorage(settingsBackend);
  /** Drafts of the form of the first connection, which has no tab. */
  readonly firstDrafts = new DraftsState(this.#firstStorage);
  readonly inspector = new InspectorState();

  /** The connection whose tabs are shown or loading, and a promise that resolves when they are loaded. */
  #entering: { readonly connectionId: string; done: Promise<void> } | null = null;

  #isReadingAgain = false;

  #placesTimer: ReturnType<typeof setTimeout> | null = null;

  /** Connections whose tabs were shown since the window loaded. */
  readonly #entered = new Set<string>();

  /** Closes what belongs to the left connection but is outside of its tabs, for example a dialog about a list. */
  readonly #onleave = new Set<() => void>();

  constructor() {
    this.connections.onactivate = (connectionId) => {
      if (connectionId === null) this.#leave();
      // No error is reported here: the caller that chose the connection waits for the same promise and reports it.
      else this.enter(connectionId).catch(() => undefined);
    };
    this.keep.onunwritten = () => void this.#readAgain();
    shownViews.isShown = (viewId) => this.tabs.isViewShown(viewId);
    this.tabs.isProtected = (tab) => this.drafts.hasInput(tab.id) || tab.params['draft'] !== undefined;
    this.settings.onchange = (change) => {
      const undo = () =>
        this.settings.lastChange === change
          ? this.settings.put(change.before, change.title)
          : this.settings.set(change.before);
      const redo = () => this.settings.put(change.after, change.title);
      this.undoHistory.push(`${change.title} changed`, { undo, redo }, { isQuiet: true });
    };
    followFormats(() => this.settings.formats);
    followPrivacy(() => (this.settings.all.privacy ? this.names : null));
    this.network.onaccepted = (connectionId) => {
      if (connectionId === this.connections.activeId) void refused.retry(Date.now(), false);
    };
    followShortcuts(() => this.settings.all.shortcuts);
    this.views.onreplace = (tabId) => this.drafts.setAside(tabId);
    this.tabs.most = () => this.settings.all.mostTabs;
    this.tabs.onlimitreached = (closed) => {
      const { activeId } = this.connections;
      notices.sayCrowded(this.tabs.most(), () => {
        // A tab of a connection that was left meanwhile must not appear in another one.
        if (this.connections.activeId === activeId) this.tabs.reopenClosed(closed);
      });
    };
    this.tabs.onclose = (tab) => {
      const [draft] = this.drafts.leave(tab);
      if (draft === undefined) return;
      toast(`Draft of “${tab.title}” saved`, {
        action: { label: 'Reopen', onClick: () => this.openDraft(draft) },
      });
    };
  }

  /** Names of things that are open, were opened or are connected. Privacy mode hides them everywhere. */
  get names(): string[] {
    const things = [...this.tabs.list, ...this.recents.list].filter(({ kind }) => tabRow(kind).isNamed);
    const scopes = [...this.tabs.list, ...this.recents.list].flatMap(({ title, params }) => {
      const { scope: kind, scope_id: id = '' } = params;
      return kind === 'session' || kind === 'trace' ? [{ title, kind, id } as const] : [];
    });
    return [
      ...scopes.flatMap(({ kind, id }) => (kind === 'session' ? id : [])),
      // A trace or session is named by its first question, once that is known.
      ...scopes.flatMap((scope) => (scope.title === scopeTitle(scope, '') ? [] : scope.title)),
      ...things.filter(({ params }) => Object.keys(params).length > 0).map(({ title }) => title),
      ...[...this.connections.list, ...this.views.list].map(({ name }) => name),
      ...this.connections.list.map(({ baseUrl }) => baseUrl),
    ];
  }

  async start(): Promise<void> {
    this.phase = 'starting';
    try {
      this.network.listen();
      client.on('connections:session-closed', ({ connectionId, isMoved }) => {
        if (isMoved && connectionId === this.connections.activeId) this.#forgetRows();
        void this.#readAgain();
      });
      // The first answer of the service shows that the connection could be opened.
      client.on('connections:network-changed', () => void this.#readAgain());
      const [info] = await Promise.all([
        client.invoke('app:get-info'),
        this.settings.load(),
        this.connections.load(),
        this.#firstStorage.load(FIRST_FORM.id),
      ]);
      this.info = info;
      if (info.crash !== null) notices.sayCrash(info.crash);
      if (info.brokenRun !== null) notices.sayBrokenRun(info.brokenRun);
      if (info.notice !== null) notices.sayNotice(info.notice);
      this.firstDrafts.load([FIRST_FORM]);
      if (this.connections.active !== null) await this.enter(this.connections.active.id);
      this.phase = 'ready';
    } catch (thrown) {
      this.startError = toAppError(thrown);
      this.phase = 'failed';
    }
  }

  /** Shows the tabs of a connection. Repeated calls share one operation. */
  enter(connectionId: string): Promise<void> {
    if (this.#entering?.connectionId === connectionId) return this.#entering.done;
    this.#leave();
    const entering = { connectionId, done: Promise.resolve() };
    this.#entering = entering;
    const read = async () => {
      // Started at the same time, so that a reloaded window does not wait for the answers one after the other.
      const network = this.network.load(connectionId);
      // If restoring the tabs fails first, only that error is reported.
      network.catch(() => undefined);
      await this.keep.load(connectionId);
      const canOpen = () =>
        network.then(
          () => true,
          () => false,
        );
      const isEntered = () => this.#entering === entering;
      if (isEntered() && this.keep.isUnread && (await canOpen()) && isEntered())
        await this.keep.load(connectionId);
      if (!isEntered()) return;
      if (this.keep.isUnread) notices.sayUnread();
      this.isConnecting = false;
      this.inspector.clear();
      const left = this.keep.get(LEFT_KEY);
      this.leftAtMs = typeof left === 'number' ? left : null;
      this.recents.load();
      this.views.load();
      this.tabs.restore('start', 'Home', (tab) => this.#comesBack(connectionId, tab));
      if (!this.keep.isUnread) this.#entered.add(connectionId);
      this.drafts.load(this.tabs.list);
      await network;
    };
    entering.done = read().catch((thrown: unknown) => {
      if (this.#entering === entering) this.#entering = null;
      throw thrown;
    });
    return entering.done;
  }

  /**
   * Reads the stored layout of the active connection if this failed when the connection was entered. Then creates its
   * views again; tabs that were opened meanwhile stay open.
   */
  async #readAgain(): Promise<void> {
    const { connectionId } = this.keep;
    if (this.#isReadingAgain || !this.keep.isUnread || connectionId === null) return;
    this.#isReadingAgain = true;
    try {
      const canRead = await this.keep.canRead();
      // Input that cannot be stored would be lost, and an open dialog would be closed.
      const isLossy =
        this.drafts.list.some(({ value }) => notKeptReason(value) !== null) ||
        document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
      if (!canRead || isLossy || !this.keep.isUnread || this.keep.connectionId !== connectionId) return;
      const { list, activeId } = this.tabs;
      this.#entering = null;
      const entered = this.enter(connectionId);
      for (const [at, tab] of list.entries()) this.tabs.reopenClosed({ tab, at, group: null });
      if (activeId !== null) this.tabs.activate(activeId);
      await entered;
      if (!this.keep.isUnread) notices.sayRead();
    } catch (thrown) {
      toastError(toAppError(thrown).toWire().title, { description: toAppError(thrown).message });
    } finally {
      this.#isReadingAgain = false;
    }
  }

  /** Whether a tab of the last run is restored: all of them, or only pinned ones and those with input. */
  #comesBack(connectionId: string, tab: Tab): boolean {
    const isOfThisRun = this.#entered.has(connectionId);
    if (this.settings.all.restoresTabs || isOfThisRun || tab.isPinned === true) return true;
    return tab.params['draft'] !== undefined || this.drafts.isKeptOf(tab.id);
  }

  /** The state of one connection must not be shown or stored as that of the next. */
  #leave(): void {
    this.#rememberPlaces();
    notices.endUnread();
    this.undoHistory.clear();
    this.tabs.clear();
    this.closing = null;
    this.grouping = null;
    if (this.packDialog === 'create') this.packDialog = null;
    if (this.views.dialog?.about === 'save') this.views.dialog = null;
    for (const close of this.#onleave) close();
    this.#entering = null;
  }

  /** Ends selections, so that no action applies to rows of the former service. */
  #forgetRows(): void {
    this.inspector.clear();
    this.tabs.forgetRows();
  }

  /** Calls `close` whenever the active connection is left. Returns a function that ends this. */
  whenLeft(close: () => void): () => void {
    this.#onleave.add(close);
    return () => this.#onleave.delete(close);
  }

  /** Closes a tab on the user's request; asks first if its input cannot be stored. */
  closeTab(tabId: string): void {
    const tab = this.tabs.list.find(({ id }) => id === tabId);
    if (tab !== undefined) this.closeTabs([tab], `Closed “${tab.title}”`, true);
  }

  /**
   * Closes tabs on the user's request. A tab whose input cannot be stored stays open, and the user is asked about it.
   */
  closeTabs(tabs: readonly Tab[], done: string, isQuiet = false): void {
    let closed = this.#closeAll(tabs);
    if (closed.length === 0) return;
    const undo = () => {
      // In reverse order, so that each tab returns to its position.
      for (const each of closed.toReversed()) this.tabs.reopenClosed(each);
    };
    const redo = () => {
      closed = this.#closeAll(tabs);
    };
    this.undoHistory.push(done, { undo, redo }, { isQuiet });
  }

  /** Returns the closed tabs. Asks about the first one whose input cannot be stored. */
  #closeAll(tabs: readonly Tab[]): ClosedTab[] {
    const closed = tabs.flatMap(({ id }) =>
      this.drafts.lossReason(id) === null ? (this.tabs.close(id) ?? []) : [],
    );
    for (const { id, title } of tabs) {
      const reason = this.tabs.list.some((tab) => tab.id === id) ? this.drafts.lossReason(id) : null;
      if (reason === null) continue;
      this.closing = { tabId: id, title, reason };
      break;
    }
    return closed;
  }

  /** Adds or removes the star of a tab's subject. */
  star(tab: Pick<Tab, 'kind' | 'title' | 'params'>, isStarred: boolean): void {
    const set = (to: boolean) => this.recents.setStarred(tab, to, clock.nowMs);
    set(isStarred);
    const done = isStarred ? `Star of “${tab.title}”` : `Star removed from “${tab.title}”`;
    this.undoHistory.push(
      done,
      { undo: () => set(!isStarred), redo: () => set(isStarred) },
      { isQuiet: true },
    );
  }

  /** Asks for the name and colour of a new group that starts with this tab. */
  askGroup(tab: Tab): void {
    const colour = nextColour(this.tabs.groups);
    const group = { id: crypto.randomUUID(), name: tab.title, colour, isFolded: false };
    this.grouping = { group, tabId: tab.id };
  }

  editGroup(group: TabGroup): void {
    this.grouping = { group, tabId: null };
  }

  /** Closes a tab whose subject no longer exists, and discards input about it. */
  dropTab(tabId: string): void {
    this.drafts.forget(tabId);
    this.tabs.close(tabId);
  }

  /** Opens the form of a draft with its input, in the tab that already has it, or in the open tab of its subject. */
  openDraft({ id, left }: KeptDraft): void {
    const draft = this.drafts.list.find((each) => each.id === id);
    if (draft?.left === null && this.tabs.list.some((tab) => tab.id === draft.tabId)) {
      this.tabs.activate(draft.tabId);
      return;
    }
    const kind = TAB_KINDS.find((each) => each === left?.kind);
    if (draft === undefined || left === null || kind === undefined) return;
    const tab = this.tabs.open(kind, left.title, { ...left.params });
    // An open tab can show another part than the form.
    this.tabs.update(tab.id, { params: { ...tab.params, ...left.params } });
    this.drafts.move(draft, tab.id);
  }

  async switchTo(connectionId: string): Promise<void> {
    await this.connections.activate(connectionId);
    await this.#awaitTabs(connectionId);
  }

  /** Does nothing if the connection was left in the meantime. */
  async #awaitTabs(connectionId: string): Promise<void> {
    if (this.connections.activeId === connectionId) await this.enter(connectionId);
  }

  newConnection(): void {
    if (this.connections.active === null) this.isConnecting = true;
    else this.tabs.open('connection', 'New connection');
  }

  editConnection(): void {
    const { active } = this.connections;
    if (active === null) return;
    this.tabs.open('connection', `Connection: ${active.name}`, { connectionId: active.id });
  }

  get #places(): Record<string, unknown> {
    const places = this.keep.get(PLACES_KEY);
    return typeof places === 'object' && places !== null ? { ...places } : {};
  }

  /**
   * The position of a grid or scrolling part of a tab, or the filter of its list, when its connection was last left.
   */
  keptPlace(tabId: string, name: string): unknown {
    return this.#places[`${tabId} ${name}`];
  }

  /** Stores a position immediately, so that it survives if the program ends; null removes it. */
  keepPlace(tabId: string, name: string, place: unknown): void {
    // Before the tabs are restored, the positions of other tabs are unknown and would be lost.
    if (!this.tabs.isRestored) return;
    const { [`${tabId} ${name}`]: before, ...others } = this.#places;
    if (place === null && before === undefined) return;
    this.keep.set(PLACES_KEY, place === null ? others : { ...others, [`${tabId} ${name}`]: place });
  }

  /** Stores all positions. Tabs that were not shown since then keep their previous positions. */
  #rememberPlaces(isLeaving = true): void {
    if (!this.tabs.isRestored) return;
    const isOpen = (key: string) => this.tabs.list.some(({ id }) => key.startsWith(`${id} `));
    const before = Object.entries(this.#places).filter(([key]) => isOpen(key));
    const now = this.tabs.collect((thing) =>
      typeof thing === 'object' && thing !== null && 'place' in thing ? thing.place : null,
    );
    const places = { ...Object.fromEntries(before), ...now };
    const isChanged = JSON.stringify(places) !== JSON.stringify(this.#places);
    if (isChanged) this.keep.set(PLACES_KEY, places);
    if (isChanged || isLeaving) this.keep.set(LEFT_KEY, clock.nowMs);
  }

  /** To be called after each input: a moment later, positions are stored, so that a crash or a kill keeps them. */
  rememberSoon(): void {
    this.#placesTimer ??= setTimeout(() => {
      this.#placesTimer = null;
      this.#rememberPlaces(false);
    }, PLACES_AFTER_MS);
  }

  /** For a window that closes or is locked. Resolves when all pending changes were written or refused. */
  async rememberAll(): Promise<void> {
    this.#rememberPlaces();
    await Promise.all([this.keep.flush(), this.#firstStorage.flush()]);
  }

  /** The stored column layout of a grid, for this connection and view. */
  gridMemory(viewId: string): { read: () => unknown; write: (value: unknown) => void } {
    const key = `grid.${viewId}`;
    return { read: () => this.keep.get(key), write: (value) => this.keep.set(key, value) };
  }

  async openSample(): Promise<void> {
    const connection = await this.connections.openSample();
    await this.#awaitTabs(connection.id);
  }

  async forget(connectionId: string): Promise<string[]> {
    const isShown = this.#entering?.connectionId === connectionId;
    // Done before the removal, so that no late write recreates the folder.
    if (isShown) this.keep.forget();
    try {
      const removed = await this.connections.forget(connectionId);
      const next = this.connections.activeId;
      if (next !== null) await this.enter(next);
      return removed;
    } catch (thrown) {
      if (isShown && this.connections.activeId === connectionId) await this.keep.load(connectionId);
      throw thrown;
    }
  }

  /** Runs something that the user requested. An error that is not shown elsewhere is shown as a toast. */
  async run(work: () => Promise<unknown> | unknown): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const error = toAppError(thrown);
      toastError(error.toWire().title, { description: error.message });
    }
  }

  /** Stops or starts the sample service, to demonstrate an outage. */
  async setSampleRunning(isRunning: boolean): Promise<void> {
    await client.invoke('connections:set-sample-running', { isRunning });
  }

  async toggleOffline(): Promise<void> {
    const id = this.connections.activeId;
    if (id === null) return;
    await this.network.setOffline(id, this.network.phaseOf(id) !== 'switched-off');
  }

  /** Asks where to save content made in this window, and saves it. Throws AppError. */
  async save(fileName: string, content: Blob): Promise<void> {
    const base64 = await base64Of(content);
    const saved = await client.invoke('app:save-file', { fileName, base64 });
    if (saved === null) return;
    toast(`Saved ${saved.fileName}`);
  }

  /** Starts dragging content made in this window as a file. Throws AppError. */
  async dragOut(fileName: string, content: Blob): Promise<void> {
    await client.invoke('app:drag-out', { of: 'made', fileName, base64: await base64Of(content) });
  }

  /** Tells the user that something ended in a tab that is not shown. In a shown tab it is visible anyway. */
  tellElsewhere(tabId: string, text: string): void {
    if (this.tabs.activeId !== tabId) toast(text);
  }

  async copy(text: string, what = 'Copied'): Promise<void> {
    await client.invoke('app:copy-text', { text });
    toast(what);
  }
}

export const app = new AppState();
