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
import {
  MIN_ITEMS_TO_JUDGE,
  Moments,
  moreForMeans,
  moreForShares,
  type PairCounts,
  pairedShares,
  wilson,
} from './score-statistics.ts';

export interface ScorePair {
  itemId: string;
  before: ScoreValue | null;
  after: ScoreValue | null;
  /** By default `scored` for a score, and null for none. */
  states?: ComparedScore['states'];
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
  /** Only the later run is described. */
  isSingle?: boolean;
}

const stateOf = (score: ScoreValue | null): ScoreItemState | null => (score === null ? null : 'scored');

/** Whether a row is behind the selected number of a summary. */
export function isSelected(row: ComparedScore, only: ScoreSelection | null): boolean {
  if (only === null) return true;
  const { before, after, change, failureKind } = row;
  switch (only.by) {
    case 'labels':
      return after?.label === only.after && (only.before === null || before?.label === only.before);
    case 'range': {
      const value = after?.value ?? null;
      return value !== null && value >= only.from && (only.isLast ? value <= only.to : value < only.to);
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
  /** Whether every number is 0 or 1, and the label of a 1. */
  #isBinary = true;
  #label: string | null = null;
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
    if (to !== null && (from !== null || this.#rules.isSingle === true)) this.#addNumbers(from ?? to, to);
    if (after?.value === 1) this.#label ??= after.label;
    if (before?.value === 1) this.#label ??= before.label;
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
    const about = { kind, label: isShare ? this.#label : null, after: pair.after } as const;
    if (this.#rules.isSingle === true) return { ...about, before: null, difference: null };
    const interval = isShare ? pairedShares(this.#pairs) : difference.estimate.interval;
    const verdict = this.#verdict(items, interval);
    const more =
      verdict !== 'unsure' ? null : isShare ? moreForShares(this.#pairs) : moreForMeans(difference);
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
      if (to !== null && (from !== null || this.#rules.isSingle === true)) {
        const [own, later] = [from === null ? undefined : binOf(from), binOf(to)];
        if (own !== undefined) own.before += 1;
        if (later !== undefined) later.after += 1;
      }
      if (at % PIECE === PIECE - 1) yield;
    }
    return bins;
  }
}
