/** Scoring of dataset items by an evaluator: requests and results. */
import { BUCKETS } from './dataset-model.ts';
import type { WireError } from './errors.ts';
import { jsonObject } from './json-body.ts';
import { scoreCheck } from './score-check.ts';
import type { LateStart } from './upload-model.ts';
import * as z from './zod.ts';

/** Parts of an item that scores can be computed from; `outputs` belong to a result of an experiment. */
export const SCORE_BUCKETS = [...BUCKETS, 'outputs'] as const;
export type ScoreBucket = (typeof SCORE_BUCKETS)[number];

/** Source of an evaluator's input: a field in a bucket of the item, or the same text for all items. */
export const scoreInput = z.strictObject({
  input: z.string().min(1).max(200),
  from: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('field'),
      bucket: z.enum(SCORE_BUCKETS),
      field: z.string().min(1).max(500),
    }),
    z.strictObject({ kind: z.literal('text'), text: z.string().max(10_000) }),
  ]),
});
export type ScoreInput = z.infer<typeof scoreInput>;

export const scorePlan = z.strictObject({
  datasetId: z.string().min(1).max(100),
  datasetName: z.string().max(500),
  /** Name of the run; by default made from its evaluator and the fields that it judges. */
  name: z.string().min(1).max(200).optional(),
  evaluator: z.string().min(1).max(2_000),
  parameters: jsonObject,
  inputs: z.array(scoreInput).min(1).max(50),
  /** A check that is computed on this computer, instead of an evaluator of the service. */
  check: scoreCheck.optional(),
  /** The check runs over the stored results of this experiment instead of the items of its dataset. */
  experiment: z.strictObject({ id: z.string().min(1).max(100), name: z.string().max(500) }).optional(),
  /** Ids of the items in scoring order; null: every item of the dataset, read page by page. */
  itemIds: z.array(z.string().min(1).max(200)).min(1).max(2_000).nullable(),
});
export type ScorePlan = z.infer<typeof scorePlan>;

/** Automatic start of a run, and the number of items expected at that time (for every item of a dataset). */
export interface ScoreStart {
  /** Future wall time; null: now. */
  startAtMs: number | null;
  expectedItems: number | null;
}

export interface ScoreValue {
  name: string;
  value: number | null;
  label: string | null;
  reasoning: string | null;
}

/** `skipped`: the item lacks a field that the evaluator needs, or a check has nothing to compare it with. */
export const SCORE_ITEM_STATES = ['unscored', 'scored', 'skipped', 'failed'] as const;
export type ScoreItemState = (typeof SCORE_ITEM_STATES)[number];

export interface ScoreRun {
  runId: string;
  connectionId: string;
  /** Unique among the runs of the dataset that have a name of their own. */
  name: string;
  plan: Omit<ScorePlan, 'itemIds'>;
  /** `reading`: the items are being read. The other states are like those of a build. */
  state: 'reading' | 'running' | 'waiting' | 'paused' | 'stopped' | 'done';
  reason: string;
  error: WireError | null;
  /** items = scored + skipped + failed + unscored. Skipped items lack a field, or their expected value is empty. */
  counts: { items: number } & Record<ScoreItemState, number>;
  /** Skipped items whose expected value is empty; absent if there are none. */
  nothingExpected?: number;
  /** Names of the scores received so far. */
  scoreNames: string[];
  /** Number of items to score, if it was known when the run was planned. */
  expectedItems: number | null;
  /** Wall time of the automatic start or continuation; set only while the run is paused or stopped. */
  startAtMs: number | null;
  /** Set after an automatic start later than planned. */
  lateStart: LateStart | null;
  createdAtMs: number;
  endedAtMs: number | null;
}

export interface ScoreResult {
  itemId: string;
  runId: string;
  evaluator: string;
  state: ScoreItemState;
  scores: ScoreValue[];
  /** Why there is no score. */
  error: WireError | null;
  atMs: number | null;
}
