/** Compares two score runs item by item: better, worse, same, and their distribution. Pure. */

import { type Pieces, sortInPieces } from '../../shared/pieces.ts';
import {
  type ComparedScore,
  SCORE_CHANGES,
  type ScoreChange,
  type ScoreComparison,
  type ScoreFigures,
  type ScoreSelection,
  type ScoreVerdict,
} from '../../shared/score-comparison.ts';
import type { ScoreItemState, ScoreValue } from '../../shared/score-model.ts';
import { wilson } from '../../shared/wilson.ts';
import { elementAt } from '../element-at.ts';
import { Moments } from '../statistics/means.ts';
import { moreForMeans, moreForShares } from '../statistics/power.ts';
import { type PairCounts, pairedShares } from '../statistics/shares.ts';

export interface ScorePair {
  itemId: string;
  before: ScoreValue | null;
  after: ScoreValue | null;
  /** By default `scored` for a score, and null for none. */
  states?: ComparedScore['states'];
}

/** Below this number of items, a difference is called too uncertain to judge. */
const MIN_ITEMS_TO_JUDGE = 30;
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
  /** Only the later run is described. */
  isSingle?: boolean;
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
  readonly #moments = { before: new Moments(), after: new Moments(), difference: new Moments() };
  readonly #pairs: PairCounts = { both: 0, onlyAfter: 0, onlyBefore: 0, neither: 0 };
  #isBinary = true;
  /** The labels of the numbers 1. */
  readonly #labelsOfOne = new Set<string | null>();
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
    const { states = { before: stateOf(before), after: stateOf(after) } } = pair;
    this.#rows[change].push({ itemId, change, before, after, states, difference, failureKind });
    if (failureKind !== null) {
      const counts = this.#byKind.get(failureKind) ?? noChanges();
      counts[change] += 1;
      this.#byKind.set(failureKind, counts);
    }
    const counted = countedNumbers(pair, this.#rules.isSingle === true);
    if (counted !== null) {
      this.#addNumbers(counted.before ?? counted.after, counted.after);
      if (counted.after === 1) this.#labelsOfOne.add(after?.label ?? null);
      if (counted.before === 1) this.#labelsOfOne.add(before?.label ?? null);
    }
    this.#addLabels(before?.label ?? null, after?.label ?? null);
  }

  #addNumbers(from: number, to: number): void {
    const { before, after, difference } = this.#moments;
    before.add(from);
    after.add(to);
    difference.add(to - from);
    this.#isBinary &&= (from === 0 || from === 1) && (to === 0 || to === 1);
    if (from === 1) this.#pairs[to === 1 ? 'both' : 'onlyBefore'] += 1;
    else this.#pairs[to === 1 ? 'onlyAfter' : 'neither'] += 1;
    this.#least = Math.min(this.#least, from, to);
    this.#most = Math.max(this.#most, from, to);
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
    const { before, after } = this.#moments;
    const isSingle = this.#rules.isSingle === true;
    const counts = noChanges();
    for (const change of SCORE_CHANGES) counts[change] = this.#rows[change].length;
    return {
      counts,
      means:
        isSingle || after.items === 0 ? null : { before: before.mean, after: after.mean, items: after.items },
      figures: this.#figures(),
      bins: yield* this.#bins(rows),
      labels: [...this.#labels.values()]
        .toSorted((one, other) => other.items - one.items)
        .slice(0, MAX_LABEL_PAIRS),
      failureKinds: [...this.#byKind]
        .map(([name, kindCounts]) => ({ name, counts: kindCounts }))
        .toSorted((one, other) => one.name.localeCompare(other.name, 'en')),
    };
  }

  /** The label of a 1, if every 1 has the same. */
  get #sharedLabel(): string | null {
    const [label, other] = this.#labelsOfOne;
    return label === undefined || other !== undefined ? null : label;
  }

  #figures(): ScoreFigures | null {
    const { before, after, difference } = this.#moments;
    const { items } = after;
    if (items === 0) return null;
    const { both, onlyAfter, onlyBefore } = this.#pairs;
    const shareOf = (count: number) => ({ value: count / items, items, interval: wilson(count, items) });
    const isShare = this.#isBinary;
    const pair = isShare
      ? { before: shareOf(both + onlyBefore), after: shareOf(both + onlyAfter) }
      : { before: before.estimate, after: after.estimate };
    const kind = isShare ? 'share' : 'mean';
    const about = { kind, label: isShare ? this.#sharedLabel : null, after: pair.after } as const;
    if (this.#rules.isSingle === true) return { ...about, before: null, difference: null };
    const interval = isShare ? pairedShares(this.#pairs) : difference.estimate.interval;
    const verdict = this.#verdict(items, interval);
    const more =
      verdict !== 'unsure' ? null : isShare ? moreForShares(this.#pairs) : moreForMeans(difference);
    // The numbers are too far apart for a number between them.
    if (!Number.isFinite(difference.mean)) return { ...about, before: pair.before, difference: null };
    return {
      ...about,
      before: pair.before,
      difference: { value: difference.mean, items, interval, verdict, more },
    };
  }

  #verdict(items: number, interval: readonly [number, number] | null): ScoreVerdict {
    if (items < MIN_ITEMS_TO_JUDGE || interval === null) return 'few';
    const [low, high] = interval;
    if (low <= 0 && high >= 0) return 'unsure';
    return low > 0 === this.#rules.lowerIsBetter ? 'worse' : 'better';
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
