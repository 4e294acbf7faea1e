/** Messages of a session's exchanges, which are read one after the other. Exists as long as its tab. */
import { type AppError, toAppError } from '../../../../electron/shared/errors.ts';
import { type Exchange, type Said, saidIn } from '../../../../electron/shared/messages/exchanges.ts';
import type { JsonObject } from '../../../lib/records.ts';
import type { SpanHead } from '../../../lib/trace-tree.ts';

/** Number of exchanges that are read and drawn at first, and added with each request. */
export const EXCHANGES_AT_ONCE = 20;

interface ExchangeText {
  /** Identifies the list that the text was read from. If it changes, the text is read again. */
  source: string;
  /** Null if the spans of the exchange contain no messages. */
  said: Said | null;
  error: AppError | null;
}

/** The next exchange to read. */
interface PendingExchange {
  exchange: Exchange<SpanHead>;
  source: string;
  before: Said['all'];
  read: ReadRecord;
}

type ReadRecord = (span: SpanHead) => Promise<JsonObject | null>;

export class SessionConversation {
  /** Texts by key of the exchange. Missing texts are still being read. */
  texts = $state.raw<ReadonlyMap<string, ExchangeText>>(new Map());
  /** Number of drawn exchanges. */
  shown = $state(EXCHANGES_AT_ONCE);
  /** Keys of exchanges whose spans are expanded. */
  open = $state.raw<ReadonlySet<string>>(new Set());
  /** Key of the span with the cursor. */
  cursor = $state<string | null>(null);
  /** Key of the span from which the session was opened. The cursor moves to it when it is loaded. */
  wanted = $state<string | null>(null);
  /** Scroll position in pixels from the top. */
  scrollTop = 0;
  #asked: { exchanges: readonly Exchange<SpanHead>[]; source: string; read: ReadRecord } | null = null;
  #isReading = false;

  toggle(key: string): void {
    const next = new Set(this.open);
    if (!next.delete(key)) next.add(key);
    this.open = next;
  }

  /**
   * Reads the missing texts of these exchanges, which include all from the first one on. `source`: identifies the state
   * of the list.
   */
  ensure(exchanges: readonly Exchange<SpanHead>[], source: string, read: ReadRecord): void {
    this.#asked = { exchanges, source, read };
    if (!this.#isReading) void this.#readAll();
  }

  /** Reads an exchange again after an error. */
  again(key: string): void {
    this.texts = new Map([...this.texts].filter(([each]) => each !== key));
    if (!this.#isReading) void this.#readAll();
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const asked = this.#asked;
      const text = await this.#readText(next);
      // The list is being read again. Its exchanges are requested again when they arrive, or were meanwhile.
      if (text === null && asked === this.#asked) break;
      if (text === null) continue;
      this.texts = new Map([...this.texts, [next.exchange.key, text]]);
    }
    this.#isReading = false;
  }

  #next(): PendingExchange | null {
    let before: Said['all'] = [];
    for (const exchange of this.#asked?.exchanges ?? []) {
      const source = `${this.#asked?.source} ${exchange.speakers.map(({ place }) => place).join(' ')}`;
      const known = this.texts.get(exchange.key);
      if (known?.source !== source && this.#asked !== null)
        return { exchange, source, before, read: this.#asked.read };
      before = known?.said?.all ?? before;
    }
    return null;
  }

  async #readText({ exchange, source, before, read }: PendingExchange): Promise<ExchangeText | null> {
    try {
      for (const speaker of exchange.speakers) {
        const record = await read(speaker);
        if (record === null) return null;
        const said = saidIn(record, before);
        if (said !== null) return { source, said, error: null };
      }
      return { source, said: null, error: null };
    } catch (thrown) {
      return { source, said: null, error: toAppError(thrown) };
    }
  }
}
