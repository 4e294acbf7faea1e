/**
 * Recent records of alert rules for the rows of a list: stored ones at once, then those of the service. A row that
 * leaves the view before its answer came cancels its request.
 */
import { SvelteMap } from 'svelte/reactivity';
import { rangeQuery } from '../../electron/shared/alert-record.ts';
import type { TimeRange } from '../../electron/shared/model.ts';
import { type AlertBin, readHistory } from '../lib/monitoring/alert-history.ts';
import type { RecordModel } from './record-state.svelte.ts';
import { StoredAnswer } from './stored-answer.svelte.ts';

interface Held {
  answer: StoredAnswer;
  /** Number of rows that show it. */
  shown: number;
}

/** Of rows that are not shown any more, this many answers stay at hand. */
const MAX_KEPT = 200;
const NONE: readonly AlertBin[] = [];

export class RuleHistories {
  readonly #makeRecord: (ruleId: string) => RecordModel;
  readonly #held = new SvelteMap<string, Held>();
  /** Bins by answer, as several cells of a row read the same one. */
  readonly #bins = new WeakMap<object, readonly AlertBin[]>();

  constructor(makeRecord: (ruleId: string) => RecordModel) {
    this.#makeRecord = makeRecord;
  }

  /** Oldest first; empty while nothing is known. Reactive. */
  of(ruleId: string): readonly AlertBin[] {
    const record = this.#held.get(ruleId)?.answer.shown?.record;
    if (record === undefined) return NONE;
    let bins = this.#bins.get(record);
    if (bins === undefined) {
      ({ bins } = readHistory(record));
      this.#bins.set(record, bins);
    }
    return bins;
  }

  /** Time at which the service sent them; null if it is not known. Reactive. */
  readAtMs(ruleId: string): number | null {
    return this.#held.get(ruleId)?.answer.record.freshness?.newestMs ?? null;
  }

  /** Whether an answer is awaited and none is stored. Reactive. */
  isAwaited(ruleId: string): boolean {
    const answer = this.#held.get(ruleId)?.answer;
    return answer !== undefined && answer.shown === null && answer.isLoading;
  }

  /** An earlier range whose records are stored, if those of the wanted one cannot be read; null for none. Reactive. */
  storedInstead(ruleId: string): TimeRange | null {
    const answer = this.#held.get(ruleId)?.answer;
    return answer?.reading === 'lost' ? (answer.record.freshness?.storedRange ?? null) : null;
  }

  /** Reads the records of a range. Returns a function to be called when the row shows them no longer. */
  show(ruleId: string, range: TimeRange): () => void {
    const held = this.#held.get(ruleId) ?? {
      answer: new StoredAnswer(this.#makeRecord(ruleId)),
      shown: 0,
    };
    held.shown += 1;
    this.#held.set(ruleId, held);
    this.ask(ruleId, range);
    return () => {
      held.shown -= 1;
      if (held.shown === 0 && (held.answer.isLoading || this.#held.size > MAX_KEPT)) this.#drop(ruleId, held);
    };
  }

  /** Reads another range for a row that is shown. */
  ask(ruleId: string, range: TimeRange): void {
    void this.#held.get(ruleId)?.answer.ask({
      operation: 'alert-rules.history',
      path: { alert_id: ruleId },
      query: rangeQuery(range),
    });
  }

  /** Reads all shown ones again. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#held.values()].map(({ answer }) => answer.refresh()));
  }

  /** Ends all requests: the view is left. */
  release(): void {
    for (const [ruleId, held] of this.#held) this.#drop(ruleId, held);
  }

  #drop(ruleId: string, held: Held): void {
    held.answer.record.dispose();
    if (this.#held.get(ruleId) === held) this.#held.delete(ruleId);
  }
}
