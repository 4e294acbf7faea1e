/** Compares two score runs item by item: better, worse, same, and their distribution. Pure. */

import { type Pieces, sortInPieces } from '../../shared/pieces.ts';
import {
  type ComparedScore,
  SCORE_CHANGES,
  type ScoreChange,
  type ScoreComparison,
} from '../../shared/score-comparison.ts';
import type { ScoreValue } from '../../shared/score-model.ts';

export interface ScorePair {
  itemId: string;
  before: ScoreValue | null;
  after: ScoreValue | null;
}

const BINS = 20;
const MAX_LABEL_PAIRS = 50;
/** Rows processed at once. */
const PIECE = 2_000;

/** The change of one item's score. */
export function changeOf({ before, after }: ScorePair, lowerIsBetter: boolean): ScoreChange {
  if (before === null || after === null) return 'missing';
  if (before.value !== null && after.value !== null) {
    if (before.value === after.value) return 'same';
    return after.value > before.value === lowerIsBetter ? 'worse' : 'better';
  }
  if (before.value !== null || after.value !== null) return 'changed';
  return before.label === after.label ? 'same' : 'changed';
}

interface ComparisonRules {
  lowerIsBetter: boolean;
  /** Failure kind of an item; null if it has none. */
  kindOf: (itemId: string) => string | null;
}

type Summary = Omit<ScoreComparison, 'name' | 'names' | 'rows' | 'total'>;
const noChanges = (): Record<ScoreChange, number> => ({
  worse: 0,
  better: 0,
  changed: 0,
  same: 0,
  missing: 0,
});

/** Takes pairs one by one; produces the whole comparison except names and the window of rows. */
export class Comparison {
  readonly #rules: ComparisonRules;
  readonly #rows: Record<ScoreChange, ComparedScore[]> = {
    ...{ worse: [], better: [], changed: [], same: [], missing: [] },
  };
  readonly #byKind = new Map<string, Record<ScoreChange, number>>();
  readonly #labels = new Map<string, ScoreComparison['labels'][number]>();
  readonly #sums = { before: 0, after: 0, items: 0 };
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;

  constructor(rules: ComparisonRules) {
    this.#rules = rules;
  }

  add(pair: ScorePair): void {
    const { itemId, before, after } = pair;
    const [from, to] = [before?.value ?? null, after?.value ?? null];
    const change = changeOf(pair, this.#rules.lowerIsBetter);
    const failureKind = this.#rules.kindOf(itemId);
    const difference = from === null || to === null ? null : to - from;
    this.#rows[change].push({ itemId, change, before, after, difference, failureKind });
    if (failureKind !== null) {
      const counts = this.#byKind.get(failureKind) ?? noChanges();
      counts[change] += 1;
      this.#byKind.set(failureKind, counts);
    }
    if (from !== null && to !== null) {
      this.#sums.items += 1;
      this.#sums.before += from;
      this.#sums.after += to;
      this.#least = Math.min(this.#least, from, to);
      this.#most = Math.max(this.#most, from, to);
    }
    this.#addLabels(before?.label ?? null, after?.label ?? null);
  }

  #addLabels(before: string | null, after: string | null): void {
    if (before === null || after === null) return;
    const key = JSON.stringify([before, after]);
    const pair = this.#labels.get(key) ?? { before, after, items: 0 };
    pair.items += 1;
    this.#labels.set(key, pair);
  }

  /** In small steps. Rows are sorted by largest change first; equal ones keep their order. */
  *finish(): Pieces<{ summary: Summary; rows: ComparedScore[] }> {
    const sizeOf = ({ difference }: ComparedScore) => Math.abs(difference ?? 0);
    const rows: ComparedScore[] = [];
    for (const change of SCORE_CHANGES) {
      const sorted = yield* sortInPieces(this.#rows[change], (one, other) => sizeOf(other) - sizeOf(one));
      for (const [at, row] of sorted.entries()) {
        rows.push(row);
        if (at % PIECE === PIECE - 1) yield;
      }
    }
    return { rows, summary: yield* this.#summary(rows) };
  }

  *#summary(rows: readonly ComparedScore[]): Pieces<Summary> {
    const { before, after, items } = this.#sums;
    const counts = noChanges();
    for (const change of SCORE_CHANGES) counts[change] = this.#rows[change].length;
    return {
      counts,
      means: items === 0 ? null : { before: before / items, after: after / items, items },
      bins: yield* this.#bins(rows),
      labels: [...this.#labels.values()]
        .toSorted((one, other) => other.items - one.items)
        .slice(0, MAX_LABEL_PAIRS),
      failureKinds: [...this.#byKind]
        .map(([name, kindCounts]) => ({ name, counts: kindCounts }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
    };
  }

  *#bins(rows: readonly ComparedScore[]): Pieces<ScoreComparison['bins']> {
    const [least, most] = [this.#least, this.#most];
    if (least > most) return [];
    const count = least === most ? 1 : BINS;
    const width = (most - least) / count;
    const bins = Array.from({ length: count }, (_, at) => ({
      from: least + width * at,
      // The last one ends exactly at the maximum.
      to: at === count - 1 ? most : least + width * (at + 1),
      ...{ before: 0, after: 0 },
    }));
    const binOf = (value: number) =>
      bins[width === 0 ? 0 : Math.min(count - 1, Math.floor((value - least) / width))];
    for (const [at, { before, after }] of rows.entries()) {
      const [from, to] = [before?.value ?? null, after?.value ?? null];
      if (from !== null && to !== null) {
        const [own, later] = [binOf(from), binOf(to)];
        if (own !== undefined) own.before += 1;
        if (later !== undefined) later.after += 1;
      }
      if (at % PIECE === PIECE - 1) yield;
    }
    return bins;
  }
}
