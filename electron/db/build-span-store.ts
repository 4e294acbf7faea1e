/** Spans of builds: small rows for counting and paging, with the records in a separate table. */

import { createHash } from 'node:crypto';
import { NO_SPANS, type SpanTallies } from '../core/jobs/build-job.ts';
import { wallMs } from '../core/jobs/job-record.ts';
import type { OtherCalls } from '../core/jobs/same-spans.ts';
import { readable } from '../core/readable.ts';
import type { KeyShape } from '../core/spans/span-mapping.ts';
import { SPAN_STATES, type SpanRef, type SpanState } from '../shared/dataset-model.ts';
import * as z from '../shared/zod.ts';
import { readSpan, SPAN_COLUMNS, type StoredSpan } from './build-rows.ts';
import { type Database, parseRow, type Statement } from './open.ts';
import { json } from './row-parts.ts';

export interface NewSpan extends SpanRef {
  startMs: number | null;
  startTime: string | null;
  name: string | null;
  spanType: string | null;
  /** Attribute keys; null if only the identity is known. */
  keys: readonly string[] | null;
  /** JSON; null if only the identity is known. */
  record: string | null;
  /**
   * The contents come from a file, so the span is sent to the dataset as an item, even if the service does not have it.
   */
  isOfFile?: boolean;
  state: SpanState;
}

/** Selects rows by state and by attribute key set; null: all. */
export interface SpanFilter {
  states: readonly SpanState[] | null;
  shapeIds: readonly number[] | null;
  /** Only spans with a message of the service. */
  hasMessage?: boolean;
  /** Only spans sent as items (edited, or from a file), or only the others. */
  isItem?: boolean;
}

interface Receipt extends SpanRef {
  /** Null if a person or evidence decided without an id. */
  itemId: string | null;
}

interface SpanPatch {
  state: SpanState;
  batch: number | null;
  itemId?: string | null;
  message?: string | null;
}

export interface ShapeCount extends KeyShape {
  shapeId: number;
}

export interface SpanStore {
  /** Adds spans in order, starting at `position`. None of them may exist already. */
  add(buildId: string, position: number, spans: readonly NewSpan[]): void;
  /** The spans with these identities, in the same order; null for a span that is missing. */
  find(buildId: string, refs: readonly SpanRef[]): (StoredSpan | null)[];
  tallies(buildId: string): SpanTallies;
  countWithoutRecord(buildId: string): number;
  /**
   * A page of spans. It takes about the same time at any offset; with `isItem` or `hasMessage`, only the first page
   * does.
   */
  page(buildId: string, filter: SpanFilter, offset: number, limit: number): StoredSpan[];
  /** Like `page`, but starts at a position, for iterating over all spans. */
  after(buildId: string, filter: SpanFilter, position: number, limit: number): StoredSpan[];
  at(buildId: string, position: number): StoredSpan | null;
  /** Positions from `from` on, ascending. */
  positions(buildId: string, from: number, limit: number): number[];
  ofBatch(buildId: string, batch: number): StoredSpan[];
  /** JSON of the records at these positions; a span without one is absent. */
  records(buildId: string, positions: readonly number[]): Map<number, string>;
  /** Edited expected outputs at these positions; a span without one is absent. */
  edits(buildId: string, positions: readonly number[]): Map<number, string>;
  /** Replaces the data with that of the service; the span then counts as picked there. */
  takeKnown(buildId: string, position: number, span: Omit<NewSpan, 'state'>): void;
  /** Changes the start time. */
  startAt(buildId: string, position: number, start: Pick<NewSpan, 'startMs' | 'startTime'>): void;
  /** `expected` null: restores the span's own value. */
  edit(buildId: string, position: number, expected: string | null): void;
  change(buildId: string, position: number, patch: SpanPatch): void;
  /** Moves spans of one state to another within positions [from, to); returns their number. */
  move(buildId: string, states: { from: SpanState; to: SpanState }, from: number, to: number): number;
  /** Gives unsent spans at positions [from, to) the state `added` if the dataset has an item of them. */
  markAdded(buildId: string, datasetId: string, from: number, to: number): number;
  /** Reverses `markAdded`, for another dataset or none. */
  unmarkAdded(buildId: string, datasetId: string | null, from: number, to: number): number;
  saveReceipts(datasetId: string, buildId: string, receipts: readonly Receipt[], atMs: number): void;
  /** Items of this dataset that any build has a receipt for: id → span id. */
  knownItemIds(datasetId: string): Map<string, string>;
  /** A page of the receipts of this dataset, with the trace of each item. */
  itemTraces(datasetId: string, after: ItemTrace | null, limit: number): ItemTrace[];
  /** For each of these spans, whether there is a receipt for the dataset. */
  areAdded(datasetId: string, refs: readonly SpanRef[]): boolean[];
  /** Spans at these positions that are in an unanswered call of another build to this dataset, by build. */
  inOtherCalls(buildId: string, datasetId: string, positions: readonly number[]): OtherCalls[];
  /** Earliest and latest start. */
  range(buildId: string): { firstMs: number | null; lastMs: number | null };
  /** Key sets with their number of spans, without excluded spans. */
  shapes(buildId: string): ShapeCount[];
  /** Positions of the first spans with this key set. */
  samplePositions(buildId: string, shapeId: number, count: number): number[];
  /** Copies spans of another build before its position `until` as unsent; returns the last position, or null. */
  copy(fromId: string, toId: string, part: { from: number; until: number; limit: number }): number | null;
  copyShapes(fromBuildId: string, toBuildId: string): void;
}

export function createSpanStore(db: Database): SpanStore {
  return { ...spanReads(db), ...spanWrites(db) };
}

const number = z.int();

const stateCount = z.object({ state: z.enum(SPAN_STATES), spans: z.int().min(0) });
const shapeRow = z.object({ shapeId: z.number(), keys: json(z.array(z.string())), spans: z.number() });
const recordRow = z.object({ position: z.number(), record: z.string() });
const editRow = z.object({ position: z.number(), expected: z.string() });
const knownRow = z.object({ itemId: z.string(), spanId: z.string() });
export type ItemTrace = z.infer<typeof traceRow>;
const traceRow = z.object({
  itemId: z.string().nullable(),
  spanId: z.string(),
  traceId: z.string(),
  buildId: z.string(),
});
const otherCallsRow = z.object({ name: z.string(), spans: z.int(), unknown: z.int() });
const blockRow = z.object({ block: number, spans: number });
const rangeRow = z.object({ firstMs: wallMs.nullable(), lastMs: wallMs.nullable() });
const ITEMS = `SELECT position FROM span_edit WHERE build_id = @buildId
  UNION ALL SELECT position FROM span_of_file WHERE build_id = @buildId`;

/** The WHERE condition of a filter as text, so that SQLite can use the index for a single state. */
function conditionOf({ states, shapeIds, hasMessage, isItem }: SpanFilter): string {
  const parts = ['build_id = @buildId'];
  if (states !== null) parts.push(`state IN (${states.map((state) => `'${state}'`).join(', ')})`);
  if (shapeIds !== null) parts.push('shape_id IN (SELECT value FROM json_each(@shapeIds))');
  if (hasMessage === true) parts.push('message IS NOT NULL');
  if (isItem !== undefined) parts.push(`position ${isItem ? '' : 'NOT '}IN (${ITEMS})`);
  return parts.join(' AND ');
}

/** Number of positions counted together. The migration that added the counts uses the same number. */
const BLOCK = 1_024;

const COUNTED = 'build_id = @buildId AND spans > 0';

/**
 * The blocks that contain spans of a filter, with numbers of spans. The numbers are exact if the filter has only states
 * and key sets.
 */
function blocksText({ states, shapeIds }: SpanFilter): string {
  return `SELECT block, sum(spans) AS spans FROM span_count WHERE ${conditionOf({ states, shapeIds })} AND spans > 0
    GROUP BY block ORDER BY block`;
}

/** Selects positions before rows, with an index that covers the whole filter, so that skipped rows are never read. */
function blockText(filter: SpanFilter): string {
  return `SELECT ${SPAN_COLUMNS} FROM span WHERE build_id = @buildId AND position IN (
      SELECT position FROM span INDEXED BY span_by_place
      WHERE ${conditionOf(filter)} AND position >= @from AND position < @to ORDER BY position LIMIT @limit OFFSET @offset)
    ORDER BY position`;
}

function bindFilter(buildId: string, { shapeIds }: SpanFilter): Record<string, unknown> {
  return shapeIds === null ? { buildId } : { buildId, shapeIds: JSON.stringify(shapeIds) };
}

type SpanReads = Pick<
  SpanStore,
  | 'find'
  | 'tallies'
  | 'countWithoutRecord'
  | 'page'
  | 'after'
  | 'at'
  | 'positions'
  | 'ofBatch'
  | 'records'
  | 'edits'
  | 'areAdded'
  | 'knownItemIds'
  | 'itemTraces'
  | 'inOtherCalls'
  | 'range'
  | 'shapes'
  | 'samplePositions'
>;

function readStatements(db: Database) {
  return {
    find: db.prepare(`SELECT ${SPAN_COLUMNS} FROM span WHERE build_id = ? AND span_id = ? AND trace_id = ?`),
    counted: db.prepare('SELECT state, count(*) AS spans FROM span WHERE build_id = @buildId GROUP BY state'),
    tallies: db.prepare(`SELECT state, sum(spans) AS spans FROM span_count WHERE ${COUNTED} GROUP BY state`),
    withoutRecord: db
      .prepare(`SELECT coalesce(sum(spans), 0) FROM span_count WHERE ${COUNTED} AND shape_id = -1`)
      .pluck(),
    at: db.prepare(`SELECT ${SPAN_COLUMNS} FROM span WHERE build_id = ? AND position = ?`),
    positions: db
      .prepare('SELECT position FROM span WHERE build_id = ? AND position >= ? ORDER BY position LIMIT ?')
      .pluck(),
    ofBatch: db.prepare(
      `SELECT ${SPAN_COLUMNS} FROM span WHERE build_id = ? AND batch = ? ORDER BY position`,
    ),
    records: db.prepare(
      `SELECT position, record FROM span_record WHERE build_id = ? AND position IN (SELECT value FROM json_each(?))`,
    ),
    edits: db.prepare(
      `SELECT position, expected FROM span_edit WHERE build_id = ? AND position IN (SELECT value FROM json_each(?))`,
    ),
    isAdded: db.prepare('SELECT 1 FROM span_receipt WHERE dataset_id = ? AND span_id = ? AND trace_id = ?'),
    known: db.prepare(
      'SELECT item_id AS itemId, span_id AS spanId FROM span_receipt WHERE dataset_id = ? AND item_id IS NOT NULL',
    ),
    traces: db.prepare(
      `SELECT item_id AS itemId, span_id AS spanId, trace_id AS traceId, build_id AS buildId FROM span_receipt
       WHERE dataset_id = @datasetId AND (span_id, trace_id, build_id) > (@spanId, @traceId, @buildId)
       ORDER BY span_id, trace_id, build_id LIMIT @limit`,
    ),
    // Starts at the few builds with unanswered calls and continues to their spans; CROSS JOIN keeps this order.
    inOtherCalls: db.prepare(
      `SELECT job.title AS name, count(*) AS spans, sum(other.state = 'unknown') AS unknown
       FROM job CROSS JOIN span AS own CROSS JOIN span AS other
       WHERE job.kind = 'build' AND job.is_hidden = 0 AND job.job_id <> @buildId
         AND job.facts_json ->> 'datasetId' = @datasetId
         AND EXISTS (SELECT 1 FROM part WHERE part.job_id = job.job_id AND part.state IN ('sending', 'unknown'))
         AND own.build_id = @buildId AND own.position IN (SELECT value FROM json_each(@positions))
         AND other.build_id = job.job_id AND other.span_id = own.span_id AND other.trace_id = own.trace_id
         AND other.state IN ('sending', 'unknown')
       GROUP BY job.job_id ORDER BY job.created_at_ms`,
    ),
    // Uses one query for each end, because SQLite would scan all rows for both at once.
    range: db.prepare(
      `SELECT (SELECT min(start_ms) FROM span WHERE build_id = @buildId) AS firstMs,
         (SELECT max(start_ms) FROM span WHERE build_id = @buildId) AS lastMs`,
    ),
    shapes: db.prepare(
      `SELECT shape_id AS shapeId, keys_json AS keys, spans FROM (
         SELECT shape_id, sum(spans) AS spans FROM span_count
         WHERE ${COUNTED} AND shape_id >= 0 AND state <> 'excluded' GROUP BY shape_id
       ) JOIN shape USING (shape_id) WHERE build_id = @buildId ORDER BY spans DESC, shape_id`,
    ),
    sample: db.prepare('SELECT position FROM span WHERE build_id = ? AND shape_id = ? LIMIT ?').pluck(),
  };
}

/** Read access to the spans of builds. */
function spanReads(db: Database): SpanReads {
  const sql = readStatements(db);
  const byText = new Map<string, Statement>();
  const prepared = (text: string): Statement => {
    const statement = byText.get(text) ?? db.prepare(text);
    byText.set(text, statement);
    return statement;
  };
  const orNull = (row: unknown) => (row === undefined ? null : readSpan(row));
  return {
    find: (buildId, refs) =>
      refs.map(({ trace_id, span_id }) => orNull(sql.find.get(buildId, span_id, trace_id))),
    tallies: (buildId) => {
      const tallies: Record<SpanState, number> = { ...NO_SPANS };
      const read = (row: unknown) => parseRow(stateCount, row, 'tally');
      const kept = sql.tallies.all({ buildId });
      const sound = readable(kept, read);
      // Damaged counts are recomputed from the spans.
      const counts = sound.length === kept.length ? sound : readable(sql.counted.all({ buildId }), read);
      for (const { state, spans } of counts) tallies[state] = spans;
      return tallies;
    },
    countWithoutRecord: (buildId) => parseRow(number, sql.withoutRecord.get({ buildId }), 'tally'),
    page: (buildId, filter, offset, limit) => {
      const bound = bindFilter(buildId, filter);
      const found: StoredSpan[] = [];
      let passed = offset;
      for (const row of prepared(blocksText(filter)).all(bound)) {
        const { block, spans } = parseRow(blockRow, row, 'tally');
        if (passed >= spans) {
          passed -= spans;
          continue;
        }
        const part = {
          from: block * BLOCK,
          to: (block + 1) * BLOCK,
          offset: passed,
          limit: limit - found.length,
        };
        found.push(
          ...prepared(blockText(filter))
            .all({ ...bound, ...part })
            .map(readSpan),
        );
        passed = 0;
        if (found.length >= limit) break;
      }
      return found;
    },
    after: (buildId, filter, position, limit) =>
      prepared(
        `SELECT ${SPAN_COLUMNS} FROM span WHERE ${conditionOf(filter)} AND position >= @position
         ORDER BY position LIMIT @limit`,
      )
        .all({ ...bindFilter(buildId, filter), position, limit })
        .map(readSpan),
    at: (buildId, position) => orNull(sql.at.get(buildId, position)),
    positions: (buildId, from, limit) =>
      sql.positions.all(buildId, from, limit).map((position) => parseRow(number, position, 'position')),
    ofBatch: (buildId, batch) => sql.ofBatch.all(buildId, batch).map(readSpan),
    records: (buildId, positions) =>
      new Map(
        sql.records.all(buildId, JSON.stringify(positions)).map((row) => {
          const { position, record } = parseRow(recordRow, row, 'span record');
          return [position, record];
        }),
      ),
    edits: (buildId, positions) =>
      new Map(
        sql.edits.all(buildId, JSON.stringify(positions)).map((row) => {
          const { position, expected } = parseRow(editRow, row, 'edited span');
          return [position, expected];
        }),
      ),
    areAdded: (datasetId, refs) =>
      refs.map(({ trace_id, span_id }) => sql.isAdded.get(datasetId, span_id, trace_id) !== undefined),
    knownItemIds: (datasetId) =>
      new Map(
        sql.known.all(datasetId).map((row) => {
          const { itemId, spanId } = parseRow(knownRow, row, 'receipt');
          return [itemId, spanId];
        }),
      ),
    itemTraces: (datasetId, after, limit) =>
      sql.traces
        .all({ ...(after ?? { spanId: '', traceId: '', buildId: '' }), datasetId, limit })
        .map((row) => parseRow(traceRow, row, 'receipt')),
    inOtherCalls: (buildId, datasetId, positions) =>
      sql.inOtherCalls
        .all({ buildId, datasetId, positions: JSON.stringify(positions) })
        .map((row) => parseRow(otherCallsRow, row, 'request of another build')),
    range: (buildId) => parseRow(rangeRow, sql.range.get({ buildId }), 'range of spans'),
    shapes: (buildId) =>
      sql.shapes.all({ buildId }).map((row) => {
        const { shapeId, keys, spans } = parseRow(shapeRow, row, 'key set');
        return { shapeId, keys: new Set(keys), spans };
      }),
    samplePositions: (buildId, shapeId, count) =>
      sql.sample.all(buildId, shapeId, count).map((position) => parseRow(number, position, 'position')),
  };
}

const HELD = `EXISTS (SELECT 1 FROM span_receipt WHERE dataset_id = @datasetId AND span_receipt.span_id = span.span_id
  AND span_receipt.trace_id = span.trace_id)`;
/** Includes the records of removed spans, because a removal can be undone. */
const COPIED =
  'position IN (SELECT position FROM span WHERE build_id = @target AND position >= @from AND position <= @to)';
const WITHIN = 'build_id = @buildId AND position >= @from AND position < @to';

function writeStatements(db: Database) {
  return {
    add: db.prepare(
      `INSERT INTO span (build_id, position, trace_id, span_id, start_ms, start_time, name, span_type, shape_id, state)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    receipt: db.prepare(
      `INSERT INTO span_receipt (dataset_id, span_id, trace_id, build_id, item_id, at_ms) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (dataset_id, span_id, trace_id, build_id) DO UPDATE SET item_id = excluded.item_id,
         at_ms = excluded.at_ms`,
    ),
    addRecord: db.prepare('INSERT INTO span_record (build_id, position, record) VALUES (?, ?, ?)'),
    shape: db.prepare('SELECT shape_id FROM shape WHERE build_id = ? AND hash = ?').pluck(),
    addShape: db
      .prepare(
        `INSERT INTO shape (build_id, shape_id, hash, keys_json)
       SELECT @buildId, coalesce(max(shape_id) + 1, 0), @hash, @keys FROM shape WHERE build_id = @buildId
       RETURNING shape_id`,
      )
      .pluck(),
    change: db.prepare(
      `UPDATE span SET state = @state, batch = @batch, item_id = coalesce(@itemId, item_id), message = @message
       WHERE build_id = @buildId AND position = @position`,
    ),
    move: db.prepare(`UPDATE span SET state = @target WHERE ${WITHIN} AND state = @source`),
    markAdded: db.prepare(`UPDATE span SET state = 'added' WHERE ${WITHIN} AND state = 'unsent' AND ${HELD}`),
    unmarkAdded: db.prepare(
      `UPDATE span SET state = 'unsent' WHERE ${WITHIN} AND state = 'added' AND NOT ${HELD}`,
    ),
    edit: db.prepare(
      `INSERT INTO span_edit (build_id, position, expected) VALUES (?, ?, ?)
       ON CONFLICT (build_id, position) DO UPDATE SET expected = excluded.expected`,
    ),
    removeEdits: db.prepare(
      'DELETE FROM span_edit WHERE build_id = ? AND position IN (SELECT value FROM json_each(?))',
    ),
    copyEdits: db.prepare(
      `INSERT INTO span_edit (build_id, position, expected) SELECT @target, position, expected FROM span_edit
       WHERE build_id = @source AND ${COPIED}`,
    ),
    addOfFile: db.prepare('INSERT INTO span_of_file (build_id, position) VALUES (?, ?)'),
    notOfFile: db.prepare('DELETE FROM span_of_file WHERE build_id = ? AND position = ?'),
    setRecord: db.prepare('INSERT OR REPLACE INTO span_record (build_id, position, record) VALUES (?, ?, ?)'),
    setSpan: db.prepare(
      `UPDATE span SET shape_id = ?, name = ?, span_type = ?, start_ms = coalesce(start_ms, ?),
         start_time = coalesce(start_time, ?) WHERE build_id = ? AND position = ?`,
    ),
    startAt: db.prepare('UPDATE span SET start_ms = ?, start_time = ? WHERE build_id = ? AND position = ?'),
    copyOfFile: db.prepare(
      `INSERT INTO span_of_file (build_id, position, asked) SELECT @target, position, asked FROM span_of_file
       WHERE build_id = @source AND ${COPIED}`,
    ),
    copyShapes: db.prepare(
      `INSERT INTO shape (build_id, shape_id, hash, keys_json)
       SELECT ?, shape_id, hash, keys_json FROM shape WHERE build_id = ?`,
    ),
    copySpans: db
      .prepare(
        `INSERT INTO span (build_id, position, trace_id, span_id, start_ms, start_time, name, span_type, shape_id, state)
       SELECT @target, position, trace_id, span_id, start_ms, start_time, name, span_type, shape_id,
         CASE state WHEN 'excluded' THEN 'excluded' ELSE 'unsent' END
       FROM span WHERE build_id = @source AND position >= @from AND position < @until ORDER BY position LIMIT @limit
       RETURNING position`,
      )
      .pluck(),
    copyRecords: db.prepare(
      `INSERT INTO span_record (build_id, position, record) SELECT @target, position, record FROM span_record
       WHERE build_id = @source AND ${COPIED}`,
    ),
  };
}

function hashOf(keys: string): string {
  return createHash('sha256').update(keys).digest('hex').slice(0, 32);
}

function spanWrites(db: Database): Omit<SpanStore, keyof SpanReads> {
  const sql = writeStatements(db);
  const shapeOf = (buildId: string, keys: readonly string[]): number => {
    const text = JSON.stringify(keys.toSorted());
    const hash = hashOf(text);
    const found = sql.shape.get(buildId, hash) ?? sql.addShape.get({ buildId, hash, keys: text });
    return parseRow(number, found, 'key set');
  };
  return {
    add: (buildId, first, spans) => {
      spans.forEach((span, index) => {
        const position = first + index;
        const { trace_id, span_id, startMs, startTime, name, spanType, keys, record, isOfFile, state } = span;
        const shapeId = keys === null || record === null ? null : shapeOf(buildId, keys);
        sql.add.run(buildId, position, trace_id, span_id, startMs, startTime, name, spanType, shapeId, state);
        if (record !== null) sql.addRecord.run(buildId, position, record);
        if (isOfFile === true) sql.addOfFile.run(buildId, position);
      });
    },
    saveReceipts: (datasetId, buildId, receipts, atMs) => {
      for (const { trace_id, span_id, itemId } of receipts) {
        sql.receipt.run(datasetId, span_id, trace_id, buildId, itemId, atMs);
      }
    },
    change: (buildId, position, { state, batch, itemId = null, message = null }) => {
      sql.change.run({ buildId, position, state, batch, itemId, message });
    },
    takeKnown: (buildId, position, { keys, record, name, spanType, startMs, startTime }) => {
      const shapeId = keys === null || record === null ? null : shapeOf(buildId, keys);
      if (record !== null) sql.setRecord.run(buildId, position, record);
      sql.setSpan.run(shapeId, name, spanType, startMs, startTime, buildId, position);
      sql.notOfFile.run(buildId, position);
    },
    startAt: (buildId, position, { startMs, startTime }) => {
      sql.startAt.run(startMs, startTime, buildId, position);
    },
    edit: (buildId, position, expected) => {
      if (expected === null) sql.removeEdits.run(buildId, JSON.stringify([position]));
      else sql.edit.run(buildId, position, expected);
    },
    move: (buildId, { from: source, to: target }, from, to) =>
      sql.move.run({ buildId, source, target, from, to }).changes,
    markAdded: (buildId, datasetId, from, to) => sql.markAdded.run({ buildId, datasetId, from, to }).changes,
    unmarkAdded: (buildId, datasetId, from, to) =>
      sql.unmarkAdded.run({ buildId, datasetId, from, to }).changes,
    copy: (source, target, { from, until, limit }) => {
      const positions = sql.copySpans.all({ source, target, from, until, limit });
      const last = positions.reduce<number | null>(
        (most, position) => Math.max(most ?? 0, parseRow(number, position, 'position')),
        null,
      );
      if (last !== null) {
        sql.copyRecords.run({ source, target, from, to: last });
        sql.copyEdits.run({ source, target, from, to: last });
        sql.copyOfFile.run({ source, target, from, to: last });
      }
      return last;
    },
    copyShapes: (source, target) => {
      sql.copyShapes.run(target, source);
    },
  };
}
