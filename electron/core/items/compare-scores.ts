/** Compares two score runs item by item: better, worse, same, and their distribution. Pure. */

import { type Pieces, sortInPieces } from '../../shared/pieces.ts';
import {
  type ComparedScore,
  MAX_LABEL_PAIRS,
  SCORE_CHANGES,
  type ScoreChange,
  type ScoreComparison,
  type ScoreFigures,
  type ScoreSelection,
} from '../../shared/score-comparison.ts';
import type { ScoreItemState, ScoreValue } from '../../shared/score-model.ts';
import { elementAt } from '../element-at.ts';
import { agreementOf } from '../statistics/agreement.ts';
import { adjusted } from '../statistics/false-discovery.ts';
import { Figures } from './score-figures.ts';

export interface ScorePair {
  itemId: string;
  before: ScoreValue | null;
  after: ScoreValue | null;
  /** By default `scored` for a score, and null for none. */
  states?: ComparedScore['states'];
}

const BINS = 20;
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
  /** Only the later run is described. */
  isSingle?: boolean;
  /** Both runs judged the same texts, so that their labels can agree. */
  isOfSameTexts?: boolean;
  /** Trace of an item; null if it is not known. */
  clusterOf?: (itemId: string) => string | null;
}

const stateOf = (score: ScoreValue | null): ScoreItemState | null => (score === null ? null : 'scored');

interface CountedNumbers {
  before: number | null;
  after: number;
}

/**
 * The numbers of an item that the figures and bins count: in a comparison of both runs, otherwise of the later one. Null
 * if one is missing or too large for a number.
 */
function countedNumbers(row: Pick<ScorePair, 'before' | 'after'>, isSingle: boolean): CountedNumbers | null {
  const before = isSingle ? null : (row.before?.value ?? null);
  const after = row.after?.value ?? null;
  if (after === null || !Number.isFinite(after)) return null;
  if (isSingle) return { before: null, after };
  return before === null || !Number.isFinite(before) ? null : { before, after };
}

/** Decides for the counts of bins and for the lists behind them. */
const isInRange = (value: number, from: number, to: number, isLast: boolean): boolean =>
  value >= from && (isLast ? value <= to : value < to);

/** Whether a row is behind the selected number of a summary; `isSingle`: of one run alone. */
export function isSelected(row: ComparedScore, only: ScoreSelection | null, isSingle: boolean): boolean {
  if (only === null) return true;
  const { before, after, change, failureKind } = row;
  switch (only.by) {
    case 'labels':
      return after?.label === only.after && (only.before === null || before?.label === only.before);
    case 'range': {
      const counted = countedNumbers(row, isSingle);
      return counted !== null && isInRange(counted.after, only.from, only.to, only.isLast);
    }
    case 'failure kind':
      return failureKind === only.name && change === only.change;
  }
}

/** Whether a row has this change, or this state in either run. */
export function isShown(
  { change, states }: ComparedScore,
  show: ScoreChange | ScoreItemState | null,
): boolean {
  return show === null || show === change || show === states.before || show === states.after;
}

/** Two infinite sizes are equal. */
const orderOf = (one: number, other: number): number => (one === other ? 0 : one - other);

type Summary = Omit<ScoreComparison, 'name' | 'names' | 'all' | 'rows' | 'total'>;
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
  readonly #figures: Figures;
  #least = Number.POSITIVE_INFINITY;
  #most = Number.NEGATIVE_INFINITY;

  constructor(rules: ComparisonRules) {
    this.#rules = rules;
    const { lowerIsBetter, isSingle = false, clusterOf = null } = rules;
    this.#figures = new Figures({ lowerIsBetter, isSingle, clusterOf });
  }

  add(pair: ScorePair): void {
    const { itemId, before, after } = pair;
    const [from, to] = [before?.value ?? null, after?.value ?? null];
    const change = changeOf(pair, this.#rules.lowerIsBetter);
    const failureKind = this.#rules.kindOf(itemId);
    const difference = from === null || to === null ? null : to - from;
    const { states = { before: stateOf(before), after: stateOf(after) } } = pair;
    this.#rows[change].push({ itemId, change, before, after, states, difference, failureKind });
    if (failureKind !== null) {
      const counts = this.#byKind.get(failureKind) ?? noChanges();
      counts[change] += 1;
      this.#byKind.set(failureKind, counts);
    }
    const counted = countedNumbers(pair, this.#rules.isSingle === true);
    if (counted !== null) {
      this.#figures.add({
        ...{ itemId, ...counted },
        ...{ labelBefore: before?.label ?? null, labelAfter: after?.label ?? null },
      });
      const ends = [counted.after, counted.before ?? counted.after];
      this.#least = Math.min(this.#least, ...ends);
      this.#most = Math.max(this.#most, ...ends);
    }
    this.#addLabels(before?.label ?? null, after?.label ?? null);
  }

  #addLabels(before: string | null, after: string | null): void {
    if (after === null || (before === null && this.#rules.isSingle !== true)) return;
    const key = JSON.stringify([before, after]);
    const pair = this.#labels.get(key) ?? { before, after, items: 0 };
    pair.items += 1;
    this.#labels.set(key, pair);
  }

  /**
   * In small steps. Rows are sorted by largest change first, those of a single run by the worst number first; equal
   * ones keep their order.
   */
  *finish(): Pieces<{ summary: Summary; rows: ComparedScore[] }> {
    const { isSingle = false, lowerIsBetter } = this.#rules;
    const sizeOf = ({ difference, after }: ComparedScore) => {
      if (!isSingle) return Math.abs(difference ?? 0);
      const value = after?.value ?? null;
      return value === null ? Number.NEGATIVE_INFINITY : lowerIsBetter ? value : -value;
    };
    const rows: ComparedScore[] = [];
    for (const change of SCORE_CHANGES) {
      const sorted = yield* sortInPieces(this.#rows[change], (one, other) =>
        orderOf(sizeOf(other), sizeOf(one)),
      );
      for (const [at, row] of sorted.entries()) {
        rows.push(row);
        if (at % PIECE === PIECE - 1) yield;
      }
    }
    return { rows, summary: yield* this.#summary(rows) };
  }

  *#summary(rows: readonly ComparedScore[]): Pieces<Summary> {
    const counts = noChanges();
    for (const change of SCORE_CHANGES) counts[change] = this.#rows[change].length;
    return {
      counts,
      means: this.#figures.means,
      figures: yield* this.#figures.finish(),
      agreement: this.#rules.isOfSameTexts === true ? agreementOf(labelPairs(this.#labels.values())) : null,
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
    const bins = binsOf(this.#least, this.#most);
    const isSingle = this.#rules.isSingle === true;
    const binOf = (value: number) =>
      bins.find(({ from, to }) => isInRange(value, from, to, false)) ?? elementAt(bins, bins.length - 1);
    for (const [at, row] of rows.entries()) {
      const counted = countedNumbers(row, isSingle);
      if (counted !== null) {
        if (counted.before !== null) binOf(counted.before).before += 1;
        binOf(counted.after).after += 1;
      }
      if (at % PIECE === PIECE - 1) yield;
    }
    return bins;
  }
}

const labelPairs = (pairs: Iterable<ScoreComparison['labels'][number]>) =>
  [...pairs].flatMap(({ before, after, items }) => (before === null ? [] : [{ before, after, items }]));

/** The figures of every score that two runs have, each with its probability adjusted for their number. */
export class ComparedNames {
  readonly #figures: ReadonlyMap<string, Figures>;

  constructor(names: readonly string[], rules: ConstructorParameters<typeof Figures>[0]) {
    this.#figures = new Map(names.map((name) => [name, new Figures(rules)]));
  }

  add(itemId: string, before: readonly ScoreValue[], after: readonly ScoreValue[]): void {
    for (const [name, figures] of this.#figures) {
      const [one, other] = [before, after].map((scores) => scores.find((each) => each.name === name) ?? null);
      const counted = countedNumbers({ before: one ?? null, after: other ?? null }, false);
      if (counted !== null)
        figures.add({
          ...{ itemId, ...counted },
          ...{ labelBefore: one?.label ?? null, labelAfter: other?.label ?? null },
        });
    }
  }

  /** Scores without numbers are left out. */
  *finish(): Pieces<ScoreComparison['all']> {
    const found: { name: string; figures: ScoreFigures }[] = [];
    for (const [name, figures] of this.#figures) {
      const own = yield* figures.finish();
      if (own !== null) found.push({ name, figures: own });
    }
    const tested = found.flatMap(({ figures: { difference } }, at) =>
      difference === null ? [] : [{ at, probability: difference.probability }],
    );
    const corrected = adjusted(tested.map(({ probability }) => probability));
    const byPlace = new Map(tested.map(({ at }, place) => [at, elementAt(corrected, place)]));
    return found.map((each, at) => ({ ...each, adjusted: byPlace.get(at) ?? null }));
  }
}

/** Bins of equal width without gaps; fewer if the numbers are too close to each other for different edges. */
function binsOf(least: number, most: number): ScoreComparison['bins'] {
  if (least > most) return [];
  const edges = [least];
  let last = least;
  for (let at = 1; at < BINS; at += 1) {
    // The difference of the two may be too large for a number.
    const edge = least * (1 - at / BINS) + most * (at / BINS);
    if (edge <= last || edge >= most) continue;
    edges.push(edge);
    last = edge;
  }
  return edges.map((from, at) => ({ from, to: edges[at + 1] ?? most, before: 0, after: 0 }));
}
