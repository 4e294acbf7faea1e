/** A stored list for a grid: pieces of its rows, its freshness, and updates when either changes. */
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';
import { AppError, type ErrorCode, toAppError } from '../../electron/shared/errors.ts';
import type { Freshness, ListQuery, ListState, RowPage, RowWindow } from '../../electron/shared/model.ts';
import { narrowingOf } from '../../electron/shared/saved-view.ts';
import { client as realClient } from '../lib/client.ts';
import { failureCode, hasSameRows } from '../lib/freshness.ts';
import { CachedPages } from './cached-pages.ts';
import { clock } from './clock.svelte.ts';
import { firstMissing, isNear, PAGE, pageAhead, pagesOf } from './list-pages.ts';
import { ListProfiles } from './list-profile.svelte.ts';
import { LatestRequest } from './newest.ts';
import { OpenAgain } from './open-again.ts';
import { OpenFailures } from './open-failures.ts';
import { OpenState } from './open-state.ts';
import { refused } from './refused.ts';
import { rowAnswers } from './row-answers.ts';

export type Row = Record<string, unknown>;
type Sort = RowWindow['sort'];
type Client = Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;

const SETTLE_MS = 120;

interface ReadPage {
  rows: (Row | undefined)[];
  messages: number;
}

export interface ListModelOptions {
  connectionId: string;
  viewId: string;
  /** Whether rows that are not stored can be fetched. */
  isOnline: () => boolean;
  /** If set, one row is shown for each group of stored rows. */
  groupBy?: NonNullable<RowWindow['groupBy']>;
  /** Stores the filter of the list; null if the list shows all rows. */
  memory?: { read: () => unknown; write: (narrowing: unknown) => void };
  client?: Client;
}

export class ListModel {
  readonly connectionId: string;
  readonly viewId: string;
  /** `opening` until the first answer; `failed` if there is nothing to show. */
  phase = $state<'closed' | 'opening' | 'ready' | 'failed'>('closed');
  query = $state.raw<ListQuery | null>(null);
  freshness = $state.raw<Freshness | null>(null);
  /** The reason why the list, or some of its rows, could not be read. A refresh opens the list again then. */
  error = $state.raw<AppError | null>(null);
  sort = $state.raw<Sort>(null);
  narrow = $state('');
  /** Filters set in column summaries: only rows that pass all of them are shown. */
  filters = $state.raw<readonly ColumnFilter[]>([]);
  /** Number of stored rows that match the text filter and the column filters. */
  matchingRows = $state(0);
  /** Set if the text filter is invalid, e.g. an incomplete regular expression. */
  textFilterError = $state.raw<AppError | null>(null);
  /** Error of applying the column filters. */
  filterError = $state.raw<AppError | null>(null);
  /** Profiles of the columns; null if they would count other rows than the shown ones. */
  readonly profiles: ListProfiles | null;

  /** Called with the rows of each page that was read. */
  onRows: ((rows: readonly Row[]) => void) | null = null;
  /** Called when rows of the list changed or were added. */
  onReadAgain: (() => void) | null = null;
  /** Position of each row that was read, in the service's order. */
  readonly positions = new WeakMap<Row, number>();

  #version = $state(0);
  /** The first rows of the list, whatever the scroll position; used to guess columns. */
  #head = $state.raw<readonly Row[]>([]);
  readonly #pages = new CachedPages<Row>();
  readonly #pending = new Map<string, Promise<void>>();
  /**
   * Rows requested since the list was last opened or refreshed, so that a row that never arrives is requested only
   * once.
   */
  readonly #asked = new Set<number>();
  readonly #failures = new OpenFailures();
  #generation = 0;
  readonly #latest = new LatestRequest();
  readonly #open = new OpenState<ListState>(({ listKey }) => listKey);
  #view = { first: 0, end: PAGE };
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isShown = true;
  /** Whether rows changed while the list was not shown. */
  #isBehind = false;
  #stopListening: (() => void) | null = null;
  /** Whether the list may be read from the service when it is opened. */
  #mayRead = true;
  readonly #openAgain: OpenAgain;
  readonly #options: ListModelOptions;
  readonly #owner: Pick<ListModelOptions, 'connectionId' | 'viewId'>;
  readonly #client: Client;

  constructor(options: ListModelOptions) {
    this.#options = options;
    this.connectionId = options.connectionId;
    this.viewId = options.viewId;
    this.#owner = { connectionId: options.connectionId, viewId: options.viewId };
    this.#client = options.client ?? realClient;
    this.#openAgain = new OpenAgain(this.#client, this.#owner, () => void this.#reopen());
    const { narrow, filters } = narrowingOf(options.memory?.read());
    this.narrow = narrow;
    this.filters = filters;
    this.profiles = new ListProfiles(options.connectionId, this.#client);
  }

  /** Whether the rows are in the service's own order, so that a row number is the position in the whole list. */
  get isPlain(): boolean {
    return !this.isGrouped && this.sort === null && !this.#isFiltered;
  }

  /** Whether a row stands for several stored rows. */
  get isGrouped(): boolean {
    return this.#options.groupBy !== undefined;
  }

  get #isFiltered(): boolean {
    return this.narrow.trim() !== '' || this.filters.length > 0;
  }

  /** Whether visible rows are being read again, so that some of them are older than others. */
  get isMixed(): boolean {
    void this.#version;
    return this.#pages.areMixed(pagesOf(this.#view, this.whole), this.#generation);
  }

  /** Number of rows to show. */
  get count(): number {
    return this.whole;
  }

  /**
   * Whether the list was read and has no rows; also true while it is read again. False while its rows are read for the
   * first time, and until arrived rows are shown, so that the layout does not change twice.
   */
  get isKnownEmpty(): boolean {
    const isWhole = this.isGrouped ? !this.#isFiltered : this.isPlain;
    if (this.phase !== 'ready' || !isWhole || this.count > 0) return false;
    const { refresh, storedRows, isComplete } = this.freshness ?? {};
    return (
      (refresh?.phase !== 'loading' || isComplete === true) && (this.isGrouped || (storedRows ?? 0) === 0)
    );
  }

  /** Known number of rows of the list. */
  protected get whole(): number {
    const { freshness } = this;
    if (!this.isPlain || freshness === null || !this.#options.isOnline()) return this.matchingRows;
    // Rows that are missing after the list was read to its end cannot be loaded by scrolling.
    if (freshness.isComplete || freshness.missingRows !== undefined) return this.matchingRows;
    // If the total is wrong, there is always one more page to scroll to: the end is found by reading on.
    if (freshness.isTotalWrong === true) return this.matchingRows + PAGE;
    return Math.max(this.matchingRows, freshness.totalRows ?? 0);
  }

  /** Shows another list. The present one stays until the first rows of the other are loaded. */
  async open(query: ListQuery, refresh: 'if-stale' | 'always' | 'never' = 'if-stale'): Promise<void> {
    this.#openAgain.opening();
    this.#mayRead = refresh !== 'never';
    this.#stopListening ??= this.#client.on('library:list-changed', ({ state }, seq) =>
      this.#changed(state, seq),
    );
    const isLast = this.#latest.ask();
    [this.query, this.phase, this.error] = [query, 'opening', this.#failures.clear()];
    this.#open.reset();
    const { sort, narrow, filters } = this;
    try {
      const { value, seq } = await this.#client.ask('library:open-list', {
        ...this.#owner,
        query,
        refresh,
        window: this.#windowOf(0),
      });
      if (!isLast()) return;
      const { state, page } = value;
      this.freshness = this.#open.opened(state, seq)?.freshness ?? this.freshness;
      this.#noteFailure(failureCode(this.freshness));
      this.#view = { first: 0, end: PAGE };
      // Rows that were read before an event, or for an order that is no longer wanted, are read again.
      const isWanted = sort === this.sort && narrow === this.narrow && filters === this.filters;
      const isNewest = hasSameRows(this.freshness, state.freshness);
      await this.#restart(isWanted && isNewest ? page : null, true);
      if (isLast()) this.phase = 'ready';
    } catch (thrown) {
      if (!isLast()) return;
      this.#pages.replace(new Map());
      this.matchingRows = 0;
      this.#shown(0);
      this.freshness = null;
      this.error = toAppError(thrown);
      this.phase = 'failed';
      this.#noteFailure(this.error.code);
    }
  }

  /** If a list failed because of the token, it is refreshed when a token is accepted. */
  #noteFailure(code: ErrorCode | null): void {
    refused.note(this, code, () => this.refresh());
  }

  async refresh(): Promise<void> {
    const { query } = this;
    if (query === null) return;
    if (this.phase === 'failed') return this.open(query, 'always');
    if (this.error !== null) return this.#reopen('always');
    const isSame = this.#latest.still();
    this.#asked.clear();
    const argument = { ...this.#owner, query, refresh: 'always', isClick: true } as const;
    const { value, seq } = await this.#client.ask('library:open-list', argument);
    if (isSame()) this.#changed(value.state, seq);
  }

  /**
   * Opens the list in a new session. Its rows and the position in them stay until they were read again; if it cannot be
   * opened, that is a failed refresh.
   */
  async #reopen(wanted: 'if-stale' | 'always' = 'if-stale'): Promise<void> {
    const { query } = this;
    if (query === null) return;
    const isClick = wanted === 'always';
    const refresh = isClick || this.#mayRead ? wanted : 'never';
    if (this.phase !== 'ready') return this.open(query, refresh);
    const isSame = this.#latest.still();
    this.#asked.clear();
    try {
      const argument = { ...this.#owner, query, refresh, isClick } as const;
      const { value, seq } = await this.#client.ask('library:open-list', argument);
      if (!isSame()) return;
      this.error = this.#failures.clear();
      this.freshness = this.#open.opened(value.state, seq)?.freshness ?? this.freshness;
      this.#noteFailure(failureCode(this.freshness));
      // Rows that the closed session was reading did not arrive.
      this.#readAgainSoon();
      this.profiles?.again();
    } catch (thrown) {
      if (!isSame()) return;
      this.error = toAppError(thrown);
      const refresh = { phase: 'failed', error: this.error.toWire(), atMs: clock.nowMs } as const;
      if (this.freshness !== null) this.freshness = { ...this.freshness, refresh };
      this.#noteFailure(this.error.code);
    }
  }

  setSort(sort: Sort): void {
    if (JSON.stringify(sort) === JSON.stringify(this.sort)) return;
    this.sort = sort;
    if (this.query !== null) void this.#restart();
  }

  setTextFilter(narrow: string): void {
    if (narrow === this.narrow) return;
    this.narrow = narrow;
    this.#narrowed();
  }

  setFilters(filters: readonly ColumnFilter[]): void {
    if (filters === this.filters) return;
    this.filters = filters;
    this.#narrowed();
  }

  #narrowed(): void {
    const { narrow, filters } = this;
    this.#options.memory?.write(this.#isFiltered ? { narrow, filters } : null);
    if (this.query !== null) void this.#restart();
  }

  row(index: number): Row | undefined {
    void this.#version;
    return this.#pages.get(Math.floor(index / PAGE))?.rows[index % PAGE];
  }

  /**
   * Fetches the first page that is not stored, however few of the stored rows are shown. Returns whether the page is
   * being read or has arrived.
   */
  async fetchMore(): Promise<boolean> {
    const { query } = this;
    if (query === null) return false;
    const isSame = this.#latest.still();
    const before = this.freshness?.storedRows ?? 0;
    const request = { ...this.#owner, query, offset: null };
    const { value, seq } = await this.#client.ask('library:fetch-rows', request);
    if (!isSame()) return false;
    this.#changed(value, seq);
    const { refresh, storedRows } = value.freshness;
    return refresh.phase === 'loading' || storedRows > before;
  }

  ensure(first: number, end: number): void {
    const before = this.#view;
    this.#view = { first, end };
    // A list that is being opened reads its first page itself.
    if (this.#open.key === null || this.phase === 'failed') return;
    for (const page of pagesOf(this.#view, this.whole)) void this.#readPage(page);
    // The next page is read ahead from the store only. The service is asked only for visible rows.
    const ahead = pageAhead(before, this.#view, this.whole);
    if (ahead !== null) void this.#readPage(ahead, false);
  }

  /** Loads stored rows. If there are more than a few thousand, the first ones may be evicted again. */
  async load(first: number, end: number): Promise<void> {
    for (const page of pagesOf({ first, end }, this.whole)) {
      // A read in progress can be that of the view, which stops when the view scrolls or its order changes. So reading
      // is repeated.
      for (let tries = 0; tries < 4; tries += 1) {
        await this.#readPage(page, true, true);
        if (this.#pages.get(page)?.generation === this.#generation) break;
      }
    }
  }

  /** The first loaded rows, at most `most`, for guessing columns and choices. */
  sample(most: number): Row[] {
    return this.#head.slice(0, most);
  }

  dispose(): void {
    refused.drop(this);
    this.#latest.forget();
    this.profiles?.want(null);
    this.#stopListening?.();
    this.#stopListening = null;
    this.#openAgain.dispose();
    if (this.#timer !== null) clearTimeout(this.#timer);
    void this.#client.invoke('library:release', this.#owner);
  }

  /** To be called when the rows of a page changed. */
  #shown(page: number): void {
    this.#version += 1;
    if (page === 0) this.#head = (this.#pages.get(0)?.rows ?? []).filter((row) => row !== undefined);
  }

  #changed(state: ListState, seq: number): void {
    if (!this.#open.takes(state, seq)) return;
    const [before, now] = [this.freshness, state.freshness];
    this.freshness = now;
    this.#noteFailure(failureCode(now));
    if (!hasSameRows(before, now)) this.#readAgainSoon();
  }

  /** A list that is not shown keeps its rows. If they changed, it reads them when it is shown again. */
  setShown(isShown: boolean): void {
    this.#isShown = isShown;
    this.#openAgain.setShown(isShown);
    if (isShown && this.#isBehind) this.#readAgainSoon();
  }

  /** Many pages can arrive at the same time. The visible rows are read once for all of them. */
  #readAgainSoon(): void {
    this.#isBehind = !this.#isShown;
    if (this.#isBehind || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#generation += 1;
      this.ensure(this.#view.first, this.#view.end);
      this.onReadAgain?.();
    }, SETTLE_MS);
  }

  /**
   * Reads the list again after a change of order, filter or list. The present rows stay until the first new page is
   * loaded. Throws only if `isOpening`; otherwise the error is shown beside the present rows.
   */
  async #restart(first: RowPage | null = null, isOpening = false): Promise<void> {
    this.#generation += 1;
    const generation = this.#generation;
    this.#asked.clear();
    const fresh = new Map<number, ReadPage & { generation: number }>();
    let page = 0;
    try {
      for (page of pagesOf(this.#view, this.whole)) {
        const shouldContinue = () => generation === this.#generation;
        const read = await this.#fetchPage(page, shouldContinue, page === 0 ? first : null);
        if (generation !== this.#generation || read === null) return;
        fresh.set(page, { ...read, generation });
      }
      [this.textFilterError, this.filterError, this.error] = [null, null, this.#failures.clear()];
      this.#pages.replace(fresh);
      this.#shown(0);
      this.onReadAgain?.();
    } catch (thrown) {
      if (generation !== this.#generation) return;
      const error = toAppError(thrown);
      if (error.code === 'INVALID_ARGUMENT' && this.narrow !== '') this.textFilterError = error;
      else if (this.filters.length > 0) this.filterError = error;
      else if (isOpening) throw error;
      else this.error = this.#failures.failed(`page ${page}`, error);
    }
  }

  /** `isWhole`: reads the page to its end, even if it is no longer visible. */
  async #readPage(page: number, isShown = true, isWhole = false): Promise<void> {
    const generation = this.#generation;
    const isSame = this.#latest.still();
    const known = this.#pages.get(page);
    const key = `${generation}/${page}`;
    if (known?.generation === generation) {
      if (isShown) this.#askFor(page, known.rows);
      return;
    }
    if (this.#pending.has(key)) return this.#pending.get(key);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pending.set(key, promise);
    const isCurrent = () => isSame() && generation === this.#generation;
    try {
      const read = await this.#fetchPage(page, ({ rows, messages }) => {
        if (!isCurrent()) return false;
        // Large rows arrive in several messages. If the page was empty, the first rows are shown at once.
        const isFirst = known === undefined || known.generation === null;
        if (isFirst && rows.length > (known?.rows.length ?? 0))
          this.#keep(page, { rows: [...rows], generation: null, messages });
        return isWhole || isNear(page, this.#view, this.whole);
      });
      if (!isCurrent() || read === null) return;
      this.#keep(page, { ...read, generation });
      this.error = this.#failures.succeeded(`page ${page}`, this.error);
      if (isShown) this.#askFor(page, read.rows);
    } catch (thrown) {
      if (isCurrent()) this.error = this.#failures.failed(`page ${page}`, thrown);
    } finally {
      this.#pending.delete(key);
      resolve();
    }
  }

  #keep(page: number, held: ReadPage & { generation: number | null }): void {
    this.#pages.keep(page, held, (other) => isNear(other, this.#view, this.whole));
    this.#shown(page);
  }

  #windowOf(page: number): RowWindow {
    const { sort, filters } = this;
    const narrow = this.narrow.trim() === '' ? null : this.narrow.trim();
    const { groupBy } = this.#options;
    const window: RowWindow = {
      ...{ offset: page * PAGE, limit: PAGE, sort, narrow },
      ...(groupBy === undefined ? {} : { groupBy }),
    };
    return filters.length === 0 ? window : { ...window, filters: [...filters] };
  }

  /**
   * Reads the rows of a page; null if `shouldContinue`, which is called before each further message, returns false.
   * `first`: rows that are already loaded.
   */
  async #fetchPage(
    page: number,
    shouldContinue: (read: ReadPage) => boolean,
    first: RowPage | null = null,
  ): Promise<ReadPage | null> {
    const { query } = this;
    if (query === null) throw new AppError('INTERNAL', 'Rows were asked of a list that is not open.');
    const offset = page * PAGE;
    const isPlain = this.isPlain;
    const generation = this.#generation;
    const { connectionId } = this;
    const answers = rowAnswers(this.#client, { connectionId, query, window: this.#windowOf(page) }, first);
    const read: ReadPage = { rows: [], messages: 0 };
    for await (const answer of answers) {
      // An answer for the unfiltered list can arrive after one for the filtered list.
      if (query !== this.query || generation !== this.#generation) return null;
      this.matchingRows = answer.matchingRows;
      this.onRows?.(answer.rows.map((each) => each.record));
      for (const { position, record } of answer.rows) {
        this.positions.set(record, position);
        if (!isPlain) read.rows.push(record);
        else if (position >= offset && position < offset + PAGE) read.rows[position - offset] = record;
      }
      read.messages += 1;
      if (answer.nextOffset !== undefined && !shouldContinue(read)) return null;
    }
    return read;
  }

  /** Asks the service, once, for visible rows that are not stored. */
  #askFor(page: number, rows: readonly (Row | undefined)[]): void {
    if (!this.isPlain || !this.#options.isOnline()) return;
    const missing = firstMissing(page, rows, this.whole);
    if (missing === null || this.query === null || this.#asked.has(missing)) return;
    this.#asked.add(missing);
    const isSame = this.#latest.still();
    this.#client
      .ask('library:fetch-rows', { ...this.#owner, query: this.query, offset: missing })
      .then(({ value, seq }) => {
        if (!isSame()) return;
        this.error = this.#failures.succeeded(`row ${missing}`, this.error);
        this.#changed(value, seq);
      })
      .catch((thrown: unknown) => {
        this.#asked.delete(missing);
        if (isSame()) this.error = this.#failures.failed(`row ${missing}`, thrown);
      });
  }
}
