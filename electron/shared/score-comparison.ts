/** Changes of items, and the figures of a score in one run or compared in two. */
import type { Interval } from './wilson.ts';

/**
 * `better` and `worse` by the number; `changed`: another label, if there is no number; `missing`: one of the runs, or
 * both, have no score of the item.
 */
export const SCORE_CHANGES = ['worse', 'better', 'changed', 'same', 'missing'] as const;
export type ScoreChange = (typeof SCORE_CHANGES)[number];
export type ChangeCounts = Record<ScoreChange, number>;

/** A share (from 0 to 1) or a mean with its 95 % interval; without an interval if there are too few items. */
export interface ScoreEstimate {
  value: number;
  items: number;
  interval: Interval | null;
}

/** `unsure`: the interval of the difference contains 0; `few`: too few items to say. */
export type ScoreVerdict = 'better' | 'worse' | 'unsure' | 'few';

export interface ScoreFigures {
  /** A share if every number is 0 or 1. */
  kind: 'share' | 'mean';
  /** Label of the counted items of a share; null if they do not all have the same. */
  label: string | null;
  /** In a comparison, both are over the items that have a number in both runs. */
  before: ScoreEstimate | null;
  after: ScoreEstimate;
  difference: ScoreDifference | null;
  /** Number of traces that the items come from, if some have the same one; null otherwise. */
  clusters: number | null;
}

interface ScoreDifference extends ScoreEstimate {
  verdict: ScoreVerdict;
  /** Number of further items that would show the seen difference; null if it is shown, or none. */
  more: number | null;
  /** The smallest difference that this number of items shows in 80 % of comparisons; null if unknown. */
  smallest: number | null;
  /** Probability of so large a difference if there is none: McNemar's mid-p, or of flipped signs. */
  probability: number;
}

/** The same run made several times: how much of a mean is noise of the run itself. */
export interface Repetitions {
  /** Mean over the items that every repetition scored, each item with its own mean; its interval is over items. */
  estimate: ScoreEstimate;
  /** Mean of each repetition over those items. */
  means: number[];
  /** Deviation of one item's number from run to run, and of the means of runs that it explains. */
  withinItems: number;
  /** Items that did not get the same number in every repetition. */
  changing: number;
}

/** Agreement of the labels of two runs, or of two judges. */
export interface ScoreAgreement {
  items: number;
  /** Share of equal labels, and its interval. */
  share: number;
  interval: Interval | null;
  /**
   * Cohen's kappa: 1 all equal, 0 as by chance. Null if everything has the same label. Without an interval if the
   * formula gives none, as when all items are equal.
   */
  kappa: { value: number; interval: Interval | null } | null;
  /** Share of each label in each run, the most frequent of the first run first: kappa is low if they are far from even. */
  rates: { label: string; before: number; after: number }[];
}
