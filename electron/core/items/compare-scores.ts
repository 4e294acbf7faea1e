/** Two runs of scores, item by item: better, worse, same, with their distribution. Pure. */
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
const MOST_LABEL_PAIRS = 50;

/** What became of the score of one item. */
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
  /** Failure kind of an item; null where it has none. */
  kindOf: (itemId: string) => string | null;
}

/** Takes pairs one after the other; answers all of it but names and the part of the rows. */
export class Comparison {
  readonly #rules: ComparisonRules;
  readonly #rows: ComparedScore[] = [];

  constructor(rules: ComparisonRules) {
    this.#rules = rules;
  }

  add(pair: ScorePair): void {
    const { itemId, before, after } = pair;
    const hasBoth = before !== null && after !== null && before.value !== null && after.value !== null;
    this.#rows.push({
      itemId,
      change: changeOf(pair, this.#rules.lowerIsBetter),
      before,
      after,
      difference: hasBoth ? Number(after.value) - Number(before.value) : null,
      failureKind: this.#rules.kindOf(itemId),
    });
  }

  /** The largest change first; equal ones in the order they came. */
  rows(): ComparedScore[] {
    const sizeOf = ({ difference }: ComparedScore) => Math.abs(difference ?? 0);
    const placeOf = ({ change }: ComparedScore) => SCORE_CHANGES.indexOf(change);
    return this.#rows.toSorted((one, other) => placeOf(one) - placeOf(other) || sizeOf(other) - sizeOf(one));
  }

  summary(): Omit<ScoreComparison, 'name' | 'names' | 'rows' | 'total'> {
    const byKind = Map.groupBy(
      this.#rows.filter(({ failureKind }) => failureKind !== null),
      ({ failureKind }) => failureKind ?? '',
    );
    return {
      counts: countsOf(this.#rows),
      means: meansOf(this.#rows),
      bins: binsOf(this.#rows),
      labels: labelsOf(this.#rows),
      failureKinds: [...byKind]
        .map(([name, rows]) => ({ name, counts: countsOf(rows) }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
    };
  }
}

function countsOf(rows: readonly ComparedScore[]): Record<ScoreChange, number> {
  const counts = { worse: 0, better: 0, changed: 0, same: 0, missing: 0 };
  for (const { change } of rows) counts[change] += 1;
  return counts;
}

function meansOf(rows: readonly ComparedScore[]): ScoreComparison['means'] {
  let items = 0;
  const sums = { before: 0, after: 0 };
  for (const { before, after, difference } of rows) {
    if (difference === null) continue;
    items += 1;
    sums.before += before?.value ?? 0;
    sums.after += after?.value ?? 0;
  }
  return items === 0 ? null : { before: sums.before / items, after: sums.after / items, items };
}

function binsOf(rows: readonly ComparedScore[]): ScoreComparison['bins'] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const valuesOf = ({ before, after }: ComparedScore) => [before?.value ?? null, after?.value ?? null];
  for (const value of rows.flatMap(valuesOf)) {
    if (value === null) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (least > most) return [];
  const count = least === most ? 1 : BINS;
  const width = (most - least) / count;
  const bins = Array.from({ length: count }, (_, at) => ({
    from: least + width * at,
    // The last ends exactly at the largest number.
    to: at === count - 1 ? most : least + width * (at + 1),
    ...{ before: 0, after: 0 },
  }));
  const binOf = (value: number) =>
    bins[width === 0 ? 0 : Math.min(count - 1, Math.floor((value - least) / width))];
  for (const { before, after } of rows) {
    for (const [side, value] of [
      ['before', before?.value ?? null],
      ['after', after?.value ?? null],
    ] as const) {
      const bin = value === null ? undefined : binOf(value);
      if (bin !== undefined) bin[side] += 1;
    }
  }
  return bins;
}

function labelsOf(rows: readonly ComparedScore[]): ScoreComparison['labels'] {
  const pairs = new Map<string, ScoreComparison['labels'][number]>();
  for (const { before, after } of rows) {
    const [from, to] = [before?.label ?? null, after?.label ?? null];
    if (from === null || to === null) continue;
    const key = JSON.stringify([from, to]);
    const pair = pairs.get(key) ?? { before: from, after: to, items: 0 };
    pairs.set(key, { ...pair, items: pair.items + 1 });
  }
  return [...pairs.values()].toSorted((one, other) => other.items - one.items).slice(0, MOST_LABEL_PAIRS);
}
