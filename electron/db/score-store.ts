/** Score runs as jobs, and the scores of their items. */
import { type JobRecord, recordFields, wallMs, wireError } from '../core/jobs/job-record.ts';
import { damageOf, readable } from '../core/readable.ts';
import type { WireError } from '../shared/errors.ts';
import {
  SCORE_ITEM_STATES,
  type ScoreItemState,
  type ScoreRun,
  type ScoreValue,
  scorePlan,
} from '../shared/score-model.ts';
import { runName } from '../shared/score-names.ts';
import * as z from '../shared/zod.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import { type Database, parseRow } from './open.ts';
import { asJson, json } from './row-parts.ts';

export interface StoredScoreRun extends JobRecord {
  plan: ScoreRun['plan'];
  /** True: every item of the dataset; false: the listed items. */
  wantsAll: boolean;
  state: ScoreRun['state'];
  /** Number of items of the dataset read so far; null once all wanted items are stored. */
  readOffset: number | null;
  /** Number of items to score, if it was known when the run was planned. */
  expectedItems: number | null;
}

export interface StoredScoreItem {
  position: number;
  itemId: string;
  /** Null if the item lacks a field that the evaluator needs. */
  inputs: Record<string, unknown> | null;
  state: ScoreItemState;
  scores: ScoreValue[];
  /** Why there is no score; of an unscored item, why some of its results will be left out. */
  error: WireError | null;
  atMs: number | null;
  /** Ids of the checked results of an experiment; if there are several, each input is a list. */
  resultIds?: string[] | null | undefined;
}

export interface ItemScores extends StoredScoreItem {
  runId: string;
  evaluator: string;
}

export interface ScoreStore {
  tallies(runId: string): Record<ScoreItemState, number>;
  /** Number of skipped items that have every input, but whose expected value is empty. */
  nothingExpected(runId: string): number;
  /** Adds items by id only; their contents are read later. */
  want(runId: string, itemIds: readonly string[]): void;
  /** Positions of wanted items that were not read yet, by id. */
  wanted(runId: string): Map<string, number>;
  /** Adds items, or fills in wanted ones; scored items stay unchanged. */
  addItems(runId: string, items: readonly StoredScoreItem[]): void;
  /** Stores the result of an unscored item. Returns false if it has a result already, which stays. */
  saveItem(runId: string, item: StoredScoreItem): boolean;
  /** Items that are still to be scored after a position, in order. */
  next(runId: string, afterPosition: number, limit: number): StoredScoreItem[];
  page(
    runId: string,
    states: readonly ScoreItemState[] | null,
    offset: number,
    limit: number,
  ): StoredScoreItem[];
  count(runId: string, states: readonly ScoreItemState[] | null): number;
  /** Marks failed items for another attempt; returns their number. */
  retryFailed(runId: string): number;
  /** The latest scores of each item by each evaluator. */
  ofItems(datasetId: string, itemIds: readonly string[]): ItemScores[];
  /** Names of scores with a number or a label. */
  scoreNames(runId: string): string[];
  /** The items with these ids, in any order. */
  itemsOf(runId: string, itemIds: readonly string[]): StoredScoreItem[];
}

const RUN_STATES = ['reading', 'running', 'waiting', 'paused', 'stopped', 'done'] as const;
const scoreValue: z.ZodType<ScoreValue> = z.object({
  name: z.string(),
  value: z.number().nullable(),
  label: z.string().nullable(),
  reasoning: z.string().nullable(),
});

export function createScoreRunStore(db: Database): JobStore<StoredScoreRun> {
  return createJobStore(db, {
    kind: 'score',
    what: 'score run',
    schema: z.object({
      ...recordFields,
      state: z.enum(RUN_STATES),
      plan: scorePlan.omit({ itemIds: true }),
      wantsAll: z.boolean(),
      readOffset: z.number().nullable(),
      expectedItems: z.number().nullable(),
    }),
    plan: ['plan', 'wantsAll', 'expectedItems'],
    title: ({ plan }) => runName(plan),
    subject: ({ plan }) => plan.datasetId,
  });
}

/** All numbers were doubles when they were written. */
const storedScores = json(z.array(scoreValue), (text) => JSON.parse(text))
  .nullable()
  .transform((scores) => scores ?? []);
const itemFields = {
  position: z.number(),
  itemId: z.string(),
  inputs: json(z.record(z.string(), z.unknown())).nullable(),
  state: z.enum(SCORE_ITEM_STATES),
  scores: storedScores,
  error: json(wireError).nullable(),
  atMs: wallMs.nullable(),
  resultIds: json(z.array(z.string())).nullable().optional(),
};
const itemRow = z.object(itemFields);
const itemScoresRow = z.object({ ...itemFields, runId: z.string(), evaluator: z.string() });
/** An item with an unreadable state counts as failed, as in the list. */
const tallyRow = z.object({ state: z.enum(SCORE_ITEM_STATES).catch('failed'), items: z.number() });
const wantedRow = z.object({ itemId: z.string(), position: z.number() });
const number = z.int();
const text = z.string();

const ITEM = `position, item_id AS itemId, inputs_json AS inputs, i.state AS state, scores_json AS scores,
  i.error_json AS error, at_ms AS atMs, result_ids_json AS resultIds`;
const BY_STATE = 'run_id = @runId AND (@states IS NULL OR i.state IN (SELECT value FROM json_each(@states)))';

function statements(db: Database) {
  return {
    tallies: db.prepare('SELECT state, count(*) AS items FROM score_item WHERE run_id = ? GROUP BY state'),
    nothingExpected: db
      .prepare(
        "SELECT count(*) FROM score_item WHERE run_id = ? AND state = 'skipped' AND inputs_json IS NOT NULL",
      )
      .pluck(),
    add: db.prepare(
      `INSERT INTO score_item (run_id, position, item_id, inputs_json, state, scores_json, error_json, at_ms, result_ids_json)
       VALUES (@runId, @position, @itemId, @inputs, @state, @scores, @error, @atMs, @resultIds)
       ON CONFLICT (run_id, position) DO UPDATE SET inputs_json = @inputs, state = @state, error_json = @error
         WHERE state = 'unscored' AND inputs_json IS NULL
       ON CONFLICT DO NOTHING`,
    ),
    want: db.prepare(
      `INSERT INTO score_item (run_id, position, item_id, state) VALUES (?, ?, ?, 'unscored')
       ON CONFLICT DO NOTHING`,
    ),
    wanted: db.prepare(
      `SELECT item_id AS itemId, position FROM score_item
       WHERE run_id = ? AND state = 'unscored' AND inputs_json IS NULL`,
    ),
    saveItem: db.prepare(
      `UPDATE score_item SET state = @state, scores_json = @scores, error_json = @error, at_ms = @atMs
       WHERE run_id = @runId AND position = @position AND state = 'unscored'`,
    ),
    next: db.prepare(
      `SELECT ${ITEM} FROM score_item i WHERE run_id = ? AND i.state = 'unscored' AND inputs_json IS NOT NULL AND position > ?
       ORDER BY position LIMIT ?`,
    ),
    page: db.prepare(
      `SELECT ${ITEM} FROM score_item i WHERE ${BY_STATE} ORDER BY position LIMIT @limit OFFSET @offset`,
    ),
    count: db.prepare(`SELECT count(*) FROM score_item i WHERE ${BY_STATE}`).pluck(),
    retry: db.prepare(
      `UPDATE score_item SET state = 'unscored', error_json = NULL WHERE run_id = ? AND state = 'failed'
         AND inputs_json IS NOT NULL`,
    ),
    ofItems: db.prepare(
      `SELECT ${ITEM}, i.run_id AS runId,
         CASE WHEN json_valid(r.plan_json) THEN r.plan_json ->> '$.plan.evaluator' ELSE r.title END AS evaluator, max(at_ms)
       FROM score_item i
       JOIN job r ON r.job_id = i.run_id
       WHERE i.item_id IN (SELECT value FROM json_each(@itemIds)) AND r.subject = @datasetId
         AND r.is_hidden = 0 AND i.state <> 'unscored'
       GROUP BY i.item_id, evaluator ORDER BY evaluator`,
    ),
    itemsOf: db.prepare(
      `SELECT ${ITEM} FROM score_item i
       WHERE run_id = @runId AND item_id IN (SELECT value FROM json_each(@itemIds))`,
    ),
    names: db
      .prepare(
        `SELECT DISTINCT value ->> 'name' FROM score_item, json_each(iif(json_valid(scores_json), scores_json, '[]'))
         WHERE run_id = ? AND scores_json IS NOT NULL
           AND (value ->> 'value' IS NOT NULL OR value ->> 'label' IS NOT NULL)`,
      )
      .pluck(),
  };
}

function bindItem(runId: string, item: StoredScoreItem): Record<string, unknown> {
  const { inputs, scores, error } = item;
  return {
    runId,
    ...item,
    inputs: asJson(inputs),
    scores: scores.length === 0 ? null : asJson(scores),
    error: asJson(error),
    resultIds: asJson(item.resultIds ?? null),
  };
}

const placeRow = z.object({ position: z.number(), itemId: z.string() });

/** An unreadable item stays in its list as failed, with the reason. */
function inPlace<T>(row: unknown, schema: z.ZodType<T>, damaged: (item: StoredScoreItem) => T): T {
  try {
    return parseRow(schema, row, 'score');
  } catch (problem) {
    const error = damageOf(problem);
    const place = placeRow.safeParse(row);
    if (error === null || !place.success) throw problem;
    return damaged({
      ...{ ...place.data, inputs: null, state: 'failed', scores: [], error: error.toWire(), atMs: null },
    });
  }
}

export function createScoreStore(db: Database): ScoreStore {
  const sql = statements(db);
  const readItem = (row: unknown) => inPlace(row, itemRow, (place) => place);
  return {
    tallies: (runId) => {
      const tallies = { unscored: 0, scored: 0, skipped: 0, failed: 0 };
      for (const row of sql.tallies.all(runId)) {
        const { state, items } = parseRow(tallyRow, row, 'tally');
        tallies[state] += items;
      }
      return tallies;
    },
    nothingExpected: (runId) => parseRow(number, sql.nothingExpected.get(runId), 'tally'),
    want: (runId, itemIds) => {
      itemIds.forEach((itemId, position) => {
        sql.want.run(runId, position, itemId);
      });
    },
    wanted: (runId) =>
      new Map(
        sql.wanted.all(runId).map((row) => {
          const { itemId, position } = parseRow(wantedRow, row, 'wanted item');
          return [itemId, position];
        }),
      ),
    addItems: (runId, items) => {
      for (const item of items) sql.add.run(bindItem(runId, item));
    },
    saveItem: (runId, item) => sql.saveItem.run(bindItem(runId, item)).changes > 0,
    next: (runId, afterPosition, limit) => sql.next.all(runId, afterPosition, limit).map(readItem),
    page: (runId, states, offset, limit) =>
      sql.page.all({ runId, states: asJson(states), offset, limit }).map(readItem),
    count: (runId, states) => parseRow(number, sql.count.get({ runId, states: asJson(states) }), 'tally'),
    retryFailed: (runId) => sql.retry.run(runId).changes,
    ofItems: (datasetId, itemIds) =>
      sql.ofItems
        .all({ datasetId, itemIds: JSON.stringify(itemIds) })
        .flatMap((row) => readable([row], (each) => parseRow(itemScoresRow, each, 'score'))),
    itemsOf: (runId, itemIds) => sql.itemsOf.all({ runId, itemIds: JSON.stringify(itemIds) }).map(readItem),
    scoreNames: (runId) => readable(sql.names.all(runId), (name) => parseRow(text, name, 'score name')),
  };
}
