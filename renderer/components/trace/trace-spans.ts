/** The spans of a trace as its tree needs them, read page by page from a list that holds only some of its records. */
import type { Freshness, ListQuery } from '../../../electron/shared/model.ts';
import type { JsonObject } from '../../lib/records.ts';
import { type SpanHead, spanHead } from '../../lib/trace-tree.ts';

const MOST_SPANS = 50_000;
/** Read at once; of the first ones only so many that they are drawn soon. */
const SPANS_AT_ONCE = 2_000;
const FIRST_SPANS = 100;

/** What of a list is used here. */
interface SpanList {
  readonly query: ListQuery | null;
  readonly freshness: Pick<Freshness, 'oldestMs' | 'storedRows'> | null;
  readonly count: number;
  /** Of them, those that are stored. */
  readonly matchingRows: number;
  row: (place: number) => JsonObject | undefined;
  ensure: (first: number, end: number) => void;
  load: (first: number, end: number) => Promise<void>;
}

export class TraceSpans {
  readonly #list: SpanList;
  readonly #onMore: () => void;
  /** What the tree is built of. */
  #shown: (SpanHead | undefined)[] = [];
  /** The same; another one while the list is read anew, until it has as many. */
  #read: (SpanHead | undefined)[] = this.#shown;
  #source = { query: '', oldestMs: null as number | null, storedRows: 0 };
  #isReading = false;
  #isAsked = false;
  #isStopped = false;

  /** `onMore`: further spans are here, or other ones. */
  constructor(list: SpanList, onMore: () => void) {
    this.#list = list;
    this.#onMore = onMore;
  }

  /** In the order of the list. */
  get spans(): SpanHead[] {
    return this.#shown.filter((each) => each !== undefined);
  }

  /** Reads what came to the list since; all of it where the list is another one, or was read anew. */
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
    // Pages that are read on leave the first answer as it is.
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
      // The rest is asked of the service, and followed once it is here.
      if (this.#isStopped || this.#isAsked || (!isWhole && list.count > list.matchingRows)) return;
      at = to;
    }
    this.#read.length = Math.min(this.#read.length, this.#end);
    this.#shown = this.#read;
    this.#onMore();
  }

  get #end(): number {
    return Math.min(this.#list.count, MOST_SPANS);
  }

  /** Are all of them here? */
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
