/** Local tables that SQL queries can name: the request log, acknowledged rows and scores. Read in a separate process. */
import { eachReceipt } from '../core/jobs/receipt-rows.ts';
import { runName } from '../shared/score-names.ts';
import * as z from '../shared/zod.ts';
import { openToRead } from './open-file.ts';
import { createScoreRunStore, createScoreStore, type StoredScoreItem } from './score-store.ts';
import { heldRows } from './stored-tables.ts';
import { createUploadStore } from './upload-store.ts';

export const keptRows = z.strictObject({
  /** The store file: the library for `requests`, the uploads for `events`, the datasets for `scores`. */
  file: z.string(),
  name: z.enum(['requests', 'events', 'scores']),
});
export type KeptRows = z.infer<typeof keptRows>;

type Row = Readonly<Record<string, unknown>>;

/**
 * The rows of a table, each with its position, as JSON. `sample`: only this many rows from the start. `nowMs`: wall
 * time. Throws SQLite errors, and STORE_DAMAGED if the log of the uploads is damaged.
 */
export function* readKept(
  { file, name }: KeptRows,
  nowMs: number,
  sample?: number,
): Generator<[number, string]> {
  let position = 0;
  for (const row of ROWS_OF[name](file, nowMs)) {
    if (position === sample) return;
    yield [position, JSON.stringify(row)];
    position += 1;
  }
}

/** The rows of an export of the log, oldest first, with method, path and duration as separate columns. */
function* requestRows(file: string, nowMs: number): Generator<Row> {
  for (const row of heldRows(file, { form: 'requests', filter: {} }, nowMs)) {
    const { started_at, ended_at, operation, url } = row;
    yield {
      ...{ as_of: ended_at, method: String(operation).split(' ', 1)[0], path: String(url).split('?', 1)[0] },
      duration_ms: Date.parse(String(ended_at)) - Date.parse(String(started_at)),
      ...row,
    };
  }
}

/**
 * All acknowledged rows, in the order of the uploads. Event ids that cannot be assigned to a row are left out; the
 * upload's receipts have them. If the record of an upload cannot be read, its rows have no file and model; if a receipt
 * cannot be read, its rows have no event id.
 */
function* eventRows(file: string, nowMs: number): Generator<Row> {
  const db = openToRead(file, { nowMs });
  try {
    const { jobs, batches } = createUploadStore(db);
    const uploads = jobs.acknowledged().toSorted((a, b) => (a.firstAtMs ?? 0) - (b.firstAtMs ?? 0));
    const readable = new Map(jobs.list().map((job) => [job.id, job]));
    for (const { jobId } of uploads) {
      const job = readable.get(jobId);
      const {
        modelId = null,
        modelName = null,
        envType = null,
        envName = null,
        mode = null,
      } = job?.plan ?? {};
      for (const batch of batches.readableAcknowledged(jobId)) {
        const { answeredAtMs, requestId } = batch.part;
        const at = answeredAtMs === null ? null : new Date(answeredAtMs).toISOString();
        for (const { row, line, batch: number, eventId } of eachReceipt([batch])) {
          if (row === null) continue;
          yield {
            ...{ as_of: at, upload_id: jobId, file_name: job?.fileName ?? null, mode },
            ...{ model_id: modelId, model: modelName, environment_type: envType, environment: envName },
            ...{ row, line, batch: number, event_id: eventId },
            ...{ acknowledged_at: at, request_id: requestId },
          };
        }
      }
    }
  } finally {
    db.close();
  }
}

const SCORES_AT_ONCE = 500;

/**
 * All scores by run and item, the oldest run first; an item without a score is one row. Runs that cannot be read are
 * left out.
 */
function* scoreRows(file: string, nowMs: number): Generator<Row> {
  const db = openToRead(file, { nowMs });
  try {
    const store = createScoreStore(db);
    const runs = createScoreRunStore(db).list();
    for (const { id, plan } of runs.toSorted((a, b) => a.createdAtMs - b.createdAtMs)) {
      const run = {
        ...{ run_id: id, run: runName(plan), evaluator: plan.evaluator },
        ...{ dataset_id: plan.datasetId, dataset: plan.datasetName },
      };
      for (let offset = 0; ; offset += SCORES_AT_ONCE) {
        const items = store.page(id, null, offset, SCORES_AT_ONCE);
        for (const item of items) yield* scoresOf(run, item);
        if (items.length < SCORES_AT_ONCE) break;
      }
    }
  } finally {
    db.close();
  }
}

function* scoresOf(run: Row, { itemId, state, scores, error, atMs }: StoredScoreItem): Generator<Row> {
  const at = atMs === null ? null : new Date(atMs).toISOString();
  const known = { as_of: at, ...run, item_id: itemId, state };
  const rest = { error: error?.message ?? null, scored_at: at };
  if (scores.length === 0)
    yield { ...known, score: null, value: null, label: null, reasoning: null, ...rest };
  for (const { name, value, label, reasoning } of scores)
    yield { ...known, score: name, value, label, reasoning, ...rest };
}

const ROWS_OF: Readonly<Record<KeptRows['name'], (file: string, nowMs: number) => Generator<Row>>> = {
  requests: requestRows,
  events: eventRows,
  scores: scoreRows,
};
