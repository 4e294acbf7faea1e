/** Two score runs of one dataset, compared item by item: what is asked, and what is answered. */
import { z } from 'zod';
import type { ScoreValue } from './score-model.ts';

/**
 * `better` and `worse` by the number; `changed`: another label, where there is no number; `missing`: one of the runs has
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
  /** after − before; null where one has no number. */
  difference: number | null;
  /** As the review of its span named it; null where it was put into none. */
  failureKind: string | null;
}

export interface ScoreComparison {
  /** The score that is compared, and all that both runs have. */
  name: string;
  names: string[];
  counts: ChangeCounts;
  /** Means over the items that have a number in both runs; null where none has. */
  means: { before: number; after: number; items: number } | null;
  /** Items by their number, in bins of equal width over both runs; empty where there are no numbers. */
  bins: { from: number; to: number; before: number; after: number }[];
  /** How many items went from one label to the other, most first; at most 50. */
  labels: { before: string; after: string; items: number }[];
  /** By the failure kind of the items' spans, in the order of their names. */
  failureKinds: { name: string; counts: ChangeCounts }[];
  /** A part of those of `show`: the largest change first. */
  rows: ComparedScore[];
  total: number;
}

const runId = z.uuid();

export const comparisonQuestion = z.strictObject({
  before: runId,
  after: runId,
  /** Null: the first one that both runs have. */
  name: z.string().max(500).nullable(),
  lowerIsBetter: z.boolean(),
  show: z.enum(SCORE_CHANGES).nullable(),
  offset: z.int().min(0),
  limit: z.int().min(1).max(500),
});
export type ComparisonQuestion = z.infer<typeof comparisonQuestion>;
