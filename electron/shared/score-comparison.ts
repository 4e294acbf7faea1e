/** Changes of items between two runs, and the figures of a score in one run or in a comparison. */
import type { Interval } from './wilson.ts';

/**
 * `better` and `worse` compare numbers; `changed`: there is no number, and the label differs; `missing`: at least one
 * of the runs has no score of the item.
 */
export const SCORE_CHANGES = ['worse', 'better', 'changed', 'same', 'missing'] as const;
export type ScoreChange = (typeof SCORE_CHANGES)[number];
export type ChangeCounts = Record<ScoreChange, number>;

/** A share (from 0 to 1) or a mean, with its 95 % interval; there is no interval if there are too few items. */
export interface ScoreEstimate {
  value: number;
  items: number;
  interval: Interval | null;
}

/** `unsure`: the interval of the difference contains 0; `few`: too few items to say. */
export type ScoreVerdict = 'better' | 'worse' | 'unsure' | 'few';

export interface ScoreFigures {
  /** A `share` if every number is 0 or 1. */
  kind: 'share' | 'mean';
  /** Label of the items counted by a share; null if their labels differ. */
  label: string | null;
  /** In a comparison, `before` and `after` are over the items that have a number in both runs. */
  before: ScoreEstimate | null;
  after: ScoreEstimate;
  difference: ScoreDifference | null;
  /** Number of traces that the items come from, if some items share a trace; otherwise null. */
  clusters: number | null;
}

interface ScoreDifference extends ScoreEstimate {
  verdict: ScoreVerdict;
  /** Number of further items needed to show the observed difference; null if it is shown already, or is zero. */
  more: number | null;
  /** The smallest difference that this number of items shows in 80 % of comparisons; null if unknown. */
  smallest: number | null;
  /**
   * Probability of a difference at least as large if there is none in truth, by McNemar's mid-p test or by randomly
   * flipped signs.
   */
  probability: number;
}

/** Figures of a run that was made several times, to show how much of a mean is noise. */
export interface Repetitions {
  /** Mean over the items scored in every repetition, using the mean of each item; its interval is over items. */
  estimate: ScoreEstimate;
  /** Mean of each repetition over those items. */
  means: number[];
  /** Standard deviation of one item's number between runs, and the deviation of run means that results from it. */
  withinItems: number;
  /** Number of items whose number differs between repetitions. */
  changing: number;
}

/** Agreement of the labels of two runs, or of two judges. */
export interface ScoreAgreement {
  items: number;
  /** Share of equal labels, and the interval of the share. */
  share: number;
  interval: Interval | null;
  /**
   * Cohen's kappa: 1 if all labels are equal, 0 if they agree as by chance. Null if everything has the same label. The
   * interval is null if the formula gives none, as when all items are equal.
   */
  kappa: { value: number; interval: Interval | null } | null;
  /**
   * Share of each label in each run, in descending order of the first run. Kappa is low if the shares are far from
   * even.
   */
  rates: { label: string; before: number; after: number }[];
}
