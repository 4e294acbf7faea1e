/** Spans of a trace for its tree, read page by page from a list that caches only some of its records. */
import type { Freshness, ListQuery } from '../../../electron/shared/model.ts';
import type { JsonObject } from '../../lib/records.ts';
import { type SpanHead, spanHead } from '../../lib/trace-tree.ts';

const MAX_SPANS = 50_000;
/** Number of spans per read. The first read is smaller, so that spans are drawn soon. */
const SPANS_AT_ONCE = 2_000;
const FIRST_SPANS = 100;

/** The part of a list that is used here. */
interface SpanList {
  readonly query: ListQuery | null;
  readonly freshness: Pick<Freshness, 'oldestMs' | 'storedRows'> | null;
  readonly count: number;
  /** Number of stored spans. */
  readonly matchingRows: number;
  row: (place: number) => JsonObject | undefined;
  ensure: (first: number, end: number) => void;
  load: (first: number, end: number) => Promise<void>;
}

export class TraceSpans {
  readonly #list: SpanList;
  readonly #onMore: () => void;
  /** Spans of the tree that is shown. */
  #shown: (SpanHead | undefined)[] = [];
  /** Usually the same array. While the list is read again, it is a new one, until that has as many spans. */
  #read: (SpanHead | undefined)[] = this.#shown;
  #source = { query: '', oldestMs: null as number | null, storedRows: 0 };
  #isReading = false;
  #isAsked = false;
  #isStopped = false;

  /** `onMore`: called after spans were added or changed. */
  constructor(list: SpanList, onMore: () => void) {
    this.#list = list;
    this.#onMore = onMore;
  }

  /** The spans in the order of the list. */
  get spans(): SpanHead[] {
    return this.#shown.filter((each) => each !== undefined);
  }

  /** Reads the spans that were added to the list. If the list changed or was read again, reads all. */
  follow(): void {
    this.#isAsked = true;
    if (!this.#isReading) void this.#follow();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #follow(): Promise<void> {
    this.#isReading = true;
    while (this.#isAsked && !this.#isStopped) {
      this.#isAsked = false;
      this.#noteSource();
      await this.#readOn();
    }
    this.#isReading = false;
  }

  #noteSource(): void {
    const { query, freshness } = this.#list;
    const before = this.#source;
    const now = {
      query: JSON.stringify(query),
      oldestMs: freshness?.oldestMs ?? null,
      storedRows: freshness?.storedRows ?? 0,
    };
    this.#source = now;
    // Whether the list merely got more pages, so that the spans read so far stay valid.
    if (now.query === before.query && now.oldestMs === before.oldestMs && now.storedRows >= before.storedRows)
      return;
    this.#read = [];
    if (now.query !== before.query) this.#shown = this.#read;
  }

  async #readOn(): Promise<void> {
    const list = this.#list;
    const hole = this.#read.indexOf(undefined);
    let at = hole === -1 ? this.#read.length : hole;
    while (at < this.#end) {
      const to = Math.min(this.#end, at + (at === 0 ? FIRST_SPANS : SPANS_AT_ONCE));
      list.ensure(at, to);
      await list.load(at, to);
      if (this.#isStopped) return;
      const isWhole = this.#take(at, to);
      if (this.#read.length >= this.#shown.length) this.#shown = this.#read;
      this.#onMore();
      // The other spans are requested from the service, and read when they arrive.
      if (this.#isStopped || this.#isAsked || (!isWhole && list.count > list.matchingRows)) return;
      at = to;
    }
    this.#read.length = Math.min(this.#read.length, this.#end);
    this.#shown = this.#read;
    this.#onMore();
  }

  get #end(): number {
    return Math.min(this.#list.count, MAX_SPANS);
  }

  /** Takes the loaded spans of this range. Returns whether all of them were loaded. */
  #take(from: number, to: number): boolean {
    let isWhole = true;
    for (let place = from; place < to; place += 1) {
      const row = this.#list.row(place);
      this.#read[place] = row === undefined ? undefined : spanHead(row, place);
      if (row === undefined) isWhole = false;
    }
    return isWhole;
  }
}
