/** Reading the spans of builds: pages, counts, key sets. */
import { z } from 'zod';
import { NO_SPANS } from '../core/build-job.ts';
import { SPAN_STATES, type SpanState } from '../shared/dataset-model.ts';
import { readSpan } from './build-rows.ts';
import type { SpanFilter, SpanStore } from './build-span-store.ts';
import { type Database, parseRow, type Statement } from './open.ts';
import { json } from './row-parts.ts';

const COLUMNS = `position, trace_id AS traceId, span_id AS spanId, start_ms AS startMs, start_time AS startTime, name,
  span_type AS spanType, shape_id AS shapeId, state, batch, item_id AS itemId, message`;

const stateCount = z.object({ state: z.enum(SPAN_STATES), spans: z.number() });
const shapeRow = z.object({ shapeId: z.number(), keys: json(z.array(z.string())), spans: z.number() });
const recordRow = z.object({ position: z.number(), record: z.string() });
const rangeRow = z.object({ firstMs: z.number().nullable(), lastMs: z.number().nullable() });
const number = z.int();

/** The condition of a filter, written out: one state alone can then follow its index. */
function conditionOf({ states, shapeIds, hasMessage }: SpanFilter): string {
  const parts = ['build_id = @buildId'];
  if (states !== null) parts.push(`state IN (${states.map((state) => `'${state}'`).join(', ')})`);
  if (shapeIds !== null) parts.push('shape_id IN (SELECT value FROM json_each(@shapeIds))');
  if (hasMessage === true) parts.push('message IS NOT NULL');
  return parts.join(' AND ');
}

/** Positions that are sorted within a few milliseconds. */
const MOST_SORTED = 20_000;

/** The index that has the positions of a filter without the rows; null where the rows themselves are gone through. */
function indexOf({ states, shapeIds }: SpanFilter, count: number | null): string | null {
  if (shapeIds !== null) return (count ?? 0) > MOST_SORTED ? 'span_by_place' : 'span_by_shape';
  return states?.length === 1 ? 'span_by_state' : null;
}

interface PagePlace {
  offset: number;
  limit: number;
  /** From the end: nothing before is passed then. */
  isReversed: boolean;
}

function placeOf(offset: number, limit: number, count: number | null): PagePlace {
  if (count === null || offset + limit <= count / 2) return { offset, limit, isReversed: false };
  const after = count - offset - limit;
  return { offset: Math.max(0, after), limit: limit + Math.min(0, after), isReversed: true };
}

/** Positions first, rows after: skipping to an offset then touches no row. */
function pageText(filter: SpanFilter, index: string | null, isReversed: boolean): string {
  const order = `ORDER BY position ${isReversed ? 'DESC' : ''} LIMIT @limit OFFSET @offset`;
  if (index === null) return `SELECT ${COLUMNS} FROM span WHERE ${conditionOf(filter)} ${order}`;
  return `SELECT ${COLUMNS} FROM span WHERE build_id = @buildId AND position IN (
      SELECT position FROM span INDEXED BY ${index} WHERE ${conditionOf(filter)} ${order})
    ORDER BY position`;
}

function bindFilter(buildId: string, { shapeIds }: SpanFilter): Record<string, unknown> {
  return shapeIds === null ? { buildId } : { buildId, shapeIds: JSON.stringify(shapeIds) };
}

export type SpanReads = Pick<
  SpanStore,
  | 'find'
  | 'tallies'
  | 'countWithoutRecord'
  | 'page'
  | 'after'
  | 'at'
  | 'ofBatch'
  | 'records'
  | 'areAdded'
  | 'range'
  | 'shapes'
  | 'samplePositions'
>;

function readStatements(db: Database) {
  return {
    find: db.prepare(`SELECT ${COLUMNS} FROM span WHERE build_id = ? AND span_id = ? AND trace_id = ?`),
    tallies: db.prepare('SELECT state, count(*) AS spans FROM span WHERE build_id = ? GROUP BY state'),
    withoutRecord: db.prepare('SELECT count(*) FROM span WHERE build_id = ? AND shape_id IS NULL').pluck(),
    at: db.prepare(`SELECT ${COLUMNS} FROM span WHERE build_id = ? AND position = ?`),
    ofBatch: db.prepare(`SELECT ${COLUMNS} FROM span WHERE build_id = ? AND batch = ? ORDER BY position`),
    records: db.prepare(
      `SELECT position, record FROM span_record WHERE build_id = ? AND position IN (SELECT value FROM json_each(?))`,
    ),
    isAdded: db.prepare('SELECT 1 FROM receipt WHERE dataset_id = ? AND span_id = ? AND trace_id = ?'),
    range: db.prepare(
      'SELECT min(start_ms) AS firstMs, max(start_ms) AS lastMs FROM span WHERE build_id = ?',
    ),
    shapes: db.prepare(
      `SELECT shape_id AS shapeId, keys_json AS keys, spans FROM (
         SELECT shape_id, count(*) AS spans FROM span
         WHERE build_id = @buildId AND shape_id IS NOT NULL AND state <> 'excluded' GROUP BY shape_id
       ) JOIN shape USING (shape_id) WHERE build_id = @buildId ORDER BY spans DESC, shape_id`,
    ),
    sample: db.prepare('SELECT position FROM span WHERE build_id = ? AND shape_id = ? LIMIT ?').pluck(),
  };
}

/** What is read of the spans of builds. */
export function spanReads(db: Database): SpanReads {
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
      for (const row of sql.tallies.all(buildId)) {
        const { state, spans } = parseRow(stateCount, row, 'tally');
        tallies[state] = spans;
      }
      return tallies;
    },
    countWithoutRecord: (buildId) => parseRow(number, sql.withoutRecord.get(buildId), 'tally'),
    page: (buildId, filter, from, most, count = null) => {
      const { offset, limit, isReversed } = placeOf(from, most, count);
      if (limit <= 0) return [];
      const rows = prepared(pageText(filter, indexOf(filter, count), isReversed))
        .all({ ...bindFilter(buildId, filter), offset, limit })
        .map(readSpan);
      return rows.toSorted((a, b) => a.position - b.position);
    },
    after: (buildId, filter, position, limit) =>
      prepared(
        `SELECT ${COLUMNS} FROM span WHERE ${conditionOf(filter)} AND position >= @position
         ORDER BY position LIMIT @limit`,
      )
        .all({ ...bindFilter(buildId, filter), position, limit })
        .map(readSpan),
    at: (buildId, position) => orNull(sql.at.get(buildId, position)),
    ofBatch: (buildId, batch) => sql.ofBatch.all(buildId, batch).map(readSpan),
    records: (buildId, positions) =>
      new Map(
        sql.records.all(buildId, JSON.stringify(positions)).map((row) => {
          const { position, record } = parseRow(recordRow, row, 'span record');
          return [position, record];
        }),
      ),
    areAdded: (datasetId, refs) =>
      refs.map(({ trace_id, span_id }) => sql.isAdded.get(datasetId, span_id, trace_id) !== undefined),
    range: (buildId) => parseRow(rangeRow, sql.range.get(buildId), 'range of spans'),
    shapes: (buildId) =>
      sql.shapes.all({ buildId }).map((row) => {
        const { shapeId, keys, spans } = parseRow(shapeRow, row, 'key set');
        return { shapeId, keys: new Set(keys), spans };
      }),
    samplePositions: (buildId, shapeId, count) =>
      sql.sample.all(buildId, shapeId, count).map((position) => parseRow(number, position, 'position')),
  };
}
