/** Comparison of two score runs of one dataset, item by item: request and result. */
import { z } from 'zod';
import {
  SCORE_ITEM_STATES,
  type ScoreInput,
  type ScoreItemState,
  type ScoreResult,
  type ScoreValue,
} from './score-model.ts';
import type { Interval } from './wilson.ts';

/**
 * `better` and `worse` by the number; `changed`: another label, if there is no number; `missing`: one of the runs has
 * no score of the item.
 */
export const SCORE_CHANGES = ['worse', 'better', 'changed', 'same', 'missing'] as const;
export type ScoreChange = (typeof SCORE_CHANGES)[number];
export type ChangeCounts = Record<ScoreChange, number>;

export interface ComparedScore {
  itemId: string;
  change: ScoreChange;
  before: ScoreValue | null;
  after: ScoreValue | null;
  /** State of the item in each run; null if the run does not contain it. */
  states: { before: ScoreItemState | null; after: ScoreItemState | null };
  /** after − before; null if either has no number. */
  difference: number | null;
  /** Name in the review of its span; null if it has none. */
  failureKind: string | null;
}

/** A row of an answer, with the stored texts of its item. */
export interface ShownScore extends ComparedScore {
  /** The beginning of the first input that describes the item; null if the run has no inputs of it. */
  title: string | null;
  /** The beginning of the input that was judged, if it is another one. */
  judged: string | null;
  /** Why the later run has no score of the item. */
  problem: string | null;
}

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
  /** The smallest difference that so many items show in 80 % of comparisons; null if unknown. */
  smallest: number | null;
  /** Probability of so large a difference if there is none: McNemar's mid-p, or of flipped signs. */
  probability: number;
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

/** Another score of two compared runs. */
interface ComparedName {
  name: string;
  figures: ScoreFigures;
  /** The probability adjusted for the number of scores (Benjamini and Hochberg): below 0.05 it is called different. */
  adjusted: number | null;
}

/** Changes of labels in one answer. */
export const MAX_LABEL_PAIRS = 50;

export interface ScoreComparison {
  /** The compared score, and all scores that both runs have. */
  name: string;
  names: string[];
  counts: ChangeCounts;
  /** Means over the items that have a number in both runs; null if there are none. */
  means: { before: number; after: number; items: number } | null;
  /** Null if no item has a number. */
  figures: ScoreFigures | null;
  /** Every score of both runs that has numbers, if there are several; empty for a single run. */
  all: ComparedName[];
  /** Of the labels in both runs, if they judged the same fields; null without labels. */
  agreement: ScoreAgreement | null;
  /**
   * Distribution of the numbers of the items in `means`, in bins of equal width over both runs; empty if no item has a
   * number in both. Of a single run: of its numbers.
   */
  bins: { from: number; to: number; before: number; after: number }[];
  /** Number of items for each change of label, most first; at most MAX_LABEL_PAIRS. Of a single run: `before` is null. */
  labels: { before: string | null; after: string; items: number }[];
  /** By the failure kind of the items' spans, in order of their names. */
  failureKinds: { name: string; counts: ChangeCounts }[];
  /** A page of the rows selected by `show` and `only`: the largest change first. Of a single run: the lowest score first. */
  rows: ShownScore[];
  total: number;
}

const runId = z.uuid();

/** The items behind one number of a summary. */
export const scoreSelection = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('labels'), before: z.string().nullable(), after: z.string() }),
  /** Items in `bins` with a number of the later run in this range; both ends are included if `isLast`, otherwise the start. */
  z.strictObject({ by: z.literal('range'), from: z.number(), to: z.number(), isLast: z.boolean() }),
  z.strictObject({ by: z.literal('failure kind'), name: z.string(), change: z.enum(SCORE_CHANGES) }),
]);
export type ScoreSelection = z.infer<typeof scoreSelection>;

export const comparisonQuery = z.strictObject({
  /** Null: the later run alone. */
  before: runId.nullable(),
  after: runId,
  /** Null: the first one that both runs have. */
  name: z.string().max(500).nullable(),
  lowerIsBetter: z.boolean(),
  /** A change, or a state in either run. */
  show: z.enum([...SCORE_CHANGES, ...SCORE_ITEM_STATES]).nullable(),
  only: scoreSelection.nullable().default(null),
  offset: z.int().min(0),
  /** 0: the summary alone. */
  limit: z.int().min(0).max(500),
});
export type ComparisonQuery = z.infer<typeof comparisonQuery>;

/** The inputs and the result of an item in one run. */
export interface ScoreDetail {
  result: ScoreResult;
  /** In the order of the plan; null if the item lacked a field. */
  inputs: readonly { input: string; from: ScoreInput['from']; value: unknown; isCut: boolean }[] | null;
}
