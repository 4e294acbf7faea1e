/** The request log of a connection for a view: newest first, read page by page, with new rows added as they arrive. */

import { untrack } from 'svelte';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { LogPage, LogSort, RequestLogRow } from '../../electron/shared/traffic-model.ts';
import { client as realClient } from '../lib/client.ts';
import type { Row } from '../lib/grid/columns.ts';
import { type LogFilter, matchesFilter, NO_FILTER } from '../lib/request-log.ts';
import { LatestRequest } from './newest.ts';

export type LoggedRow = RequestLogRow & Row;

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

const PAGE_ROWS = 200;
/** Older rows are read when the visible rows are this close to them. */
const AHEAD_ROWS = 60;
/** If requests end while the newest rows are read, the rows are read again, at most this many times in total. */
const MAX_READINGS = 3;
/** If more rows than this were held back, the log is read again. */
const MAX_HELD = 2_000;
/** Maximum number of loaded rows. The log itself is limited to 10,000. */
const MAX_SHOWN = 20_000;

const toRows = (rows: readonly RequestLogRow[]): LoggedRow[] => rows.map((row) => ({ ...row }));

export class RequestLogModel {
  rows = $state.raw<readonly LoggedRow[]>([]);
  /** Number of rows of the log that match the filter, and of all rows. */
  matchingRows = $state(0);
  storedRows = $state(0);
  keptRows = $state(0);
  operations = $state.raw<readonly string[]>([]);
  #titles = $state.raw<LogPage['titles']>({});
  filter = $state.raw<LogFilter>(NO_FILTER);
  /**
   * Null: newest first. In any other order new rows are held back, because their positions are known only after the log
   * is read again.
   */
  sort = $state.raw<LogSort | null>(null);
  phase = $state<'closed' | 'opening' | 'ready' | 'failed'>('closed');
  error = $state.raw<AppError | null>(null);
  /** Whether new rows are shown as they arrive. Otherwise they are counted and held back. */
  isLive = $state(true);
  /** Number of rows held back. */
  heldCount = $state(0);
  inView = $state.raw<readonly LoggedRow[]>([]);

  /** Whether the user is looking at something that new rows would push away. Then they are held back. */
  isBusyReading: () => boolean = () => false;
  /** Called before new requests are added at the top unasked. */
  beforeLetIn: () => void = () => undefined;
  /** Called when the list starts again at its top. */
  onRestart: () => void = () => undefined;

  readonly #connectionId: string;
  readonly #stopListening: () => void;
  #held: LoggedRow[] = [];
  #hasGap = false;
  /** Each filter and order is a new request; answers to earlier ones are ignored. */
  readonly #latest = new LatestRequest();
  /** Older pages in flight: the request they belong to, and the number of rows that are needed in total. */
  #paging: { isLast: () => boolean; end: number; done: Promise<void> } | null = null;
  /** Events received while the newest rows are read. Their rows may already be gone from the log. */
  #meanwhile: [rows: readonly RequestLogRow[], skipped: number][] | null = null;
  readonly #client: Client;

  constructor(connectionId: string, client: Client = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
    this.#stopListening = client.on('traffic:logged', ({ connectionId: of, rows, skipped }) => {
      if (of === this.#connectionId) this.#take(rows, skipped);
    });
  }

  dispose(): void {
    this.#stopListening();
  }

  get count(): number {
    return this.matchingRows;
  }

  row(index: number): LoggedRow | undefined {
    return this.rows[index];
  }

  /**
   * The kind of request in words, even if it was not sent since the program started; the path if the kind is unknown.
   */
  titleOf({ operation }: Pick<RequestLogRow, 'operation'>): string {
    return this.#titles[operation] ?? operation;
  }

  /** Sets the visible rows, and reads older pages as far as needed. */
  ensure(first: number, end: number): void {
    const drawn = this.rows.slice(first, end);
    const before = untrack(() => this.inView);
    const isSame = drawn.length === before.length && drawn.every((row, at) => row === before[at]);
    if (!isSame) this.inView = drawn;
    const wanted = Math.min(end + AHEAD_ROWS, this.matchingRows);
    if (wanted > this.rows.length) void this.#page(wanted);
  }

  /** Loads rows that the caller reads right afterwards. */
  async load(_first: number, end: number): Promise<void> {
    await this.#page(end);
  }

  /** Reads the newest rows. */
  async open(filter = this.filter): Promise<void> {
    const isLast = this.#latest.ask();
    this.filter = filter;
    this.#held = [];
    this.#hasGap = false;
    this.heldCount = 0;
    if (this.phase !== 'ready') this.phase = 'opening';
    try {
      const page = await this.#readNewest(isLast);
      if (page === null) return;
      this.rows = toRows(page.rows);
      this.matchingRows = page.matchingRows;
      this.storedRows = page.storedRows;
      this.keptRows = page.keptRows;
      this.operations = page.operations;
      this.#titles = page.titles;
      this.error = null;
      this.phase = 'ready';
      this.onRestart();
      const meanwhile = this.#meanwhile ?? [];
      this.#meanwhile = null;
      for (const [rows, skipped] of meanwhile) this.#take(rows, skipped);
    } catch (thrown) {
      if (!isLast()) return;
      this.#meanwhile = null;
      this.error = toAppError(thrown);
      this.phase = 'failed';
    }
  }

  /** The newest rows; null if something else was requested meanwhile. */
  async #readNewest(isLast: () => boolean): Promise<LogPage | null> {
    for (let round = 1; ; round += 1) {
      this.#meanwhile = [];
      const page = await this.#read(null);
      if (!isLast()) return null;
      if (this.#meanwhile.length === 0 || round === MAX_READINGS) return page;
    }
  }

  /** Reads the log again in another order, if it was read before. */
  setSort(sort: LogSort | null): void {
    const { sort: known } = this;
    if (known?.field === sort?.field && known?.isDescending === sort?.isDescending) return;
    this.sort = sort;
    if (this.phase !== 'closed') void this.open();
  }

  /** Deletes all requests from the log. Throws AppError. */
  async clear(): Promise<void> {
    await this.#client.invoke('traffic:control', { connectionId: this.#connectionId, action: 'clear-log' });
    await this.open();
  }

  /** Shows new rows as they arrive, or holds them back. */
  setLive(isLive: boolean): void {
    this.isLive = isLive;
    if (isLive) void this.showHeld();
  }

  /** Shows the rows held back, and scrolls to the top. */
  async showHeld(): Promise<void> {
    if (this.#hasGap) return this.open();
    if (this.#held.length === 0) return;
    this.#letIn();
    this.onRestart();
  }

  #read(beforeSeq: number | null) {
    const filter = { ...this.filter, text: this.filter.text.trim() };
    return this.#client.invoke('traffic:get-log', {
      connectionId: this.#connectionId,
      ...filter,
      sort: this.sort,
      limit: PAGE_ROWS,
      beforeSeq,
    });
  }

  /** Resolves when `end` rows are loaded, or all rows if there are fewer. Pages in flight are reused. */
  #page(end: number): Promise<void> {
    const underWay = this.#paging;
    if (underWay?.isLast() === true) {
      underWay.end = Math.max(underWay.end, end);
      return underWay.done;
    }
    const paging = { isLast: this.#latest.still(), end, done: Promise.resolve() };
    this.#paging = paging;
    paging.done = this.#readOlder(paging).finally(() => {
      if (this.#paging === paging) this.#paging = null;
    });
    return paging.done;
  }

  async #readOlder(paging: { readonly isLast: () => boolean; readonly end: number }): Promise<void> {
    const { isLast } = paging;
    // Distant rows can be many pages away, so the list grows once and not with every page.
    const older: LoggedRow[] = [];
    const append = (): void => {
      if (older.length > 0) this.rows = [...this.rows, ...older.splice(0)];
    };
    try {
      while (this.rows.length + older.length < Math.min(paging.end, this.matchingRows)) {
        const oldest = (older.at(-1) ?? this.rows.at(-1))?.seq ?? null;
        const page = await this.#read(oldest);
        if (!isLast()) return;
        older.push(...toRows(page.rows));
        // As new rows arrive, the oldest are removed from the log. Removed rows are not counted.
        if (page.rows.length < PAGE_ROWS) {
          append();
          this.matchingRows = this.rows.length;
        }
      }
      append();
    } catch (thrown) {
      if (!isLast()) return;
      append();
      this.error = toAppError(thrown);
      this.matchingRows = this.rows.length;
    }
  }

  #take(rows: readonly RequestLogRow[], skipped: number): void {
    if (this.#meanwhile !== null) {
      this.#meanwhile.push([rows, skipped]);
      return;
    }
    if (this.phase !== 'ready') return;
    for (const { operation } of rows) {
      if (!this.operations.includes(operation)) this.operations = [...this.operations, operation].toSorted();
    }
    this.storedRows += rows.length + skipped;
    const newest = this.#held[0]?.seq ?? (this.sort === null ? this.rows[0]?.seq : undefined) ?? 0;
    const wanted = toRows(rows).filter((row) => row.seq > newest && matchesFilter(row, this.filter));
    this.#held = [...wanted, ...this.#held];
    if (skipped > 0 || this.#held.length > MAX_HELD) this.#hasGap = true;
    if (this.sort !== null && wanted.length > 0) this.#hasGap = true;
    if (this.isLive && this.sort === null && !this.isBusyReading()) {
      if (this.#hasGap) void this.open();
      else {
        this.beforeLetIn();
        this.#letIn();
      }
    } else this.heldCount = this.#held.length;
  }

  #letIn(): void {
    if (this.#held.length === 0) return;
    this.rows = [...this.#held, ...this.rows].slice(0, MAX_SHOWN);
    this.matchingRows += this.#held.length;
    this.#held = [];
    this.heldCount = 0;
  }
}
