/** Read-through lists: returns stored rows at once and refreshes due lists in the background. */
import type { Generation } from '../db/library-rows.ts';
import type { StoredList } from '../db/list-store.ts';
import type { ListProfile } from '../shared/analysis-model.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import type { ListQuery, ListRow, ListState, RowPage, RowWindow } from '../shared/model.ts';
import { chooseRows } from './choose-rows.ts';
import { type Derivation, derivationOf } from './derive.ts';
import { freshnessOfList, isListStale, type Source } from './freshness.ts';
import { invalidationMark } from './invalidation.ts';
import type { ListEntry } from './list-entry.ts';
import { ListJobs } from './list-jobs.ts';
import { canonicalQuery, keyOf, readOperation } from './list-query.ts';
import { OrderThread } from './order-thread.ts';
import { notStored } from './refresh-state.ts';
import { RowOrders } from './row-orders.ts';
import { readStored, readWindow, textFilterOf } from './row-window.ts';
import { SessionRows } from './session-rows.ts';
import { Slices } from './slices.ts';
import { storedRangeOf } from './stored-range.ts';
import type {
  ChosenRows,
  Invalidation,
  LibraryDeps,
  ProfileRequest,
  RecordForm,
  RefreshMode,
  RowChoice,
} from './types.ts';

/**
 * Minimum interval between readings of a list because of changes, so that many changes in a row, such as a hundred
 * deletions, cause only one.
 */
const READ_AGAIN_EVERY_MS = 1_000;

type ListSource = Pick<ListEntry, 'key' | 'query' | 'derivation' | 'baseKey'>;

export class Lists {
  readonly #deps: LibraryDeps;
  readonly #thread: OrderThread;
  readonly #orders: RowOrders;
  readonly #sessions: SessionRows;
  readonly #entries = new Map<string, ListEntry>();
  readonly #jobs: ListJobs;
  /** Lists to read again after the current pause. */
  readonly #due = new Set<ListEntry>();
  #endPause: (() => void) | null = null;
  #isSuspended = false;

  constructor(deps: LibraryDeps) {
    this.#deps = deps;
    this.#thread = new OrderThread(deps.store.file);
    this.#orders = new RowOrders(deps.store.lists, deps.clock, deps.sidecars, this.#thread);
    this.#sessions = new SessionRows({
      reads: deps.store.lists,
      orders: this.#orders,
      inThread: (query, slices) => this.#thread.sessions(query, slices),
      slices: () => new Slices(deps.clock),
    });
    this.#jobs = new ListJobs(
      deps,
      () => new Set([...this.#entries.values()].flatMap(({ key, baseKey }) => [key, baseKey ?? key])),
      (entry) => this.#notify(entry),
      (entry) => this.#readAgain(entry),
    );
  }

  async open(
    request: { viewId: string; query: ListQuery; refresh: RefreshMode; isClick?: boolean },
    readsNow?: () => void,
  ): Promise<ListState> {
    const entry = this.#enter(request.query);
    entry.views.add(request.viewId);
    this.#leave(request.viewId, entry);
    await this.#locate(entry);
    // The view was closed while the list was being located, so nobody waits for its rows.
    if (!entry.views.has(request.viewId)) return this.#state(entry);
    const stored = this.#stored(entry, request.viewId);
    const isDue = request.refresh === 'always' || (request.refresh === 'if-stale' && this.#isDue(stored));
    if (isDue) {
      this.#jobs.start(entry, stored, {
        viewId: request.viewId,
        priority: request.isClick === true ? 'click' : 'view',
        isForced: request.refresh === 'always',
      });
    } else if (request.refresh === 'never' && entry.source.kind === 'none' && entry.job === null) {
      entry.refresh = notStored(this.#deps.clock.nowMs(), entry.source.removed);
    }
    readsNow?.();
    return this.#state(entry);
  }

  async readRows(
    { query, window }: { query: ListQuery; window: RowWindow },
    form: RecordForm,
  ): Promise<RowPage> {
    const listSource = this.#listSource(query);
    const source = await this.#sourceOf(listSource);
    if (window.groupBy === 'session')
      return this.#sessions.read(source, listSource.derivation, { ...window, query });
    const { lists: reads, longTexts } = this.#deps.store;
    const from = { reads, longTexts, orders: this.#orders };
    return readWindow(from, source, listSource.derivation, query, { ...window, form });
  }

  async profile({ query, narrow: typed, fields, filters }: ProfileRequest): Promise<ListProfile | null> {
    const listSource = this.#listSource(query);
    const source = await this.#sourceOf(listSource);
    if (source.kind === 'none') return null;
    const { generation } = source;
    const derivation = source.kind === 'derived' ? listSource.derivation : null;
    const narrow = textFilterOf(typed, query);
    const order = { derivation, narrow, sort: null, filters: [] };
    const isAll = derivation === null && narrow === null;
    const positions = isAll ? null : await this.#orders.of(generation, order);
    const within = positions === null ? null : { key: JSON.stringify([derivation?.key, narrow]), positions };
    const found = await this.#deps.sidecars.profile({ generation, within, fields, filters });
    const matchingRows = positions?.length ?? generation.rowCount;
    const own = derivation === null ? null : await this.#orders.of(generation, { ...order, narrow: null });
    const storedRows = own?.length ?? generation.rowCount;
    const totalRows = derivation === null ? generation.totalRows : storedRows;
    return { ...found, storedRows, matchingRows, totalRows, isComplete: generation.isComplete };
  }

  async chooseRows(choice: RowChoice): Promise<ChosenRows> {
    const listSource = this.#listSource(choice.query);
    return chooseRows(this.#orders, await this.#sourceOf(listSource), listSource.derivation, choice);
  }

  async readStored(query: ListQuery, from: number, limit: number): Promise<ListRow[]> {
    return readStored(this.#deps.store, await this.#sourceOf(this.#listSource(query)), from, limit);
  }

  async fetchRows(request: { viewId: string; query: ListQuery; offset: number | null }): Promise<ListState> {
    const entry = this.#enter(request.query);
    entry.views.add(request.viewId);
    await this.#locate(entry);
    if (!entry.views.has(request.viewId)) return this.#state(entry);
    const stored = this.#stored(entry, request.viewId);
    const { source } = entry;
    if (source.kind === 'none')
      this.#jobs.start(entry, stored, { viewId: request.viewId, priority: 'click', isForced: false });
    if (source.kind === 'own') this.#fetchMissing(entry, source.generation, request);
    return this.#state(entry);
  }

  #fetchMissing(
    entry: ListEntry,
    generation: Generation,
    { viewId, offset }: { viewId: string; offset: number | null },
  ): void {
    const { frontPosition, isEnded } = generation;
    // The page after the front must still be read, even if rows that were fetched ahead begin there.
    const isMissing = offset === null ? !isEnded : this.#isMissing(generation, offset);
    if (!isMissing) return;
    const wanted = offset ?? frontPosition;
    const { pageRows } = this.#deps.settings();
    if (wanted < frontPosition + pageRows) this.#jobs.extend(entry, generation, viewId, wanted);
    else this.#jobs.fetchAhead(entry, generation, viewId, wanted);
  }

  release(viewId: string): void {
    this.#leave(viewId, null);
  }

  /** Stops reading lists that no view has open any more. `shown`: the list that the view shows from now on. */
  #leave(viewId: string, shown: ListEntry | null): void {
    for (const entry of this.#entries.values()) {
      if (entry === shown || !entry.views.delete(viewId) || entry.views.size > 0) continue;
      this.#jobs.cancel(entry);
      this.#entries.delete(entry.key);
    }
  }

  /** Reads open lists again that a change affects. A reading in progress may have seen the old state. */
  invalidate(invalidations: readonly Invalidation[]): void {
    for (const entry of this.#entries.values()) {
      if (invalidationMark(invalidations, entry.query) === null) continue;
      if (entry.job === null) this.#readAgain(entry);
      else {
        entry.isTouched = true;
        this.#jobs.cancel(entry);
      }
    }
  }

  #readAgain(entry: ListEntry): void {
    if (this.#jobs.isStopped) return;
    this.#due.add(entry);
    if (this.#endPause === null) this.#readDue();
  }

  #readDue(): void {
    const due = [...this.#due];
    this.#due.clear();
    for (const entry of due) this.#readNow(entry);
    const wait = () => {
      this.#endPause = null;
      if (this.#due.size > 0) this.#readDue();
    };
    this.#endPause = this.#deps.clock.setTimer(wait, READ_AGAIN_EVERY_MS, 'reading changed lists again');
  }

  /** Does nothing if no view has the list open any more, or if a reading is in progress. */
  #readNow(entry: ListEntry): void {
    const viewId = [...entry.views][0];
    if (viewId === undefined) return;
    try {
      const stored = this.#deps.store.lists.find(entry.key);
      if (stored !== null) this.#jobs.start(entry, stored, { viewId, priority: 'view', isForced: true });
    } catch (problem) {
      // The disk rejects writes. The list is marked as outdated and read when it is next opened.
      const reason = toAppError(problem).message;
      this.#deps.logger.warn('list not read again', { operation: entry.info.id, reason });
    }
    this.#notify(entry);
  }

  /**
   * Called when another part has read this list. Views that have it open, or derive theirs from it, show the new rows.
   */
  noteRead(key: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.key === key || entry.baseKey === key) this.#notify(entry);
    }
  }

  /** Deletes replaced rows in the background. */
  sweep(): void {
    this.#jobs.sweep();
  }

  wake(): void {
    this.#isSuspended = false;
    for (const entry of this.#entries.values()) {
      // A reading that was cancelled but has not ended yet starts again at its end.
      if (entry.job?.controller.signal.aborted === true) entry.isTouched = true;
      const stored = this.#deps.store.lists.find(entry.key);
      if (stored === null || (entry.refresh.phase !== 'failed' && !this.#isDue(stored))) continue;
      this.#jobs.start(entry, stored, {
        viewId: [...entry.views][0] ?? 'library',
        priority: 'view',
        isForced: false,
      });
      this.#notify(entry);
    }
  }

  suspend(error: AppError): void {
    this.#isSuspended = true;
    for (const entry of this.#entries.values()) this.#jobs.cancel(entry, error);
  }

  async stop(): Promise<void> {
    this.#jobs.stop();
    this.#endPause?.();
    this.#due.clear();
    const entries = [...this.#entries.values()];
    await this.#jobs.settled();
    await this.#thread.close();
    await Promise.all(entries.map(({ tail }) => tail));
  }

  #listSource(typed: ListQuery): ListSource {
    const query = canonicalQuery(typed);
    const derivation = derivationOf(query);
    const { connectionId } = this.#deps;
    const baseKey = derivation === null ? null : keyOf(connectionId, canonicalQuery(derivation.base));
    return { key: keyOf(connectionId, query), query, derivation, baseKey };
  }

  #enter(typed: ListQuery): ListEntry {
    const info = readOperation(this.#deps.client, typed.operation);
    const listSource = this.#listSource(typed);
    const known = this.#entries.get(listSource.key);
    if (known !== undefined) return known;
    const entry: ListEntry = {
      ...listSource,
      info,
      views: new Set(),
      source: { kind: 'none', removed: null },
      refresh: { phase: 'idle' },
      isTouched: false,
      job: null,
      ahead: new Map(),
      tail: Promise.resolve(),
    };
    this.#entries.set(entry.key, entry);
    return entry;
  }

  /** The list's own rows, unless another stored list answers the same query more completely or with newer rows. */
  async #sourceOf({ key, derivation, baseKey }: ListSource): Promise<Source> {
    const { lists } = this.#deps.store;
    const [ownList, baseList] = [lists.find(key), baseKey === null ? null : lists.find(baseKey)];
    const own = ownList?.shown ?? null;
    const base = baseList?.shown ?? null;
    if (derivation !== null && base?.isEnded === true && !this.#isBetter(own, base, derivation)) {
      const positions = await this.#orders.of(base, { derivation, narrow: null, sort: null, filters: [] });
      if (positions !== null) return { kind: 'derived', rule: derivation.rule, generation: base, positions };
    }
    if (own === null || own.newestMs === null)
      return { kind: 'none', removed: ownList?.removed ?? baseList?.removed ?? null };
    return { kind: 'own', generation: own };
  }

  async #locate(entry: ListEntry): Promise<void> {
    entry.source = await this.#sourceOf(entry);
  }

  /** Stores that the list was opened. If the disk rejects this, reading continues. */
  #stored(entry: ListEntry, viewId: string): StoredList {
    const { lists } = this.#deps.store;
    try {
      return lists.open(entry.key, JSON.stringify(entry.query), viewId, entry.baseKey);
    } catch (problem) {
      const known = lists.find(entry.key);
      if (known === null) throw problem;
      this.#deps.logger.warn('list not noted as opened', { reason: toAppError(problem).message });
      return known;
    }
  }

  #now() {
    return { nowMs: this.#deps.clock.nowMs(), staleAfterMs: this.#deps.settings().staleAfterMs };
  }

  #state({ key, query, source, refresh }: ListEntry): ListState {
    const { lists } = this.#deps.store;
    const stored = () => lists.queriesOf(query.operation);
    const storedRange = source.kind === 'none' ? storedRangeOf(query, stored) : null;
    return { listKey: key, freshness: freshnessOfList(source, refresh, this.#now(), storedRange) };
  }

  #notify(entry: ListEntry): void {
    entry.tail = entry.tail
      .then(async () => {
        await this.#locate(entry);
        if (this.#entries.get(entry.key) === entry) this.#deps.onListChanged(this.#state(entry));
      })
      .catch((problem: unknown) => {
        this.#deps.logger.warn('list not told', {
          operation: entry.info.id,
          reason: toAppError(problem).message,
        });
      });
  }

  #isDue({ shown }: StoredList): boolean {
    if (shown === null || isListStale(shown, this.#now())) return true;
    return !shown.isEnded && shown.frontPosition < this.#deps.settings().prefetchRows;
  }

  #isMissing(generation: Generation, offset: number): boolean {
    if (generation.isEnded || offset < generation.frontPosition) return false;
    const [row] = this.#deps.store.lists.rowsFrom(generation.id, offset, 1);
    return row === undefined;
  }

  /** Whether the list's own answer is preferred to one derived from a base list. */
  #isBetter(own: Generation | null, base: Generation, { rule }: Derivation): boolean {
    if (rule === 'stated') return own?.isComplete === true && (own.oldestMs ?? 0) >= (base.oldestMs ?? 0);
    return own !== null && own.newestMs !== null && (own.isComplete || !this.#isSuspended);
  }
}
