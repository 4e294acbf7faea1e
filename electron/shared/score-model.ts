/** Scoring of dataset items by an evaluator: what is asked for, and what came of it. */
import { z } from 'zod';
import { BUCKETS } from './dataset-model.ts';
import type { WireError } from './errors.ts';
import { jsonObject } from './json-body.ts';
import type { LateStart } from './upload-model.ts';

/** Where an input of the evaluator comes from: a field of a bucket of the item, or a text that is the same for all. */
export const scoreInput = z.strictObject({
  input: z.string().min(1).max(200),
  from: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('field'), bucket: z.enum(BUCKETS), field: z.string().min(1).max(500) }),
    z.strictObject({ kind: z.literal('text'), text: z.string().max(10_000) }),
  ]),
});
export type ScoreInput = z.infer<typeof scoreInput>;

export const scorePlan = z.strictObject({
  datasetId: z.string().min(1).max(100),
  datasetName: z.string().max(500),
  /** What the run is called; by its evaluator and the fields it judges where it has none. */
  name: z.string().min(1).max(200).optional(),
  evaluator: z.string().min(1).max(2_000),
  parameters: jsonObject,
  inputs: z.array(scoreInput).min(1).max(50),
  /** Ids of the items in the order to score them; null: every item of the dataset, read page by page. */
  itemIds: z.array(z.string().min(1).max(200)).min(1).max(2_000).nullable(),
});
export type ScorePlan = z.infer<typeof scorePlan>;

/** When a run begins by itself, and how many items it is then expected to score (for every item of a dataset). */
export interface ScoreStart {
  /** Wall time to come; null: now. */
  startAtMs: number | null;
  expectedItems: number | null;
}

export interface ScoreValue {
  name: string;
  value: number | null;
  label: string | null;
  reasoning: string | null;
}

/** `skipped`: the item lacks a field that the evaluator is to be given, so it was not asked for. */
export const SCORE_ITEM_STATES = ['unscored', 'scored', 'skipped', 'failed'] as const;
export type ScoreItemState = (typeof SCORE_ITEM_STATES)[number];

export interface ScoreRun {
  runId: string;
  connectionId: string;
  /** Told apart from every other run of the dataset that was begun with a name. */
  name: string;
  plan: Omit<ScorePlan, 'itemIds'>;
  /** `reading`: the items are being read. The other states as those of a build. */
  state: 'reading' | 'running' | 'waiting' | 'paused' | 'stopped' | 'done';
  reason: string;
  error: WireError | null;
  /** items = scored + skipped + failed + unscored; skipped: without a field the evaluator is to be given. */
  counts: { items: number } & Record<ScoreItemState, number>;
  /** Names of the scores that came so far. */
  scoreNames: string[];
  /** Items that it is to score, as far as that was known when it was planned. */
  expectedItems: number | null;
  /** Wall time at which it begins, or goes on, by itself; only while it is paused or stopped. */
  startAtMs: number | null;
  /** Set once it began by itself later than planned. */
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
