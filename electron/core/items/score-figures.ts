/** The figures of one score in a run, or in two compared: shares or means, their difference, and how sure it is. Pure. */
import type { Pieces } from '../../shared/pieces.ts';
import type { ScoreEstimate, ScoreFigures, ScoreVerdict } from '../../shared/score-comparison.ts';
import type { Interval } from '../../shared/wilson.ts';
import { wilson } from '../../shared/wilson.ts';
import { seededNumbers } from '../seeded.ts';
import { clusteredMean } from '../statistics/clusters.ts';
import { bootstrapMean, Moments, signFlipTest } from '../statistics/means.ts';
import { moreForMeans, moreForShares, smallestMean, smallestShare } from '../statistics/power.ts';
import { mcnemar, type PairCounts, pairedShares } from '../statistics/shares.ts';

/** Below this number of items, a difference is called too uncertain to judge. */
const MIN_ITEMS_TO_JUDGE = 30;
/** The same numbers have the same interval each time. */
const SEED = 34;

interface FigureRules {
  lowerIsBetter: boolean;
  /** Only the later run is described. */
  isSingle: boolean;
  /** Trace of an item; null if it is not known. Items of one trace are alike and count together. */
  clusterOf: (itemId: string) => string | null;
}

/** The number and label of an item in both runs; of a single run, `before` is null. */
interface CountedItem {
  itemId: string;
  before: number | null;
  after: number;
  labels: readonly [before: string | null, after: string | null];
}

export class Figures {
  readonly #rules: FigureRules;
  readonly #before = new Moments();
  readonly #after = new Moments();
  readonly #difference = new Moments();
  readonly #pairs: PairCounts = { both: 0, onlyAfter: 0, onlyBefore: 0, neither: 0 };
  readonly #numbers: Record<'before' | 'after' | 'difference', number[]> = {
    ...{ before: [], after: [], difference: [] },
  };
  /** The trace of each item; the index of an item without one, which is a cluster of its own. */
  readonly #clusters: (string | number)[] = [];
  readonly #traces = new Set<string>();
  #untraced = 0;
  #isBinary = true;
  /** The labels of the numbers 1. */
  readonly #labelsOfOne = new Set<string | null>();

  constructor(rules: FigureRules) {
    this.#rules = rules;
  }

  add({ itemId, before, after, labels: [labelBefore, labelAfter] }: CountedItem): void {
    const from = before ?? after;
    this.#before.add(from);
    this.#after.add(after);
    this.#difference.add(after - from);
    this.#numbers.before.push(from);
    this.#numbers.after.push(after);
    this.#numbers.difference.push(after - from);
    this.#isBinary &&= (from === 0 || from === 1) && (after === 0 || after === 1);
    if (from === 1) this.#pairs[after === 1 ? 'both' : 'onlyBefore'] += 1;
    else this.#pairs[after === 1 ? 'onlyAfter' : 'neither'] += 1;
    if (after === 1) this.#labelsOfOne.add(labelAfter);
    if (before === 1) this.#labelsOfOne.add(labelBefore);
    const trace = this.#rules.clusterOf(itemId);
    this.#clusters.push(trace ?? this.#clusters.length);
    if (trace === null) this.#untraced += 1;
    else this.#traces.add(trace);
  }

  /** Means over the added items; null if there are none. */
  get means(): { before: number; after: number; items: number } | null {
    const [{ mean: before }, { mean: after, items }] = [this.#before, this.#after];
    return items === 0 ? null : { before, after, items };
  }

  /** Null without items. */
  *finish(): Pieces<ScoreFigures | null> {
    const { items } = this.#after;
    if (items === 0) return null;
    const isShare = this.#isBinary;
    const figures = {
      kind: isShare ? 'share' : 'mean',
      label: isShare ? this.#sharedLabel : null,
      after: this.#estimate('after'),
      clusters: this.#isClustered ? this.#traces.size + this.#untraced : null,
    } as const;
    if (this.#rules.isSingle) return { ...figures, before: null, difference: null };
    const before = this.#estimate('before');
    const { mean: value } = this.#difference;
    // The numbers are too far apart for a number between them.
    if (!Number.isFinite(value)) return { ...figures, before, difference: null };
    const { interval, probability, designEffect } = yield* this.#compared();
    const verdict = this.#verdict(items, interval);
    const more = isShare
      ? moreForShares(this.#pairs, designEffect)
      : moreForMeans(this.#difference, designEffect);
    return {
      ...figures,
      before,
      difference: {
        ...{ value, items, interval, probability, verdict },
        more: verdict === 'unsure' ? more : null,
        smallest: this.#smallest(items / designEffect),
      },
    };
  }

  get #isClustered(): boolean {
    return this.#traces.size + this.#untraced < this.#clusters.length;
  }

  /** The label of a 1, if every 1 has the same. */
  get #sharedLabel(): string | null {
    const [label, other] = this.#labelsOfOne;
    return label === undefined || other !== undefined ? null : label;
  }

  #estimate(side: 'before' | 'after'): ScoreEstimate {
    const moments = side === 'before' ? this.#before : this.#after;
    const { items, mean } = moments;
    if (this.#isClustered) {
      const interval = clusteredMean(this.#numbers[side], this.#clusters)?.interval ?? null;
      return { value: mean, items, interval: this.#isBinary ? withinShares(interval) : interval };
    }
    if (!this.#isBinary) return moments.estimate;
    const { both, onlyAfter, onlyBefore } = this.#pairs;
    const count = both + (side === 'before' ? onlyBefore : onlyAfter);
    return { value: count / items, items, interval: wilson(count, items) };
  }

  *#compared(): Pieces<{ interval: Interval | null; probability: number; designEffect: number }> {
    const { difference } = this.#numbers;
    if (this.#isClustered) {
      const clustered = clusteredMean(difference, this.#clusters);
      return {
        interval: clustered?.interval ?? null,
        probability: clustered?.probability ?? 1,
        designEffect: clustered?.designEffect ?? 1,
      };
    }
    if (this.#isBinary)
      return { interval: pairedShares(this.#pairs), probability: mcnemar(this.#pairs).mid, designEffect: 1 };
    const next = seededNumbers(SEED);
    const interval = yield* bootstrapMean(difference, next);
    return { interval, probability: yield* signFlipTest(difference, next), designEffect: 1 };
  }

  #smallest(items: number): number | null {
    if (!this.#isBinary) return smallestMean(items, this.#difference.deviation);
    const { onlyAfter, onlyBefore } = this.#pairs;
    return smallestShare(items, (onlyAfter + onlyBefore) / this.#after.items);
  }

  #verdict(items: number, interval: Interval | null): ScoreVerdict {
    if (items < MIN_ITEMS_TO_JUDGE || interval === null) return 'few';
    const [low, high] = interval;
    if (low <= 0 && high >= 0) return 'unsure';
    return low > 0 === this.#rules.lowerIsBetter ? 'worse' : 'better';
  }
}

const withinShares = (interval: Interval | null): Interval | null =>
  interval === null ? null : [Math.max(0, interval[0]), Math.min(1, interval[1])];
