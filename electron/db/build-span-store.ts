/** Spans of builds: slim rows for counting and paging, their records apart from them. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SpanTallies } from '../core/build-job.ts';
import type { KeyShape } from '../core/span-mapping.ts';
import type { SpanRef, SpanState } from '../shared/dataset-model.ts';
import type { StoredSpan } from './build-rows.ts';
import { type SpanReads, spanReads } from './build-span-reads.ts';
import { type Database, parseRow } from './open.ts';

export interface NewSpan extends SpanRef {
  startMs: number | null;
  startTime: string | null;
  name: string | null;
  spanType: string | null;
  /** Attribute keys; null where only the identity is known. */
  keys: readonly string[] | null;
  /** JSON; null as above. */
  record: string | null;
  state: SpanState;
}

/** Rows by state, or by the attribute keys they have; null: all. */
export interface SpanFilter {
  states: readonly SpanState[] | null;
  shapeIds: readonly number[] | null;
  /** Only spans the service said something of. */
  hasMessage?: boolean;
}

export interface SpanPatch {
  state: SpanState;
  batch: number | null;
  itemId?: string | null;
  message?: string | null;
}

export interface ShapeCount extends KeyShape {
  shapeId: number;
}

export interface SpanStore {
  /** Adds spans from `position` on, in their order. None of them may be there already. */
  add(buildId: string, position: number, spans: readonly NewSpan[]): void;
  /** The spans of these identities, in their order; null where one is not there. */
  find(buildId: string, refs: readonly SpanRef[]): (StoredSpan | null)[];
  tallies(buildId: string): SpanTallies;
  countWithoutRecord(buildId: string): number;
  /** `count`: how many the filter leaves, where that is known; a page near the end is then read from there. */
  page(
    buildId: string,
    filter: SpanFilter,
    offset: number,
    limit: number,
    count?: number | null,
  ): StoredSpan[];
  /** The same from a position on: for going through all of them. */
  after(buildId: string, filter: SpanFilter, position: number, limit: number): StoredSpan[];
  at(buildId: string, position: number): StoredSpan | null;
  ofBatch(buildId: string, batch: number): StoredSpan[];
  /** JSON of the records at these positions; a span without one is absent. */
  records(buildId: string, positions: readonly number[]): Map<number, string>;
  change(buildId: string, position: number, patch: SpanPatch): void;
  /** Moves spans of one state to another within positions [from, to); answers how many. */
  move(buildId: string, states: { from: SpanState; to: SpanState }, from: number, to: number): number;
  /** Within positions [from, to): unsent ones of which the dataset holds an item become `added`. */
  markAdded(buildId: string, datasetId: string, from: number, to: number): number;
  /** The reverse, for another dataset or none. */
  unmarkAdded(buildId: string, datasetId: string | null, from: number, to: number): number;
  /** Which of these has a receipt for the dataset. */
  areAdded(datasetId: string, refs: readonly SpanRef[]): boolean[];
  remove(buildId: string, positions: readonly number[]): void;
  /** Earliest and latest start. */
  range(buildId: string): { firstMs: number | null; lastMs: number | null };
  /** Key sets with the number of spans, excluded ones left out. */
  shapes(buildId: string): ShapeCount[];
  /** Positions of the first spans with this key set. */
  samplePositions(buildId: string, shapeId: number, count: number): number[];
  /** Copies spans of another build from its position `from` on, as unsent; answers the last position, or null. */
  copy(fromBuildId: string, toBuildId: string, from: number, limit: number): number | null;
  copyShapes(fromBuildId: string, toBuildId: string): void;
}

export function createSpanStore(db: Database): SpanStore {
  return { ...spanReads(db), ...spanWrites(db) };
}

const number = z.int();

const HELD = `EXISTS (SELECT 1 FROM receipt WHERE dataset_id = @datasetId AND receipt.span_id = span.span_id
  AND receipt.trace_id = span.trace_id)`;
const WITHIN = 'build_id = @buildId AND position >= @from AND position < @to';

function writeStatements(db: Database) {
  return {
    add: db.prepare(
      `INSERT INTO span (build_id, position, trace_id, span_id, start_ms, start_time, name, span_type, shape_id, state)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
    remove: db.prepare(
      'DELETE FROM span WHERE build_id = ? AND position IN (SELECT value FROM json_each(?))',
    ),
    removeRecords: db.prepare(
      'DELETE FROM span_record WHERE build_id = ? AND position IN (SELECT value FROM json_each(?))',
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
       FROM span WHERE build_id = @source AND position >= @from ORDER BY position LIMIT @limit
       RETURNING position`,
      )
      .pluck(),
    copyRecords: db.prepare(
      `INSERT INTO span_record (build_id, position, record) SELECT @target, position, record FROM span_record
       WHERE build_id = @source AND position >= @from AND position <= @to`,
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
        const { trace_id, span_id, startMs, startTime, name, spanType, keys, record, state } = span;
        const shapeId = keys === null || record === null ? null : shapeOf(buildId, keys);
        sql.add.run(buildId, position, trace_id, span_id, startMs, startTime, name, spanType, shapeId, state);
        if (record !== null) sql.addRecord.run(buildId, position, record);
      });
    },
    change: (buildId, position, { state, batch, itemId = null, message = null }) => {
      sql.change.run({ buildId, position, state, batch, itemId, message });
    },
    move: (buildId, { from: source, to: target }, from, to) =>
      sql.move.run({ buildId, source, target, from, to }).changes,
    markAdded: (buildId, datasetId, from, to) => sql.markAdded.run({ buildId, datasetId, from, to }).changes,
    unmarkAdded: (buildId, datasetId, from, to) =>
      sql.unmarkAdded.run({ buildId, datasetId, from, to }).changes,
    remove: (buildId, positions) => {
      const list = JSON.stringify(positions);
      sql.remove.run(buildId, list);
      sql.removeRecords.run(buildId, list);
    },
    copy: (source, target, from, limit) => {
      const positions = sql.copySpans.all({ source, target, from, limit });
      const last = positions.reduce<number | null>(
        (most, position) => Math.max(most ?? 0, parseRow(number, position, 'position')),
        null,
      );
      if (last !== null) sql.copyRecords.run({ source, target, from, to: last });
      return last;
    },
    copyShapes: (source, target) => {
      sql.copyShapes.run(target, source);
    },
  };
}
