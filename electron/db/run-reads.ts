/**
 * Stored results of runs over datasets, for the thread that compares them: as columns, and single ones with their
 * texts.
 */
import { existsSync } from 'node:fs';
import { numbersIn, type RunColumns, RunColumnsBuilder } from '../core/items/run-columns.ts';
import type { TextRow } from '../core/items/run-texts.ts';
import { type ExperimentResult, fateOf, readResult } from '../shared/experiment-result.ts';
import { fold } from '../shared/fold.ts';
import type { ItemSource, SpanOrigin } from '../shared/run-comparison.ts';
import { SCORE_ITEM_STATES, type ScoreItemState } from '../shared/score-model.ts';
import * as z from '../shared/zod.ts';
import { createFailureKindReads } from './failure-kind-reads.ts';
import { createListReads, readOr, WHOLE_RECORD } from './list-reads.ts';
import { type Database, parseRow } from './open.ts';
import { openToRead } from './open-file.ts';
import { createScoreStore, type StoredScoreItem } from './score-store.ts';
import { createSpanListReads, type SpanList } from './span-list-reads.ts';

/** A result with its position in the columns of its run. */
export interface PlacedResult {
  position: number;
  result: ExperimentResult;
}

/** `version` changes with every change of the run or its items, also after the store was restored from a copy. */
interface ScoreRunState {
  version: string;
  isDone: boolean;
}

export interface RunReads {
  /** State of a score run, read in the same transaction as its columns; null if the run was removed. */
  scoreRunState(runId: string): ScoreRunState | null;
  scoreRun(runId: string, evaluator: string): RunColumns;
  experiment(generationId: number): RunColumns;
  scoreItems(runId: string, itemIds: readonly string[]): StoredScoreItem[];
  /** Results in the order of the positions; `isExact` keeps the digits of numbers. */
  results(
    generationId: number,
    positions: readonly number[],
    parse: (text: string) => unknown,
  ): PlacedResult[];
  /**
   * Positions of items whose judged texts (of a score run) or outputs (of an experiment) contain these words, from a
   * position on.
   */
  scoreItemsWith(runId: string, words: string, from: number): Set<string>;
  resultsWith(generationId: number, words: string, from: number): Set<string>;
  /** The texts of items in order, from a position on; damaged rows have none. */
  scoreTexts(runId: string, from: number, limit: number): TextRow[];
  resultTexts(generationId: number, from: number, limit: number): TextRow[];
  /** Traces of items that were made from spans on this computer, by item id. */
  tracesOf(datasetId: string): Map<string, string>;
  /** The span that an item was made from; null if the item was not made on this computer. */
  sourceOf(datasetId: string, itemId: string): ItemSource | null;
  /** Changes whenever items get traces. */
  tracesVersion(datasetId: string): string;
  /** Names of failure kinds from the reviews on this computer, by item id. */
  failureKindsOf(datasetId: string): Map<string, string>;
  /** Changes whenever the reviews with failure kinds change. */
  failureKindsVersion(datasetId: string): string;
  /** Stored lists of spans, the latest first. */
  spanLists(): SpanList[];
  /** Changes whenever the lists of spans or their rows change. */
  spanListsVersion(): string;
  /** Complete rows of a list of spans, from a position on. */
  spanRows(generationId: number, from: number, limit: number): Iterable<{ position: number; json: string }>;
  /** The spans that items were made from, if their builds still exist on this computer. */
  originsOf(datasetId: string): Map<string, SpanOrigin>;
  close(): void;
}

const AT_ONCE = 2_000;
const FATE_OF_STATE = { scored: 'good', failed: 'failed', skipped: 'skipped', unscored: 'unscored' } as const;

const states: ReadonlySet<unknown> = new Set(SCORE_ITEM_STATES);
const columnTexts = z.tuple([z.string(), z.string(), z.string(), z.string()]);
const originRow = z.tuple([z.string(), z.string(), z.int()]);
const sourceRow = z.tuple([z.string(), z.int(), z.string().nullable(), z.string().nullable()]);
const receiptsRow = z.tuple([z.int(), z.int().nullable()]);
const scoreRunRow = z.tuple([z.int(), z.int().nullable(), z.string()]);
const receiptTexts = z.tuple([z.string(), z.string()]);
const textsRow = z.object({ position: z.int(), itemId: z.string(), inputs: z.string().nullable() });
const inputsRow = z.object({ itemId: z.string(), inputs: z.string().nullable() });
const foundRow = z.tuple([z.int(), z.string()]);
/**
 * SQL for scores without their reasonings, which are by far the longest part; an evaluator gives a few scores at most.
 */
const LEAN_SCORES = `json_remove(scores_json, ${Array.from({ length: 8 }, (_, at) => `'$[${at}].reasoning'`).join(', ')})`;

interface LeanScore {
  name: string;
  value: number | null;
  label: string | null;
}
// A plain check, because applying a schema to each of 100,000 scores takes longer than reading them.
const isLeanScore = (value: unknown): value is LeanScore => {
  if (typeof value !== 'object' || value === null) return false;
  const { name, value: own, label } = value as Partial<Record<keyof LeanScore, unknown>>;
  return (
    typeof name === 'string' &&
    (own === null || typeof own === 'number') &&
    (label === null || typeof label === 'string')
  );
};

/**
 * Opens the stores for reading. `nowMs`: wall time. Throws SQLite errors, and STORE_DAMAGED if the log of the store of
 * datasets is damaged.
 */
export function openRunReads(libraryFile: string, datasetsFile: string, nowMs: number): RunReads {
  const library = openToRead(libraryFile, 'copy');
  const datasets = existsSync(datasetsFile) ? openToRead(datasetsFile, { nowMs }) : null;
  // Reads one state of each store, so that no row disappears while it is read.
  library.exec('BEGIN');
  datasets?.exec('BEGIN');
  const kinds = datasets === null ? null : createFailureKindReads(datasets);
  const rows = () => createListReads(library);
  const spans = () => createSpanListReads(library);
  return {
    scoreRunState: (runId) => (datasets === null ? null : stateOfScoreRun(datasets, runId)),
    scoreRun: (runId, evaluator) =>
      datasets === null ? new RunColumnsBuilder().finish() : readScoreRun(datasets, runId, evaluator),
    experiment: (generationId) => readExperiment(library, generationId),
    scoreItems: (runId, itemIds) =>
      datasets === null ? [] : createScoreStore(datasets).itemsOf(runId, itemIds),
    results: (generationId, positions, parse) => {
      const at = library
        .prepare(`SELECT position, ${WHOLE_RECORD} FROM list_row WHERE generation_id = ? AND position = ?`)
        .raw();
      return positions.flatMap((place) => {
        const row = at.get(generationId, place);
        if (row === undefined) return [];
        const [position, text] = parseRow(foundRow, row, 'result');
        const result = resultOf(text, parse);
        return result === null ? [] : { position, result };
      });
    },
    scoreItemsWith: (runId, words, from) =>
      datasets === null ? new Set() : itemsWith(datasets, runId, words, from),
    resultsWith: (generationId, words, from) => resultsWith(library, generationId, words, from),
    scoreTexts: (runId, from, limit) => (datasets === null ? [] : scoreTexts(datasets, runId, from, limit)),
    resultTexts: (generationId, from, limit) =>
      [...rows().recordsFrom(generationId, from, limit)].map(({ position, json }) => {
        const result = resultOf(json, JSON.parse);
        const itemId = result === null ? '' : itemIdOf(result, generationId, position);
        return { position, itemId, value: result?.outputs };
      }),
    tracesOf: (datasetId) => {
      const found = new Map<string, string>();
      if (datasets === null) return found;
      // Reads two JSON arrays, which is several times faster than one object for each row.
      const row = datasets
        .prepare(
          `SELECT json_group_array(item_id), json_group_array(trace_id) FROM span_receipt
           WHERE dataset_id = ? AND item_id IS NOT NULL`,
        )
        .raw()
        .get(datasetId);
      const [itemIds, traceIds] = parseRow(receiptTexts, row, 'receipt').map((text): unknown[] =>
        JSON.parse(text),
      ) as [unknown[], unknown[]];
      for (const [at, itemId] of itemIds.entries()) found.set(String(itemId), String(traceIds[at]));
      return found;
    },
    sourceOf: (datasetId, itemId) => {
      const row = datasets
        ?.prepare(
          `SELECT r.trace_id, r.at_ms, b.plan_json ->> '$.applicationId', b.plan_json ->> '$.applicationName'
           FROM span_receipt r LEFT JOIN job b ON b.job_id = r.build_id AND json_valid(b.plan_json)
           WHERE r.dataset_id = ? AND r.item_id = ? ORDER BY r.at_ms DESC LIMIT 1`,
        )
        .raw()
        .get(datasetId, itemId);
      if (row === undefined) return null;
      const [traceId, addedMs, id, name] = parseRow(sourceRow, row, 'receipt');
      return { traceId, addedMs, application: id === null ? null : { id, name: name ?? id } };
    },
    tracesVersion: (datasetId) => {
      const row = datasets
        ?.prepare('SELECT count(item_id), max(at_ms) FROM span_receipt WHERE dataset_id = ?')
        .raw()
        .get(datasetId);
      return row === undefined ? '' : parseRow(receiptsRow, row, 'receipt').join('.');
    },
    failureKindsOf: (datasetId) => kinds?.of(datasetId) ?? new Map<string, string>(),
    failureKindsVersion: (datasetId) => kinds?.version(datasetId) ?? '',
    spanLists: () => spans().lists(),
    spanListsVersion: () => spans().version(),
    spanRows: (generationId, from, limit) => rows().recordsFrom(generationId, from, limit),
    originsOf: (datasetId) => {
      const found = new Map<string, SpanOrigin>();
      const rows =
        datasets
          ?.prepare(
            `SELECT r.item_id, r.build_id, s.position FROM span_receipt r
             JOIN span s ON s.build_id = r.build_id AND s.span_id = r.span_id AND s.trace_id = r.trace_id
             JOIN job b ON b.job_id = r.build_id AND b.is_hidden = 0
             WHERE r.dataset_id = ? AND r.item_id IS NOT NULL ORDER BY r.at_ms`,
          )
          .raw()
          .iterate(datasetId) ?? [];
      for (const row of rows) {
        const [itemId, buildId, position] = parseRow(originRow, row, 'receipt');
        found.set(itemId, { buildId, position });
      }
      return found;
    },
    close: () => {
      library.close();
      datasets?.close();
    },
  };
}

function resultOf(text: string, parse: (text: string) => unknown): ExperimentResult | null {
  try {
    const record = parse(text);
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return null;
    return readResult(record as Record<string, unknown>);
  } catch {
    // A damaged row of a list counts as missing, as in its view, because the list can be read again.
    return null;
  }
}

function stateOfScoreRun(db: Database, runId: string): ScoreRunState | null {
  // The revision alone is not enough: after older data is restored, it can have the same value again.
  const row = db
    .prepare('SELECT revision, ended_at_ms, state FROM job WHERE job_id = ? AND is_hidden = 0')
    .raw()
    .get(runId);
  if (row === undefined) return null;
  const [revision, endedAtMs, state] = parseRow(scoreRunRow, row, 'score run');
  if (state === 'done') return { version: `${revision}.${endedAtMs}`, isDone: true };
  // Reads the scores separately, because those of a running run are saved without its row.
  const scored = db
    .prepare("SELECT count(*) FROM score_item WHERE run_id = ? AND state <> 'unscored'")
    .pluck()
    .get(runId);
  return { version: `${revision}.${endedAtMs}.${scored}`, isDone: false };
}

/** Reads one JSON array for each column, which is several times faster than one object for each row. */
function readScoreRun(db: Database, runId: string, evaluator: string): RunColumns {
  // All stored scores count, as in files of scores, whatever the state of their item.
  const columns = new RunColumnsBuilder({ isDistinct: true, takesEachScore: true });
  const read = (scores: string) =>
    db
      .prepare(
        `SELECT json_group_array(position), json_group_array(item_id), json_group_array(state),
           '[' || coalesce(group_concat(scores), '') || ']'
         FROM (SELECT position, item_id, state, coalesce(${scores}, 'null') AS scores FROM score_item
           WHERE run_id = ? AND position > ? ORDER BY position LIMIT ${AT_ONCE})`,
      )
      .raw();
  const [lean, checked] = [
    read(LEAN_SCORES),
    // Slower: a row that is not JSON counts as failed. Used only if there is such a row.
    read(
      `CASE WHEN scores_json IS NULL THEN NULL WHEN json_valid(scores_json) THEN ${LEAN_SCORES} ELSE '0' END`,
    ),
  ];
  for (let after = -1; ; ) {
    const texts = readOr(
      () => lean.get(runId, after),
      () => checked.get(runId, after),
    );
    const [positions, ids, stored, scores] = parseRow(columnTexts, texts, 'scores').map((text): unknown[] =>
      JSON.parse(text),
    ) as [number[], string[], unknown[], unknown[]];
    for (const [at, position] of positions.entries()) {
      const given = scores[at];
      const state = states.has(stored[at]) && given !== 0 ? (stored[at] as ScoreItemState) : 'failed';
      columns.add({
        ...{ itemId: String(ids[at]), position, fate: FATE_OF_STATE[state], durationMs: null },
        // A damaged row has no scores.
        scores: Array.isArray(given) && states.has(stored[at]) ? scoresOf(given, evaluator) : NO_SCORES,
      });
      after = position;
    }
    if (positions.length < AT_ONCE) return columns.finish();
  }
}

const NO_SCORES: readonly [] = [];
/** Adds the evaluator to the parsed scores themselves instead of copies, because there are as many as items. */
function scoresOf(given: readonly unknown[], evaluator: string): (LeanScore & { evaluator: string })[] {
  return given.flatMap((score) => (isLeanScore(score) ? Object.assign(score, { evaluator }) : []));
}

function readExperiment(db: Database, generationId: number): RunColumns {
  const columns = new RunColumnsBuilder();
  const reads = createListReads(db);
  for (let from = 0; ; ) {
    let count = 0;
    for (const { position, json } of reads.recordsFrom(generationId, from, AT_ONCE)) {
      count += 1;
      from = position + 1;
      const result = resultOf(json, JSON.parse);
      if (result === null) continue;
      const { outputs, durationMs, scores, traceId } = result;
      columns.add({
        itemId: itemIdOf(result, generationId, position),
        ...{ position, fate: fateOf(result), durationMs },
        // A score that failed has no number, even if the service sent one.
        scores: scores.filter((score) => ['good', 'other'].includes(fateOf(score))),
        measures: numbersIn(outputs ?? {}),
        traceId,
      });
    }
    if (count < AT_ONCE) return columns.finish();
  }
}

/** The id of a result's item; a result without an item of the dataset counts as an item of its own. */
const itemIdOf = ({ datasetItemId }: ExperimentResult, generationId: number, position: number): string =>
  datasetItemId === '' ? `result ${generationId} ${position}` : datasetItemId;

function scoreTexts(db: Database, runId: string, from: number, limit: number): TextRow[] {
  return db
    .prepare(
      `SELECT position, item_id AS itemId, inputs_json AS inputs FROM score_item
       WHERE run_id = ? AND position >= ? ORDER BY position LIMIT ?`,
    )
    .all(runId, from, limit)
    .map((row) => {
      const { position, itemId, inputs } = parseRow(textsRow, row, 'score');
      return {
        position,
        itemId,
        value:
          inputs === null
            ? null
            : readOr(
                () => JSON.parse(inputs),
                () => null,
              ),
      };
    });
}

function itemsWith(db: Database, runId: string, words: string, from: number): Set<string> {
  const wanted = fold(words);
  const found = new Set<string>();
  const rows = db
    .prepare(
      'SELECT item_id AS itemId, inputs_json AS inputs FROM score_item WHERE run_id = ? AND position >= ?',
    )
    .iterate(runId, from);
  for (const row of rows) {
    const { itemId, inputs } = parseRow(inputsRow, row, 'score');
    if (inputs !== null && holds(inputs, wanted)) found.add(itemId);
  }
  return found;
}

/** Whether a text in the JSON contains the wanted words; escapes are decoded before the comparison. */
function holds(json: string, wanted: string): boolean {
  try {
    return holdsText(JSON.parse(json), wanted);
  } catch {
    // A damaged row matches no text.
    return false;
  }
}

function holdsText(value: unknown, wanted: string): boolean {
  if (typeof value === 'object' && value !== null)
    return Object.values(value).some((each) => holdsText(each, wanted));
  return value !== null && fold(String(value)).includes(wanted);
}

/** Words that JSON writes without escapes and that LIKE compares ignoring case. */
const PLAIN = /^[a-z0-9 .,;:!?'()-]+$/i;

function resultsWith(db: Database, generationId: number, words: string, from: number): Set<string> {
  const wanted = fold(words);
  const found = new Set<string>();
  const narrow = PLAIN.test(words) ? `AND (text_id IS NOT NULL OR record LIKE ?)` : 'AND ? IS NOT NULL';
  const rows = db
    .prepare(
      `SELECT position, ${WHOLE_RECORD} FROM list_row WHERE generation_id = ? AND position >= ? ${narrow}`,
    )
    .raw()
    .iterate(generationId, from, `%${words}%`);
  for (const row of rows) {
    const [position, text] = parseRow(foundRow, row, 'result');
    const result = resultOf(text, JSON.parse);
    if (result === null || !holdsText(result.outputs, wanted)) continue;
    found.add(itemIdOf(result, generationId, position));
  }
  return found;
}
