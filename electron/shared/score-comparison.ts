/** Comparison of two score runs of one dataset, item by item: request and result. */
import { z } from 'zod';
import type { ScoreValue } from './score-model.ts';

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
  /** after − before; null if either has no number. */
  difference: number | null;
  /** Name in the review of its span; null if it has none. */
  failureKind: string | null;
}

export interface ScoreComparison {
  /** The compared score, and all scores that both runs have. */
  name: string;
  names: string[];
  counts: ChangeCounts;
  /** Means over the items that have a number in both runs; null if there are none. */
  means: { before: number; after: number; items: number } | null;
  /**
   * Distribution of the numbers of the items in `means`, in bins of equal width over both runs; empty if no item has a
   * number in both.
   */
  bins: { from: number; to: number; before: number; after: number }[];
  /** Number of items for each change of label, most first; at most 50. */
  labels: { before: string; after: string; items: number }[];
  /** By the failure kind of the items' spans, in order of their names. */
  failureKinds: { name: string; counts: ChangeCounts }[];
  /** A page of the rows selected by `show`: the largest change first. */
  rows: ComparedScore[];
  total: number;
}

const runId = z.uuid();

export const comparisonQuery = z.strictObject({
  before: runId,
  after: runId,
  /** Null: the first one that both runs have. */
  name: z.string().max(500).nullable(),
  lowerIsBetter: z.boolean(),
  show: z.enum(SCORE_CHANGES).nullable(),
  offset: z.int().min(0),
  limit: z.int().min(1).max(500),
});
export type ComparisonQuery = z.infer<typeof comparisonQuery>;
