/** The known schema of watched lists and its changes, in `snapshots.db`. Used in a separate thread. */
import { wallMs } from '../core/jobs/job-record.ts';
import { readable } from '../core/readable.ts';
import {
  acceptChange,
  comparedUntilMs,
  NO_SCHEMA,
  type SchemaState,
  watchSchema,
} from '../core/snapshots/schema-watch.ts';
import type { SeenRows } from '../core/snapshots/seen-rows.ts';
import { AppError } from '../shared/errors.ts';
import {
  fieldShape,
  type StoredSchemaChange,
  schemaChange,
  type WatchedList,
  watchedList,
} from '../shared/schema-model.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { json } from './row-parts.ts';

export interface SchemaStore {
  /** Time up to which the rows of a list were compared (null if never), and the last compared rows. */
  compared(list: WatchedList, nowMs: number): { afterMs: number | null; seen: SeenRows | null };
  /** Compares new rows with the known schema. Returns the number of changes that began or ended. */
  take(
    list: WatchedList,
    rows: { count: Parameters<typeof watchSchema>[1]; seen?: SeenRows },
    mapped: Parameters<typeof watchSchema>[2],
    nowMs: number,
  ): number;
  /** Newest first. */
  changes(): StoredSchemaChange[];
  /** Makes the new schema the known one. Throws INVALID_ARGUMENT if there is no such open change. */
  accept(changeId: number): void;
}

/** Maximum stored changes; older ones are deleted unless they are open. */
const MAX_CHANGES = 200;

const group = z.object({
  rows: z.int().min(0),
  units: z.int().min(0),
  fields: z.record(z.string(), fieldShape),
});
const stateRow = json(
  z.object({
    newestMs: wallMs.nullable(),
    known: z.record(z.string(), group),
    pending: z.record(z.string(), group.extend({ sinceMs: wallMs })).default({}),
    open: z.array(schemaChange),
    seen: z.object({ sinceMs: wallMs, hashes: z.string() }).nullable().default(null),
  }),
);
const changeRow = z.object({
  id: z.int(),
  kind: watchedList.shape.kind,
  list_id: z.string(),
  change_json: json(schemaChange),
});

export function createSchemaStore(db: Database): SchemaStore {
  const sql = {
    state: db.prepare('SELECT state_json FROM watched_list WHERE kind = ? AND list_id = ?').pluck(),
    save: db.prepare(
      `INSERT INTO watched_list (kind, list_id, state_json) VALUES (?, ?, ?)
       ON CONFLICT (kind, list_id) DO UPDATE SET state_json = excluded.state_json`,
    ),
    changes: db.prepare('SELECT id, kind, list_id, change_json FROM schema_change ORDER BY id DESC'),
    add: db.prepare('INSERT INTO schema_change (kind, list_id, change_json) VALUES (?, ?, ?)'),
    update: db.prepare('UPDATE schema_change SET change_json = ? WHERE id = ?'),
    prune: db.prepare(
      `DELETE FROM schema_change WHERE id <= (SELECT max(id) FROM schema_change) - @most
       AND change_json ->> 'state' <> 'open'`,
    ),
  };
  /** A damaged state counts as missing, so that the next rows become the known ones. */
  const stateOf = ({ kind, id }: WatchedList): SchemaState => {
    const stored = sql.state.get(kind, id);
    const [state] =
      stored === undefined ? [] : readable([stored], (each) => parseRow(stateRow, each, 'known schema'));
    return state ?? NO_SCHEMA;
  };
  const save = ({ kind, id }: WatchedList, state: SchemaState) => {
    sql.save.run(kind, id, JSON.stringify(state));
  };
  const changes = (): StoredSchemaChange[] =>
    readable(sql.changes.all(), (row) => {
      const { id, kind, list_id, change_json } = parseRow(changeRow, row, 'schema change');
      return { changeId: id, list: { kind, id: list_id }, ...change_json };
    });
  const isIn = (list: WatchedList) => (each: StoredSchemaChange) =>
    each.list.kind === list.kind && each.list.id === list.id && each.state === 'open';
  const update = ({ changeId, list: _, ...change }: StoredSchemaChange) => {
    sql.update.run(JSON.stringify(change), changeId);
  };

  const take = db.transaction<SchemaStore['take']>((list, rows, mapped, nowMs) => {
    const before = stateOf(list);
    const listed = changes().filter(isIn(list));
    // Drops open changes that are no longer listed, which nobody could accept, so that they are found again.
    const open = before.open.filter(({ path }) => listed.some((stored) => stored.path === path));
    const { state, found, ended } = watchSchema({ ...before, open }, rows.count, mapped, nowMs);
    save(list, { ...state, seen: rows.seen ?? null });
    for (const stored of listed) {
      const now = [...ended, ...state.open].find(
        ({ group, path }) => group === stored.group && path === stored.path,
      );
      if (now !== undefined) update({ ...stored, after: now.after, state: now.state });
    }
    for (const change of found) sql.add.run(list.kind, list.id, JSON.stringify(change));
    sql.prune.run({ most: MAX_CHANGES });
    return found.length + ended.length;
  });
  const accept = db.transaction((changeId: number) => {
    const all = changes();
    const change = all.find((each) => each.changeId === changeId && each.state === 'open');
    if (change === undefined)
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected an open change of a schema, got ${changeId}. List them again: it may be accepted or over.`,
      );
    save(change.list, acceptChange(stateOf(change.list), change));
    for (const each of all.filter(isIn(change.list)))
      if (each.path === change.path) update({ ...each, state: 'accepted' });
  });
  return {
    compared: (list, nowMs) => {
      const state = stateOf(list);
      return { afterMs: comparedUntilMs(state, nowMs), seen: state.seen };
    },
    take: take.immediate,
    changes,
    accept: accept.immediate,
  };
}
