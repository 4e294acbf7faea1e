/**
 * The figures of one score in a run, or in two compared runs: shares or means, their difference, and its certainty.
 * Pure.
 */
import type { Pieces } from '../../shared/pieces.ts';
import type { ScoreEstimate, ScoreFigures, ScoreVerdict } from '../../shared/score-comparison.ts';
import type { Interval } from '../../shared/wilson.ts';
import { wilson } from '../../shared/wilson.ts';
import { elementAt } from '../element-at.ts';
import { seededNumbers } from '../seeded.ts';
import { clusteredMean } from '../statistics/clusters.ts';
import { bootstrapMean, Moments, signFlipTest } from '../statistics/means.ts';
import { moreForMeans, moreForShares, smallestMean, smallestShare } from '../statistics/power.ts';
import { mcnemar, type PairCounts, pairedShares } from '../statistics/shares.ts';
import { labelOf, type Ordered } from './run-places.ts';

/** Minimum number of items for a verdict on a difference; if items share traces, of traces. */
const MIN_ITEMS_TO_JUDGE = 30;
/** Number of items added before yielding. */
const PIECE = 5_000;
/** A fixed seed, so that the same numbers always yield the same interval. */
const SEED = 34;

interface FigureRules {
  lowerIsBetter: boolean;
  /** True if only the later run is described. */
  isSingle: boolean;
  /**
   * Returns the trace of an item, or null if it is unknown. Items of one trace are similar and count together. Null if
   * no trace is known.
   */
  clusterOf: ((itemId: string) => string | null) | null;
}

/** The number and label of an item in both runs. For a single run, `before` is null. */
interface CountedItem {
  itemId: string;
  before: number | null;
  after: number;
  labelBefore: string | null;
  labelAfter: string | null;
}

/** Numbers stored outside the JavaScript heap, because each score may have 100,000. */
class NumberList {
  #numbers: Float64Array;
  #length = 0;

  constructor(capacity: number) {
    this.#numbers = new Float64Array(capacity);
  }

  add(value: number): void {
    if (this.#length === this.#numbers.length) {
      const longer = new Float64Array(Math.max(64, this.#length * 2));
      longer.set(this.#numbers);
      this.#numbers = longer;
    }
    this.#numbers[this.#length] = value;
    this.#length += 1;
  }

  get values(): Float64Array {
    return this.#numbers.subarray(0, this.#length);
  }
}

export class Figures {
  readonly #rules: FigureRules;
  readonly #pairs: PairCounts = { both: 0, onlyAfter: 0, onlyBefore: 0, neither: 0 };
  readonly #before: NumberList;
  readonly #after: NumberList;
  readonly #difference: NumberList;
  /** For each item, the number of its trace. An item without a trace gets a number of its own. */
  readonly #clusters: NumberList;
  readonly #traces = new Map<string, number>();
  #untraced = 0;
  #isBinary = true;
  /** Labels of items whose number is 1. */
  readonly #labelsOfOne = new Set<string | null>();

  /** `capacity`: the expected number of items. */
  constructor(rules: FigureRules, capacity = 64) {
    this.#rules = rules;
    this.#before = new NumberList(rules.isSingle ? 0 : capacity);
    this.#after = new NumberList(capacity);
    this.#difference = new NumberList(rules.isSingle ? 0 : capacity);
    this.#clusters = new NumberList(rules.clusterOf === null ? 0 : capacity);
  }

  /** Adds items of columns in the same order, in small steps. If `before` is null, only the later run is described. */
  *addAll(itemIds: readonly string[], before: Ordered | null, after: Ordered): Pieces<void> {
    const earlier = before?.values ?? after.values;
    for (let item = 0; item < after.values.length; item += 1) {
      if (item % PIECE === PIECE - 1) yield;
      const value = after.values[item] ?? Number.NaN;
      const from = earlier[item] ?? Number.NaN;
      // A run has no number for the item.
      if (Number.isNaN(value) || Number.isNaN(from)) continue;
      if (!this.#isBinary && this.#rules.clusterOf === null) this.#addNumbers(from, value);
      else
        this.add({
          ...{ itemId: elementAt(itemIds, item), before: before === null ? null : from, after: value },
          labelBefore: before === null ? null : labelOf(before, item),
          labelAfter: labelOf(after, item),
        });
    }
  }

  #addNumbers(from: number, after: number): void {
    this.#after.add(after);
    if (this.#rules.isSingle) return;
    this.#before.add(from);
    this.#difference.add(after - from);
  }

  add(item: CountedItem): void {
    const { itemId, before, after } = item;
    this.#addNumbers(before ?? after, after);
    if (this.#isBinary) this.#addShare(item);
    if (this.#rules.clusterOf !== null) this.#addTo(this.#rules.clusterOf(itemId));
  }

  #addShare({ before, after, labelBefore, labelAfter }: CountedItem): void {
    const from = before ?? after;
    this.#isBinary = (from === 0 || from === 1) && (after === 0 || after === 1);
    if (from === 1) this.#pairs[after === 1 ? 'both' : 'onlyBefore'] += 1;
    else this.#pairs[after === 1 ? 'onlyAfter' : 'neither'] += 1;
    if (after === 1) this.#labelsOfOne.add(labelAfter);
    if (before === 1) this.#labelsOfOne.add(labelBefore);
  }

  #addTo(trace: string | null): void {
    if (trace === null) {
      this.#untraced += 1;
      this.#clusters.add(-this.#untraced);
      return;
    }
    const known = this.#traces.get(trace) ?? this.#traces.size;
    if (known === this.#traces.size) this.#traces.set(trace, known);
    this.#clusters.add(known);
  }

  /** Null if there are no items. */
  *finish(): Pieces<ScoreFigures | null> {
    const items = this.#after.values.length;
    if (items === 0) return null;
    const isShare = this.#isBinary;
    const figures = {
      kind: isShare ? 'share' : 'mean',
      label: isShare ? this.#sharedLabel : null,
      after: this.#estimate(this.#after),
      clusters: this.#isClustered ? this.#clusterCount : null,
    } as const;
    if (this.#rules.isSingle) return { ...figures, before: null, difference: null };
    const before = this.#estimate(this.#before);
    const moments = Moments.of(this.#difference.values);
    const { mean: value } = moments;
    // The numbers are so far apart that their mean overflows.
    if (!Number.isFinite(value)) return { ...figures, before, difference: null };
    const { interval, probability, designEffect } = yield* this.#compared(moments);
    const verdict = this.#verdict(items, interval);
    const more = isShare ? moreForShares(this.#pairs, designEffect) : moreForMeans(moments, designEffect);
    return {
      ...figures,
      before,
      difference: {
        ...{ value, items, interval, probability, verdict },
        more: verdict === 'unsure' ? more : null,
        smallest: this.#smallest(items / designEffect, moments),
      },
    };
  }

  get #isClustered(): boolean {
    return this.#traces.size > 0 && this.#clusterCount < this.#clusters.values.length;
  }

  get #clusterCount(): number {
    return this.#traces.size + this.#untraced;
  }

  /** The pair counts scaled down as if each trace were one item. */
  get #pairsOfTraces(): PairCounts {
    const scale = this.#clusterCount / this.#after.values.length;
    const { both, onlyAfter, onlyBefore, neither } = this.#pairs;
    return {
      both: Math.round(both * scale),
      onlyAfter: Math.round(onlyAfter * scale),
      onlyBefore: Math.round(onlyBefore * scale),
      neither: Math.round(neither * scale),
    };
  }

  /** The label of the items with a 1, if all of them have the same one. */
  get #sharedLabel(): string | null {
    const [label, other] = this.#labelsOfOne;
    return label === undefined || other !== undefined ? null : label;
  }

  #estimate(side: NumberList): ScoreEstimate {
    const moments = Moments.of(side.values);
    const { items, mean } = moments;
    if (this.#isClustered) {
      const interval = clusteredMean(side.values, this.#clusters.values)?.interval ?? null;
      if (!this.#isBinary) return { value: mean, items, interval };
      const traces = this.#clusterCount;
      const ofTraces = isPoint(interval) ? wilson(mean * traces, traces) : null;
      return { value: mean, items, interval: withinShares(ofTraces ?? interval) };
    }
    if (!this.#isBinary) return moments.estimate;
    const { both, onlyAfter, onlyBefore } = this.#pairs;
    const count = both + (side === this.#before ? onlyBefore : onlyAfter);
    return { value: count / items, items, interval: wilson(count, items) };
  }

  *#compared(
    moments: Moments,
  ): Pieces<{ interval: Interval | null; probability: number; designEffect: number }> {
    const { values: difference } = this.#difference;
    if (this.#isClustered) {
      const clustered = clusteredMean(difference, this.#clusters.values);
      if (this.#isBinary && clustered !== null && isPoint(clustered.interval)) {
        const pairs = this.#pairsOfTraces;
        return {
          interval: pairedShares(pairs),
          probability: mcnemar(pairs).mid,
          designEffect: clustered.designEffect ?? 1,
        };
      }
      return {
        interval: clustered?.interval ?? null,
        probability: clustered?.probability ?? 1,
        designEffect: clustered?.designEffect ?? 1,
      };
    }
    if (this.#isBinary)
      return { interval: pairedShares(this.#pairs), probability: mcnemar(this.#pairs).mid, designEffect: 1 };
    const next = seededNumbers(SEED);
    const interval = yield* bootstrapMean(difference, next, moments);
    return { interval, probability: yield* signFlipTest(difference, next), designEffect: 1 };
  }

  #smallest(items: number, { items: pairs, deviation }: Moments): number | null {
    if (!this.#isBinary) return smallestMean(items, deviation);
    const { onlyAfter, onlyBefore } = this.#pairs;
    return smallestShare(items, (onlyAfter + onlyBefore) / pairs);
  }

  #verdict(items: number, interval: Interval | null): ScoreVerdict {
    const independent = this.#isClustered ? this.#clusterCount : items;
    if (independent < MIN_ITEMS_TO_JUDGE || interval === null) return 'few';
    const [low, high] = interval;
    if (low <= 0 && high >= 0) return 'unsure';
    return low > 0 === this.#rules.lowerIsBetter ? 'worse' : 'better';
  }
}

/** True for an interval without width. It occurs if all traces are alike, which says nothing about other traces. */
const isPoint = (interval: Interval | null): boolean => interval !== null && interval[0] === interval[1];

const withinShares = (interval: Interval | null): Interval | null =>
  interval === null ? null : [Math.max(0, interval[0]), Math.min(1, interval[1])];
