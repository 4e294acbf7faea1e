/**
 * Undo and redo steps in the baskets of builds: the spans that each action added or removed, with the removed spans
 * themselves.
 */
import { readable } from '../core/readable.ts';
import {
  PICK_ACTS,
  type PickStep,
  SPAN_STATES,
  type SpanState,
  type TimeRange,
  timeRange,
} from '../shared/dataset-model.ts';
import * as z from '../shared/zod.ts';
import type { DamagedSource } from './damaged-rows.ts';
import { type Database, parseRow } from './open.ts';
import { asChecked, json } from './row-parts.ts';

/** A span with its position in the build. */
export interface PlacedSpan {
  position: number;
  state: SpanState;
}

interface StoredPickStep extends PickStep {
  step: number;
  /** The picked range that the build gets if the step is undone or redone. */
  range: TimeRange | null;
}

export interface PickStepStore {
  next(buildId: string): { undo: StoredPickStep | null; redo: StoredPickStep | null };
  /** Begins a step and returns its number. Undone steps can then no longer be redone. */
  begin(buildId: string, what: PickStep['what'], range: TimeRange | null): number;
  /** Adds ascending positions to a step. */
  grow(step: number, positions: readonly number[]): void;
  /** Spans of the step that are in the basket now, from a position on. */
  inside(buildId: string, step: number, from: number, limit: number): PlacedSpan[];
  /** Spans that the step removed from the basket, except those that were picked again at another position. */
  away(step: number, limit: number): PlacedSpan[];
  takeOut(buildId: string, step: number, positions: readonly number[]): void;
  putBack(step: number, positions: readonly number[]): void;
  /** Marks the step as undone or redone. */
  turn(step: number, isUndone: boolean, range: TimeRange | null): void;
  /** Steps that cannot be read. */
  damaged: DamagedSource;
  /**
   * Deletes up to `maxRows` rows of steps that can no longer be undone or redone; returns the number of deleted rows.
   */
  sweep(maxRows: number): number;
}

/** Maximum undo steps of one basket. Spans of older steps are deleted, because their texts take up space. */
const MAX_STEPS = 100;

const COLUMNS =
  'build_id, position, trace_id, span_id, start_ms, start_time, name, span_type, shape_id, state, batch, item_id, message';
const LISTED = 'position IN (SELECT value FROM json_each(@positions))';

const range = timeRange.nullable();
const stepRow = z.object({
  step: z.int(),
  what: z.enum(PICK_ACTS),
  spans: z.int(),
  range: json(range),
});
const placedRow = z.object({ position: z.int(), state: z.enum(SPAN_STATES) });

function statements(db: Database) {
  const next = (isUndone: 0 | 1, order: 'ASC' | 'DESC') =>
    db.prepare(
      `SELECT step, what, spans, range_json AS range FROM pick_step
       WHERE build_id = ? AND is_dropped = 0 AND is_undone = ${isUndone} ORDER BY step ${order} LIMIT 1`,
    );
  return {
    undo: next(0, 'DESC'),
    redo: next(1, 'ASC'),
    drop: db.prepare(
      `UPDATE pick_step SET is_dropped = 1 WHERE build_id = @buildId AND is_dropped = 0 AND (is_undone = 1 OR step <= (
         SELECT step FROM pick_step WHERE build_id = @buildId AND is_dropped = 0 AND is_undone = 0
         ORDER BY step DESC LIMIT 1 OFFSET ${MAX_STEPS - 1}))`,
    ),
    begin: db
      .prepare(
        `INSERT INTO pick_step (build_id, what, spans, is_undone, is_dropped, range_json)
         VALUES (?, ?, 0, 0, 0, ?) RETURNING step`,
      )
      .pluck(),
    extend: db.prepare(
      'UPDATE pick_range SET last = @last WHERE step = @step AND last = @first - 1 AND first = @start',
    ),
    lastRange: db.prepare('SELECT max(first) FROM pick_range WHERE step = ?').pluck(),
    addRange: db.prepare('INSERT INTO pick_range (step, first, last) VALUES (@step, @first, @last)'),
    count: db.prepare('UPDATE pick_step SET spans = spans + ? WHERE step = ?'),
    inside: db.prepare(
      `SELECT span.position, span.state FROM pick_range
         CROSS JOIN span ON span.build_id = @buildId AND span.position BETWEEN pick_range.first AND pick_range.last
       WHERE step = @step AND span.position >= @from AND first >= coalesce(
         (SELECT max(first) FROM pick_range WHERE step = @step AND first <= @from), 0)
       ORDER BY first, span.position LIMIT @limit`,
    ),
    // If the program ended in the middle of a step, the same span may have been picked again in the meantime.
    away: db.prepare(
      `SELECT position, state FROM span_away WHERE step = ? AND NOT EXISTS (
         SELECT 1 FROM span WHERE span.build_id = span_away.build_id AND span.span_id = span_away.span_id
           AND span.trace_id = span_away.trace_id)
       ORDER BY position LIMIT ?`,
    ),
    takeOut: db.prepare(
      `INSERT INTO span_away (step, ${COLUMNS}) SELECT @step, ${COLUMNS} FROM span WHERE build_id = @buildId AND ${LISTED}`,
    ),
    takenOut: db.prepare(`DELETE FROM span WHERE build_id = @buildId AND ${LISTED}`),
    putBack: db.prepare(
      `INSERT INTO span (${COLUMNS}) SELECT ${COLUMNS} FROM span_away WHERE step = @step AND ${LISTED}`,
    ),
    isBack: db.prepare(`DELETE FROM span_away WHERE step = @step AND ${LISTED}`),
    turn: db.prepare('UPDATE pick_step SET is_undone = ?, range_json = ? WHERE step = ?'),
    dropEnded: db.prepare(
      `UPDATE pick_step SET is_dropped = 1 WHERE is_dropped = 0 AND build_id IN (
         SELECT job_id FROM job WHERE is_hidden = 1 OR ended_at_ms IS NOT NULL)`,
    ),
    dropped: db.prepare('SELECT step FROM pick_step WHERE is_dropped = 1 LIMIT 1').pluck(),
    givenUp: ['span_record', 'span_edit', 'span_of_file'].map((table) =>
      db.prepare(
        `DELETE FROM ${table} WHERE (build_id, position) IN (
           SELECT build_id, position FROM span_away WHERE step = @step ORDER BY position LIMIT @limit)`,
      ),
    ),
    rows: ['span_away', 'pick_range'].map((table) => {
      const key = table === 'span_away' ? 'position' : 'first';
      return db.prepare(
        `DELETE FROM ${table} WHERE step = @step AND ${key} IN (
           SELECT ${key} FROM ${table} WHERE step = @step ORDER BY ${key} LIMIT @limit)`,
      );
    }),
    all: db.prepare('SELECT step, what, spans, range_json AS range FROM pick_step WHERE is_dropped = 0'),
    giveUp: db.prepare('UPDATE pick_step SET is_dropped = 1 WHERE step = ?'),
    remove: db.prepare('DELETE FROM pick_step WHERE step = ?'),
  };
}

/** Groups consecutive positions into runs. */
function runsOf(positions: readonly number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const position of positions) {
    const run = runs.at(-1);
    if (run?.last === position - 1) run.last = position;
    else runs.push({ first: position, last: position });
  }
  return runs;
}

export function createPickStepStore(db: Database): PickStepStore {
  const sql = statements(db);
  const read = (row: unknown) => parseRow(stepRow, row, 'step of a basket');
  /** A basket with an unreadable step stays usable; only that step cannot be undone or redone. */
  const orNull = (row: unknown) => readable(row === undefined ? [] : [row], read)[0] ?? null;
  const placed = (rows: readonly unknown[]) => rows.map((row) => parseRow(placedRow, row, 'span'));
  const rangeText = (value: TimeRange | null) => asChecked(range, value, 'step of a basket');
  return {
    next: (buildId) => ({ undo: orNull(sql.undo.get(buildId)), redo: orNull(sql.redo.get(buildId)) }),
    begin: (buildId, what, held) => {
      sql.drop.run({ buildId });
      return parseRow(z.int(), sql.begin.get(buildId, what, rangeText(held)), 'step of a basket');
    },
    grow: (step, positions) => {
      for (const { first, last } of runsOf(positions)) {
        const start = parseRow(z.int().nullable(), sql.lastRange.get(step), 'range of a step');
        if (sql.extend.run({ step, first, last, start }).changes === 0)
          sql.addRange.run({ step, first, last });
      }
      sql.count.run(positions.length, step);
    },
    inside: (buildId, step, from, limit) => placed(sql.inside.all({ buildId, step, from, limit })),
    away: (step, limit) => placed(sql.away.all(step, limit)),
    takeOut: (buildId, step, positions) => {
      const listed = JSON.stringify(positions);
      sql.takeOut.run({ buildId, step, positions: listed });
      sql.takenOut.run({ buildId, positions: listed });
    },
    putBack: (step, positions) => {
      const listed = JSON.stringify(positions);
      sql.putBack.run({ step, positions: listed });
      sql.isBack.run({ step, positions: listed });
    },
    damaged: {
      kind: 'step',
      rows: () => sql.all.all(),
      read,
      columns: { id: 'step', title: 'what', atMs: 'atMs' },
      remove: (id) => {
        sql.giveUp.run(Number(id));
      },
    },
    turn: (step, isUndone, held) => {
      sql.turn.run(isUndone ? 1 : 0, rangeText(held), step);
    },
    sweep: (limit) => {
      sql.dropEnded.run();
      const found = sql.dropped.get();
      if (found === undefined) return 0;
      const step = parseRow(z.int(), found, 'step of a basket');
      for (const statement of sql.givenUp) statement.run({ step, limit });
      for (const statement of sql.rows) {
        const { changes } = statement.run({ step, limit });
        if (changes > 0) return changes;
      }
      return sql.remove.run(step).changes;
    },
  };
}
