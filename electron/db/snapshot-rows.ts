/** Statements of `snapshots.db`; rows are parsed when they are read. */
import { wallMs } from '../core/jobs/job-record.ts';
import { damageOf, readable } from '../core/readable.ts';
import type { DamagedSnapshot, FieldTypes, Snapshot } from '../shared/snapshot-model.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { json } from './row-parts.ts';

const types: z.ZodType<FieldTypes> = z.record(z.string(), z.record(z.string(), z.int()));
const count = z.int().min(0);
const numberedRow = z.object({ id: z.int(), number: z.unknown() });
const snapshotRow = z
  .object({
    id: z.int(),
    dataset_id: z.string(),
    number: z.int().min(1),
    taken_at_ms: wallMs,
    seen_at_ms: wallMs,
    items: count,
    added: count,
    changed: count,
    removed: count,
    types_json: json(types),
  })
  .transform((row): { snapshot: Omit<Snapshot, 'drift'>; types: FieldTypes } => ({
    snapshot: {
      snapshotId: row.id,
      datasetId: row.dataset_id,
      number: row.number,
      takenAtMs: row.taken_at_ms,
      seenAtMs: row.seen_at_ms,
      items: row.items,
      added: row.added,
      changed: row.changed,
      removed: row.removed,
    },
    types: row.types_json,
  }));
export type StoredSnapshot = z.infer<typeof snapshotRow>;

/** The type of each field of an item, by its path. */
const itemShape = z.record(z.string(), z.string());
type ItemShape = z.infer<typeof itemShape>;

const contentRow = z.tuple([z.int(), z.int(), z.int(), z.int(), z.int()]);
/** A text of an item that is already stored. */
export interface KnownContent {
  id: number;
  body: number;
  source: number;
  inputs: number;
  shape: number;
}

const number = z.int();
const text = z.string();
const bytes = z.instanceof(Uint8Array);

const SWEPT_AT_ONCE = 1_000;

const SNAPSHOTS = `
  SELECT snapshot.id, dataset_id, number, taken_at_ms, seen_at_ms, items, added, changed, removed, types_json
  FROM snapshot JOIN dataset ON dataset.id = snapshot.dataset`;

export function prepareSnapshots(db: Database) {
  const statements = {
    list: db.prepare(`${SNAPSHOTS} WHERE dataset_id = ? ORDER BY number DESC`),
    get: db.prepare(`${SNAPSHOTS} WHERE snapshot.id = ?`),
    columns: db.prepare('SELECT columns FROM snapshot WHERE id = ?').pluck(),
    record: db.prepare('SELECT record FROM content WHERE id = ?').pluck(),
    name: db.prepare('SELECT item_id FROM item_name WHERE id = ?').pluck(),
    content: db.prepare('SELECT id, body, source, inputs, shape FROM content WHERE hash = ?').raw(),
    body: db.prepare('SELECT min(body) FROM content WHERE body_hash = ?').pluck(),
    lastContent: db.prepare('SELECT coalesce(max(id), 0) FROM content').pluck(),
    addContent: db.prepare(
      'INSERT INTO content (id, hash, body_hash, body, source, inputs, shape, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    findName: db.prepare('SELECT id FROM item_name WHERE item_id = ?').pluck(),
    addName: db.prepare('INSERT INTO item_name (item_id) VALUES (?)'),
    findKey: db.prepare('SELECT id FROM item_key WHERE hash = ?').pluck(),
    addKey: db.prepare('INSERT INTO item_key (hash) VALUES (?)'),
    findShape: db.prepare('SELECT id FROM shape WHERE fields_json = ?').pluck(),
    addShape: db.prepare('INSERT INTO shape (fields_json) VALUES (?)'),
    shape: db.prepare('SELECT fields_json FROM shape WHERE id = ?').pluck(),
    seen: db.prepare('UPDATE snapshot SET seen_at_ms = max(seen_at_ms, ?) WHERE id = ?'),
    remove: db.prepare('DELETE FROM snapshot WHERE id = ?'),
    all: db.prepare('SELECT id, items FROM snapshot').raw(),
    contents: db.prepare('SELECT id FROM content WHERE id > ? ORDER BY id LIMIT ?').pluck(),
    removeContent: db.prepare('DELETE FROM content WHERE id = ?'),
    names: db.prepare('SELECT id FROM item_name WHERE id > ? ORDER BY id LIMIT ?').pluck(),
    removeName: db.prepare('DELETE FROM item_name WHERE id = ?'),
    removeKeys: db.prepare(
      'DELETE FROM item_key WHERE id NOT IN (SELECT source FROM content UNION SELECT inputs FROM content)',
    ),
    addDataset: db.prepare('INSERT INTO dataset (dataset_id) VALUES (?) ON CONFLICT DO NOTHING'),
    nextNumber: db
      .prepare(
        'UPDATE dataset SET last_number = last_number + 1 WHERE dataset_id = ? RETURNING id, last_number',
      )
      .raw(),
    add: db.prepare(`
      INSERT INTO snapshot (dataset, number, taken_at_ms, seen_at_ms, items, added, changed, removed, types_json, columns)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  };
  const found = <T>(schema: z.ZodType<T>, row: unknown): T | null =>
    row === undefined || row === null ? null : parseRow(schema, row, 'snapshot');
  const sure = <T>(schema: z.ZodType<T>, row: unknown): T => parseRow(schema, row, 'snapshot');
  const idOf = (
    find: typeof statements.findName,
    add: typeof statements.addName,
    value: string | Uint8Array,
  ) => found(number, find.get(value)) ?? Number(add.run(value).lastInsertRowid);
  return {
    list: (datasetId: string): StoredSnapshot[] =>
      readable(statements.list.all(datasetId), (row) => sure(snapshotRow, row)),
    /** Unreadable snapshots of a dataset. */
    damaged: (datasetId: string): DamagedSnapshot[] =>
      statements.list.all(datasetId).flatMap((row) => {
        try {
          sure(snapshotRow, row);
          return [];
        } catch (problem) {
          const damage = damageOf(problem);
          if (damage === null) throw problem;
          const { id, number: stated } = sure(numberedRow, row);
          const number = z.int().min(1).safeParse(stated);
          return [{ snapshotId: id, number: number.data ?? null, reason: damage.message }];
        }
      }),
    get: (id: number): StoredSnapshot | null => found(snapshotRow, statements.get.get(id)),
    columns: (id: number): Uint8Array => sure(bytes, statements.columns.get(id)),
    record: (id: number): string => sure(text, statements.record.get(id)),
    itemId: (id: number): string => sure(text, statements.name.get(id)),
    content: (hash: Uint8Array): KnownContent | null => {
      const row = found(contentRow, statements.content.get(hash));
      if (row === null) return null;
      const [id, body, source, inputs, shape] = row;
      return { id, body, source, inputs, shape };
    },
    body: (bodyHash: Uint8Array): number | null => found(number, statements.body.get(bodyHash)),
    nextContent: (): number => sure(number, statements.lastContent.get()) + 1,
    addContent: (known: KnownContent, hash: Uint8Array, bodyHash: Uint8Array, record: string): void => {
      const { id, body, source, inputs, shape } = known;
      statements.addContent.run(id, hash, bodyHash, body, source, inputs, shape, record);
    },
    nameOf: (itemId: string): number => idOf(statements.findName, statements.addName, itemId),
    keyOf: (hash: Uint8Array): number => idOf(statements.findKey, statements.addKey, hash),
    shapeOf: (fields: string): number => idOf(statements.findShape, statements.addShape, fields),
    /** Null if the shape cannot be read. */
    shape: (id: number): ItemShape | null => {
      const [shape] = readable([statements.shape.get(id)], (stored) => sure(json(itemShape), stored));
      return shape ?? null;
    },
    remove: (id: number): void => void statements.remove.run(id),
    /** Snapshots of every dataset. Throws STORE_DAMAGED if one cannot be read. */
    all: (): { id: number; items: number }[] =>
      statements.all.all().map((row) => {
        const [id, items] = sure(z.tuple([number, count]), row);
        return { id, items };
      }),
    /** Deletes texts, ids and keys that nothing refers to any more, in small batches. */
    sweep: (keepsContent: ReadonlySet<number>, keepsName: ReadonlySet<number>): void => {
      const remove = (
        { from, gone }: { from: typeof statements.contents; gone: typeof statements.removeContent },
        keeps: ReadonlySet<number>,
      ) => {
        for (let last = 0; ; ) {
          const ids = from.all(last, SWEPT_AT_ONCE).map((id) => sure(number, id));
          db.transaction(() => {
            for (const id of ids) if (!keeps.has(id)) gone.run(id);
          }).immediate();
          last = ids.at(-1) ?? last;
          if (ids.length < SWEPT_AT_ONCE) return;
        }
      };
      remove({ from: statements.contents, gone: statements.removeContent }, keepsContent);
      remove({ from: statements.names, gone: statements.removeName }, keepsName);
      statements.removeKeys.run();
    },
    seen: (id: number, atMs: number): void => void statements.seen.run(atMs, id),
    add: (
      given: Pick<Snapshot, 'datasetId' | 'items' | 'added' | 'changed' | 'removed'>,
      atMs: number,
      fieldTypes: FieldTypes,
      columns: Uint8Array,
    ): number => {
      statements.addDataset.run(given.datasetId);
      const [dataset, next] = sure(z.tuple([number, number]), statements.nextNumber.get(given.datasetId));
      const { items, added, changed, removed } = given;
      const counts = [items, added, changed, removed];
      return Number(
        statements.add.run(dataset, next, atMs, atMs, ...counts, JSON.stringify(fieldTypes), columns)
          .lastInsertRowid,
      );
    },
  };
}
