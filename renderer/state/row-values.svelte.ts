/**
 * Answers of the service for the rows of a list: stored ones at once, then newer ones. A row that leaves the view before
 * its answer came cancels its request.
 */
import { SvelteMap } from 'svelte/reactivity';
import type { ListQuery, TimeRange } from '../../electron/shared/model.ts';
import type { RecordModel } from './record-state.svelte.ts';
import { StoredAnswer } from './stored-answer.svelte.ts';

interface Held {
  answer: StoredAnswer;
  /** Number of rows that show it. */
  shown: number;
}

interface RowValuesOptions<T> {
  makeRecord: (key: string) => RecordModel;
  /** The query of a row for a range of time. */
  queryOf: (key: string, range: TimeRange) => ListQuery;
  /** Reads the part of an answer that the rows show; `readAtMs`: when the service sent it, null if that is not known. */
  read: (record: Record<string, unknown>, query: ListQuery, readAtMs: number | null) => T;
}

/** Maximum number of answers to keep, including those of rows that are no longer shown. */
const MAX_KEPT = 200;

export class RowValues<T> {
  readonly #options: RowValuesOptions<T>;
  readonly #held = new SvelteMap<string, Held>();
  /** By answer, as several cells of a row read the same one. */
  readonly #read = new WeakMap<object, { value: T }>();

  constructor(options: RowValuesOptions<T>) {
    this.#options = options;
  }

  /** Null while nothing is known. Reactive. */
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

  /** Time at which the service sent it; null if it is not known. Reactive. */
  readAtMs(key: string): number | null {
    return this.#held.get(key)?.answer.record.freshness?.newestMs ?? null;
  }

  /** Whether an answer is awaited and none is stored. Reactive. */
  isAwaited(key: string): boolean {
    const answer = this.#held.get(key)?.answer;
    return answer !== undefined && answer.shown === null && answer.isLoading;
  }

  /** An earlier range with a stored answer, if the wanted one cannot be read; null for none. Reactive. */
  storedInstead(key: string): TimeRange | null {
    const answer = this.#held.get(key)?.answer;
    return answer?.reading === 'lost' ? (answer.record.freshness?.storedRange ?? null) : null;
  }

  /** Reads the answer for a range. Returns a function to be called when the row shows it no longer. */
  show(key: string, range: TimeRange): () => void {
    const held = this.#held.get(key) ?? {
      answer: new StoredAnswer(this.#options.makeRecord(key)),
      shown: 0,
    };
    held.shown += 1;
    this.#held.set(key, held);
    this.ask(key, range);
    return () => {
      held.shown -= 1;
      if (held.shown === 0 && (held.answer.isLoading || this.#held.size > MAX_KEPT)) this.#drop(key, held);
    };
  }

  /** Reads another range for a row that is shown. */
  ask(key: string, range: TimeRange): void {
    void this.#held.get(key)?.answer.ask(this.#options.queryOf(key, range));
  }

  /** Reads all shown ones again. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ answer }) => answer.refresh()));
  }

  /** Ends all requests: the view is left. */
  release(): void {
    for (const [key, held] of this.#held) this.#drop(key, held);
  }

  #drop(key: string, held: Held): void {
    held.answer.record.dispose();
    if (this.#held.get(key) === held) this.#held.delete(key);
  }
}
