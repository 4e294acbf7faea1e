/** The results of a run in columns, one entry for each item of its dataset. Pure. */
import type { ResultFate } from '../../shared/experiment-result.ts';
import { elementAt } from '../element-at.ts';

/** Fates by their code in `RunColumns.fates`. If an item has several results, the best fate counts. */
export const RUN_FATES = ['good', 'other', 'failed', 'skipped', 'unscored'] as const;
type RunFate = ResultFate | 'unscored';

export interface NumberColumn {
  /** The number of each item, or the mean of its results; NaN if there is none. */
  values: Float64Array;
}
export interface ScoreColumn extends NumberColumn {
  evaluator: string;
  name: string;
  /**
   * Index in `labelNames` for each item, or −1. If an item has several results, their most frequent label counts, or
   * the first of equally frequent ones. Empty if there are no labels.
   */
  labels: Int32Array;
  labelNames: readonly string[];
  /** All numbers of items that have several, by the index of the item. */
  several: ReadonlyMap<number, readonly number[]>;
}

export interface RunColumns {
  itemIds: readonly string[];
  /** For each item, its index in RUN_FATES. */
  fates: Uint8Array;
  /** In milliseconds. */
  durations: NumberColumn;
  /** Numbers in the outputs, by their path. */
  measures: ReadonlyMap<string, NumberColumn>;
  scores: readonly ScoreColumn[];
  /** Number of results by fate. */
  results: Record<RunFate, number>;
  /** Position of the first result of each item, and of all results for items with several. */
  positions: Int32Array;
  repeated: ReadonlyMap<number, readonly number[]>;
  /** Traces that the results of an item refer to, by the index of the item. Items without traces are absent. */
  traces: ReadonlyMap<number, readonly string[]>;
}

export interface ColumnResult {
  itemId: string;
  position: number;
  fate: RunFate;
  durationMs: number | null;
  scores: readonly { evaluator: string; name: string; value: number | null; label: string | null }[];
  measures?: Iterable<readonly [path: string, value: number]>;
  /** Null or absent if the result refers to no trace. */
  traceId?: string | null;
}

/** Collects the mean number of each item over its results. */
class Means {
  /** NaN for an item without a number. */
  readonly #values: number[] = [];
  /** All numbers of items that have several. */
  readonly several = new Map<number, number[]>();

  add(at: number, value: number): void {
    while (this.#values.length <= at) this.#values.push(Number.NaN);
    const known = elementAt(this.#values, at);
    if (Number.isNaN(known)) {
      this.#values[at] = value;
      return;
    }
    const several = this.several.get(at);
    if (several === undefined) this.several.set(at, [known, value]);
    else several.push(value);
  }

  means(items: number): Float64Array {
    const means = new Float64Array(items).fill(Number.NaN);
    means.set(this.#values.slice(0, items));
    for (const [at, several] of this.several) means[at] = meanOf(several);
    return means;
  }
}

/** Independent of the order of the values, and exact if all of them are equal. */
function meanOf(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const least = elementAt(sorted, 0);
  let sum = 0;
  for (const value of sorted) sum += value - least;
  return least + sum / sorted.length;
}

class ScoreSums {
  readonly numbers = new Means();
  readonly labelNames: string[] = [];
  readonly #codes = new Map<string, number>();
  readonly #labels: number[] = [];
  /** Number of results with each label, for items with several results. */
  readonly #votes = new Map<number, Map<number, number>>();

  addLabel(at: number, label: string): void {
    const code = this.#codes.get(label) ?? this.labelNames.push(label) - 1;
    this.#codes.set(label, code);
    while (this.#labels.length <= at) this.#labels.push(-1);
    const known = elementAt(this.#labels, at);
    if (known === -1) {
      this.#labels[at] = code;
      return;
    }
    const votes = this.#votes.get(at) ?? new Map([[known, 1]]);
    votes.set(code, (votes.get(code) ?? 0) + 1);
    this.#votes.set(at, votes);
  }

  labels(items: number): Int32Array {
    if (this.labelNames.length === 0) return new Int32Array();
    const labels = new Int32Array(items).fill(-1);
    labels.set(this.#labels.slice(0, items));
    for (const [at, votes] of this.#votes) {
      let [best, most] = [-1, 0];
      for (const [code, count] of votes) if (count > most) [best, most] = [code, count];
      labels[at] = best;
    }
    return labels;
  }
}

/** Maximum number of different paths to numbers in outputs. */
const MAX_MEASURES = 12;

/**
 * Takes results one by one. Failed and skipped results are counted and do not contribute numbers, unless the builder
 * takes each score. That option is for results that failed only because one of their scores is empty.
 */
export class RunColumnsBuilder {
  readonly #isDistinct: boolean;
  readonly #takesEachScore: boolean;
  readonly #itemIds: string[] = [];
  readonly #places = new Map<string, number>();
  readonly #fates: number[] = [];
  readonly #positions: number[] = [];
  readonly #repeated = new Map<number, number[]>();
  readonly #traces = new Map<number, string[]>();
  readonly #durations = new Means();
  readonly #measures = new Map<string, Means>();
  readonly #scores: { evaluator: string; name: string; sums: ScoreSums }[] = [];
  readonly #results: Record<RunFate, number> = { good: 0, failed: 0, skipped: 0, other: 0, unscored: 0 };

  /**
   * `isDistinct`: no item has several results, so results need not be looked up by item. `takesEachScore`: scores count
   * whatever the fate of their result.
   */
  constructor({ isDistinct = false, takesEachScore = false } = {}) {
    this.#isDistinct = isDistinct;
    this.#takesEachScore = takesEachScore;
  }

  add(result: ColumnResult): void {
    const { itemId, fate, position, durationMs, scores, measures = [], traceId = null } = result;
    this.#results[fate] += 1;
    const at = this.#placeOf(itemId, position, RUN_FATES.indexOf(fate));
    if (traceId !== null) this.#addTrace(at, traceId);
    const isDone = fate === 'good' || fate === 'other';
    if (isDone || this.#takesEachScore) this.#addScores(at, scores);
    if (!isDone) return;
    if (durationMs !== null) this.#durations.add(at, durationMs);
    for (const [path, value] of measures) this.#measureOf(path)?.add(at, value);
  }

  #addTrace(at: number, traceId: string): void {
    const known = this.#traces.get(at);
    if (known === undefined) this.#traces.set(at, [traceId]);
    else known.push(traceId);
  }

  #addScores(at: number, scores: ColumnResult['scores']): void {
    for (const { evaluator, name, value, label } of scores) {
      if (value === null && label === null) continue;
      const { sums } = this.#scoreOf(evaluator, name);
      if (value !== null && Number.isFinite(value)) sums.numbers.add(at, value);
      if (label !== null) sums.addLabel(at, label);
    }
  }

  #placeOf(itemId: string, position: number, fate: number): number {
    const known = this.#isDistinct ? undefined : this.#places.get(itemId);
    if (known === undefined) {
      const at = this.#itemIds.push(itemId) - 1;
      if (!this.#isDistinct) this.#places.set(itemId, at);
      this.#positions.push(position);
      this.#fates.push(fate);
      return at;
    }
    const positions = this.#repeated.get(known) ?? [elementAt(this.#positions, known)];
    positions.push(position);
    this.#repeated.set(known, positions);
    this.#fates[known] = Math.min(elementAt(this.#fates, known), fate);
    return known;
  }

  #measureOf(path: string): Means | undefined {
    const known = this.#measures.get(path);
    if (known !== undefined || this.#measures.size >= MAX_MEASURES) return known;
    const sums = new Means();
    this.#measures.set(path, sums);
    return sums;
  }

  #scoreOf(evaluator: string, name: string) {
    // A run has only a few scores, so a search is faster than building a key from both names for each result.
    const known = this.#scores.find((each) => each.name === name && each.evaluator === evaluator);
    if (known !== undefined) return known;
    const score = { evaluator, name, sums: new ScoreSums() };
    this.#scores.push(score);
    return score;
  }

  finish(): RunColumns {
    const items = this.#itemIds.length;
    const numbers = (sums: Means): NumberColumn => ({ values: sums.means(items) });
    return {
      itemIds: this.#itemIds,
      fates: Uint8Array.from(this.#fates),
      durations: numbers(this.#durations),
      measures: new Map([...this.#measures].map(([path, sums]) => [path, numbers(sums)])),
      scores: this.#scores.map(({ evaluator, name, sums }) => ({
        ...{ evaluator, name, ...numbers(sums.numbers) },
        ...{ labels: sums.labels(items), labelNames: sums.labelNames, several: sums.numbers.several },
      })),
      results: this.#results,
      positions: Int32Array.from(this.#positions),
      repeated: this.#repeated,
      traces: this.#traces,
    };
  }
}

/** Maximum depth and length of a path to a number in outputs. */
const MAX_DEPTH = 3;
const MAX_PATH = 80;

/** The numbers in outputs with their paths, such as `usage.input_tokens`. Lists are skipped. */
export function* numbersIn(
  fields: Readonly<Record<string, unknown>>,
  prefix = '',
  depth = 1,
): Generator<[string, number]> {
  for (const [name, value] of Object.entries(fields)) {
    const path = `${prefix}${name}`;
    if (path.length > MAX_PATH) continue;
    if (typeof value === 'number' && Number.isFinite(value)) yield [path, value];
    else if (depth < MAX_DEPTH && typeof value === 'object' && value !== null && !Array.isArray(value))
      yield* numbersIn(value as Record<string, unknown>, `${path}.`, depth + 1);
  }
}
