/**
 * Answers of the service about the rows of a list: first stored ones, then newer ones. If a row leaves the view before
 * its answer arrives, its request is cancelled.
 */
import { SvelteMap } from 'svelte/reactivity';
import type { ListQuery, TimeRange } from '../../electron/shared/model.ts';
import { detachedRoot } from './detached-root.svelte.ts';
import type { RecordModel } from './record-state.svelte.ts';
import { StoredAnswer } from './stored-answer.svelte.ts';

interface Held {
  answer: StoredAnswer;
  end: () => void;
  /** Number of rows that show this answer. */
  shown: number;
  /** The range that the rows need. An earlier range can be shown instead. */
  wanted: TimeRange;
  /** Whether to read the answer again when it is next shown, because it was not shown at the last refresh. */
  isDue: boolean;
}

interface RowValuesOptions<T> {
  makeRecord: (key: string) => RecordModel;
  /** The query of a row for a time range. */
  queryOf: (key: string, range: TimeRange) => ListQuery;
  /** Reads the part of an answer that the rows show. `readAtMs`: when the service sent it; null if unknown. */
  read: (record: Record<string, unknown>, query: ListQuery, readAtMs: number | null) => T;
}

/** Maximum number of answers to keep, including those that no row shows. */
const MAX_KEPT = 200;

export class RowValues<T> {
  readonly #options: RowValuesOptions<T>;
  readonly #held = new SvelteMap<string, Held>();
  /** Keys of answers that no row shows; those unshown for the longest time come first. */
  readonly #unshown = new Set<string>();
  /** Cached by answer, because several cells of a row read the same one. */
  readonly #read = new WeakMap<object, { value: T }>();

  constructor(options: RowValuesOptions<T>) {
    this.#options = options;
  }

  /** The value for a row; null while it is unknown. Reactive. */
  of(key: string): T | null {
    const shown = this.#held.get(key)?.answer.shown ?? null;
    if (shown === null) return null;
    let known = this.#read.get(shown.record);
    if (known === undefined) {
      known = { value: this.#options.read(shown.record, shown.query, this.readAtMs(key)) };
      this.#read.set(shown.record, known);
    }
    return known.value;
  }

  /** When the service sent the value; null if unknown. Reactive. */
  readAtMs(key: string): number | null {
    return this.#held.get(key)?.answer.record.freshness?.newestMs ?? null;
  }

  /** Whether nothing is stored and an answer is expected. Reactive. */
  isAwaited(key: string): boolean {
    const answer = this.#held.get(key)?.answer;
    return answer !== undefined && answer.shown === null && answer.isLoading;
  }

  /** Whether a row showed the value, and it is stored or no answer is expected any more. Reactive. */
  isSettled(key: string): boolean {
    return this.#held.has(key) && !this.isAwaited(key);
  }

  /** An earlier range with a stored answer, if the needed one cannot be read; null if there is none. Reactive. */
  storedInstead(key: string): TimeRange | null {
    const answer = this.#held.get(key)?.answer;
    return answer?.reading === 'lost' ? (answer.record.freshness?.storedRange ?? null) : null;
  }

  /** Reads the answer for a range. The returned function must be called when the row no longer shows it. */
  show(key: string, range: TimeRange): () => void {
    const held = this.#held.get(key) ?? this.#hold(key, range);
    held.shown += 1;
    held.wanted = range;
    this.#held.set(key, held);
    this.#unshown.delete(key);
    held.answer.record.setShown(true);
    if (held.isDue) void this.#readAgain(key, held);
    else this.ask(key, range);
    this.#evict();
    return () => {
      held.shown -= 1;
      if (held.shown > 0 || this.#held.get(key) !== held) return;
      if (held.answer.isLoading) this.#drop(key, held);
      else {
        this.#unshown.add(key);
        held.answer.record.setShown(false);
      }
      this.#evict();
    };
  }

  /** The answer must survive the row that requested it first. */
  #hold(key: string, range: TimeRange): Held {
    const { thing, end } = detachedRoot(() => new StoredAnswer(this.#options.makeRecord(key)));
    return { answer: thing, end, shown: 0, wanted: range, isDue: false };
  }

  /** Reads another range for a shown row, which is valid until a refresh. */
  ask(key: string, range: TimeRange): void {
    void this.#held.get(key)?.answer.ask(this.#options.queryOf(key, range));
  }

  /** Reads the needed range of all shown answers again. Others are read again when they are next shown. */
  async refresh(): Promise<void> {
    const shown = [...this.#held].filter(([, held]) => held.shown > 0);
    for (const held of this.#held.values()) held.isDue = held.shown === 0;
    await Promise.all(shown.map(([key, held]) => this.#readAgain(key, held)));
  }

  /** Ends all requests, because the view is left. */
  release(): void {
    for (const [key, held] of this.#held) this.#drop(key, held);
  }

  /** Asks the service even if the stored answer is recent. */
  async #readAgain(key: string, held: Held): Promise<void> {
    held.isDue = false;
    const query = this.#options.queryOf(key, held.wanted);
    if (held.answer.isFor(query)) await held.answer.refresh();
    else await held.answer.ask(query, 'always');
  }

  #evict(): void {
    for (const key of this.#unshown) {
      if (this.#held.size <= MAX_KEPT) return;
      const held = this.#held.get(key);
      if (held !== undefined) this.#drop(key, held);
    }
  }

  #drop(key: string, held: Held): void {
    held.answer.record.dispose();
    held.end();
    this.#unshown.delete(key);
    if (this.#held.get(key) === held) this.#held.delete(key);
  }
}
