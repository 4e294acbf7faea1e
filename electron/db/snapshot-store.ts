/**
 * Snapshots of datasets. A text of an item is stored once, however many snapshots contain it, and a snapshot holds the
 * numbers of its items. Used in a separate thread, because taking and comparing large snapshots takes seconds.
 */
import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { inputText } from '../core/near-duplicates/input-text.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { readable } from '../core/readable.ts';
import {
  decodeColumns,
  emptyColumns,
  encodeColumns,
  type SnapshotColumns,
} from '../core/snapshots/columns.ts';
import { bodyOf, changedFields, describeChange, schemaDrift, shapeOf } from '../core/snapshots/fields.ts';
import { pageOf, placesWith } from '../core/snapshots/item-pages.ts';
import { type ItemPairs, pairItems } from '../core/snapshots/match-items.ts';
import { nearDuplicatesAcross, type PlacedNearDuplicate } from '../core/snapshots/near-duplicates-across.ts';
import { AppError } from '../shared/errors.ts';
import { canonicalJson, parseExactObject } from '../shared/exact-json.ts';
import type { ChangeKind } from '../shared/item-field-change.ts';
import { notKept, textOfIdentity } from '../shared/item-row.ts';
import type {
  ItemChange,
  ItemComparison,
  Snapshot,
  SnapshotDiff,
  SnapshotItems,
  SnapshotList,
  SnapshotNearDuplicates,
  SnapshotQuery,
} from '../shared/snapshot-model.ts';
import * as z from '../shared/zod.ts';
import { SNAPSHOT_MIGRATIONS } from './migrations/snapshots/index.ts';
import { type Database, openStore } from './open.ts';
import { createSchemaStore, type SchemaStore } from './schema-store.ts';
import { type KnownContent, prepareSnapshots, type StoredSnapshot } from './snapshot-rows.ts';

/** An item as stored in the list. */
export interface ListedItem {
  identity: string | null;
  json: string;
}

interface SnapshotStore {
  /**
   * Stores the state of a dataset atomically. If it equals the newest snapshot, only the time at which that one was
   * last seen is updated. Null if nothing was stored, because an item is incomplete or there are not `count` items.
   */
  take(datasetId: string, items: Iterable<ListedItem>, count: number, atMs: number): Snapshot | null;
  /**
   * Deletes the oldest snapshots of a dataset if there are more than `most`, and occasionally data that no snapshot
   * uses.
   */
  prune(datasetId: string, most: number): void;
  list(datasetId: string): SnapshotList;
  /** Throws INVALID_ARGUMENT if a snapshot does not exist, as do the other methods. */
  diff(query: Extract<SnapshotQuery, { action: 'diff' }>): SnapshotDiff;
  compare(query: Extract<SnapshotQuery, { action: 'compare' }>): ItemComparison;
  /** Items as they were received, filtered by text. */
  page(query: Extract<SnapshotQuery, { action: 'items' }>): SnapshotItems;
  /** The complete item at an index of such a list. */
  item(query: Extract<SnapshotQuery, { action: 'item' }>): Readonly<Record<string, unknown>>;
  nearDuplicates(query: Extract<SnapshotQuery, { action: 'near-duplicates' }>): SnapshotNearDuplicates;
  compareNearDuplicates(query: Extract<SnapshotQuery, { action: 'compare-near-duplicates' }>): ItemComparison;
  /** All changes, each with the item before and after; null on the side where the item is missing. */
  changes(
    of: Pick<Extract<SnapshotQuery, { action: 'diff' }>, 'from' | 'to' | 'kind'>,
  ): Iterable<Readonly<Record<string, unknown>>>;
  /** JSON text of every item as received, in dataset order. Throws STORE_DAMAGED if an item cannot be read. */
  items(snapshotId: number): Iterable<string>;
  /** Returns a function that reads one item by its index, as in `items`. */
  itemsByPlace(snapshotId: number): (place: number) => string;
  close(): void;
}

/** The open store, with the schemas of lists, which are in the same file. */
export interface OpenSnapshotStore extends SnapshotStore {
  schema: SchemaStore;
}

interface Options {
  file: string;
  clock: Clock;
  logger: Logger;
}

const itemObject = z.record(z.string(), z.unknown());
const TITLE_CHARS = 160;
/** Number of calls between two sweeps, because a sweep for unused data reads all snapshots. */
const SWEEP_EVERY = 10;

/** Throws the errors of `openStore`. */
export function openSnapshotStore({ file, clock, logger }: Options): OpenSnapshotStore {
  const db = openStore({ file, migrations: SNAPSHOT_MIGRATIONS, synchronous: 'FULL', clock, logger });
  return { ...createSnapshotStore(db), schema: createSchemaStore(db) };
}

export function createSnapshotStore(db: Database): SnapshotStore {
  const rows = prepareSnapshots(db);
  const stored = (id: number): StoredSnapshot => {
    const found = rows.get(id);
    if (found === null) throw new AppError('INVALID_ARGUMENT', `There is no snapshot ${id}.`);
    return found;
  };
  const decoded = (snapshotId: number, items: number): SnapshotColumns => {
    const stored = rows.columns(snapshotId);
    try {
      return decodeColumns(inflateRawSync(stored), items);
    } catch (problem) {
      const message = `The items of this version cannot be read (snapshot ${snapshotId}).`;
      throw new AppError('STORE_DAMAGED', message, {}, problem);
    }
  };
  const columnsOf = ({ snapshot }: StoredSnapshot) => decoded(snapshot.snapshotId, snapshot.items);
  /** JSON of an item. Throws STORE_DAMAGED. */
  const textOf = (content: number): string => {
    const text = rows.record(content);
    try {
      itemObject.parse(JSON.parse(text));
      return text;
    } catch (problem) {
      const message = `A stored item cannot be read (content ${content}).`;
      throw new AppError('STORE_DAMAGED', message, {}, problem);
    }
  };
  /** Text of an item for views; a damaged item is replaced by the reason. */
  const shownText = (content: number): string =>
    readable([content], textOf)[0] ??
    JSON.stringify({ damaged: `This item cannot be read (content ${content}).` });
  const shownItem = (content: number) => parseExactObject(shownText(content));
  const pairsOf = (from: SnapshotColumns, to: SnapshotColumns): ItemPairs =>
    pairItems(from, to, (side, place) => shownText((side === 'from' ? from : to).contents[place] ?? 0));
  /** The newest snapshot with readable items. */
  const newestOf = (datasetId: string): { newest: StoredSnapshot | null; columns: SnapshotColumns } => {
    for (const newest of rows.list(datasetId)) {
      const [columns] = readable([newest], columnsOf);
      if (columns !== undefined) return { newest, columns };
    }
    return { newest: null, columns: emptyColumns(0) };
  };
  const intake = new Intake(rows);

  const take = db.transaction(
    (datasetId: string, items: Iterable<ListedItem>, count: number, atMs: number): number | null => {
      const read = intake.read(items, count);
      if (read === null) return null;
      const { newest, columns: before } = newestOf(datasetId);
      const pairs = pairsOf(before, read.columns);
      const changes = pairs.restated + pairs.added.length + pairs.changed.length + pairs.removed.length;
      if (newest !== null && changes === 0) {
        rows.seen(newest.snapshot.snapshotId, atMs);
        return newest.snapshot.snapshotId;
      }
      const counts = {
        added: pairs.added.length,
        changed: pairs.changed.length,
        removed: pairs.removed.length,
      };
      const bytes = deflateRawSync(encodeColumns(read.columns), { level: 9 });
      return rows.add({ datasetId, items: count, ...counts }, atMs, read.types, bytes);
    },
  );

  /** Adds the differences in fields from the previous snapshot. */
  const withDrift = ({ snapshot, types }: StoredSnapshot, before: StoredSnapshot | undefined): Snapshot => ({
    ...snapshot,
    drift: before === undefined ? [] : schemaDrift(before.types, types),
  });
  const listed = (datasetId: string): Snapshot[] => {
    const all = rows.list(datasetId);
    return all.map((each, index) => withDrift(each, all[index + 1]));
  };

  let last: { key: string; compared: Compared } | null = null;
  /** Cached for further pages. */
  const compared = (fromId: number, toId: number): Compared => {
    const key = `${fromId} ${toId}`;
    if (last?.key === key) return last.compared;
    const from = stored(fromId);
    const to = stored(toId);
    const columns = { from: columnsOf(from), to: columnsOf(to) };
    const pairs = pairsOf(columns.from, columns.to);
    last = { key, compared: { from, to, columns, changes: changesOf(pairs), pairs } };
    return last.compared;
  };
  let lastNearDuplicates: { key: string; nearDuplicates: readonly PlacedNearDuplicate[] } | null = null;
  /** Cached for further pages, because it takes seconds for 100,000 items. */
  const nearDuplicatesOf = ({ from, to, threshold }: NearDuplicateSides): readonly PlacedNearDuplicate[] => {
    const key = `${from} ${to} ${threshold}`;
    if (lastNearDuplicates?.key === key) return lastNearDuplicates.nearDuplicates;
    const inputsOf = (id: number) => {
      const { contents } = columnsOf(stored(id));
      const inputsAt = (place: number) => inputText(shownItem(contents[place] ?? 0)['inputs']);
      return { count: contents.length, textOf: inputsAt };
    };
    const nearDuplicates = nearDuplicatesAcross(from === to ? null : inputsOf(from), inputsOf(to), threshold);
    lastNearDuplicates = { key, nearDuplicates };
    return nearDuplicates;
  };
  let lastFound: { key: string; found: ReturnType<typeof placesWith> } | null = null;
  /** Cached for further pages. */
  const listedOf = ({ snapshotId, search }: { snapshotId: number; search: string }) => {
    const { contents } = columnsOf(stored(snapshotId));
    const texts = { count: contents.length, textAt: (place: number) => shownText(contents[place] ?? 0) };
    const key = `${snapshotId} ${search}`;
    if (lastFound?.key !== key) lastFound = { key, found: placesWith(texts, search) };
    return { texts, found: lastFound.found };
  };
  /** Removes nothing if a snapshot is damaged, because it is unknown what the snapshot refers to. */
  const sweep = () => void readable([null], sweepWhole);
  /** Also keeps the first of several texts with the same meaning, because the others refer to its number. */
  const sweepWhole = () => {
    const [contents, names] = [new Set<number>(), new Set<number>()];
    for (const { id, items } of rows.all()) {
      const columns = decoded(id, items);
      for (const content of columns.contents) contents.add(content);
      for (const body of columns.bodies) contents.add(body);
      for (const name of columns.names) names.add(name);
    }
    rows.sweep(contents, names);
  };
  const sides = (of: Compared, change: Change): { before: Item | null; after: Item | null } => {
    const read = (columns: SnapshotColumns, place: number | null) =>
      place === null ? null : shownItem(columns.contents[place] ?? 0);
    return { before: read(of.columns.from, change.from), after: read(of.columns.to, change.to) };
  };
  const idOf = (name: number): string => readable([name], rows.itemId)[0] ?? `damaged (item_name ${name})`;
  const itemIdOf = ({ columns }: Compared, { from, to }: Change): string => {
    if (to !== null) return idOf(columns.to.names[to] ?? 0);
    return idOf(columns.from.names[from ?? 0] ?? 0);
  };
  return {
    take: (datasetId, items, count, atMs) => {
      const id = take.immediate(datasetId, items, count, atMs);
      return id === null ? null : (listed(datasetId).find(({ snapshotId }) => snapshotId === id) ?? null);
    },
    prune: (datasetId, most) => {
      const all = rows.list(datasetId);
      const old = all.slice(most);
      for (const { snapshot } of old) rows.remove(snapshot.snapshotId);
      const oldestId = all[most - 1]?.snapshot.snapshotId ?? 0;
      for (const { snapshotId } of rows.damaged(datasetId))
        if (snapshotId < oldestId) rows.remove(snapshotId);
      if (old.length === 0) return;
      last = null;
      lastNearDuplicates = null;
      lastFound = null;
      if (old.some(({ snapshot }) => snapshot.number % SWEEP_EVERY === 0)) sweep();
    },
    list: (datasetId) => ({
      snapshots: listed(datasetId),
      damaged: rows.damaged(datasetId),
      fileBytes:
        Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true })),
    }),
    diff: ({ from, to, kind, offset, limit }) => {
      const of = compared(from, to);
      const shown = ofKind(of.changes, kind);
      const { same, added, changed, removed } = of.pairs;
      return {
        from: withDrift(of.from, undefined),
        to: withDrift(of.to, undefined),
        counts: { same, added: added.length, changed: changed.length, removed: removed.length },
        drift: schemaDrift(of.from.types, of.to.types),
        total: shown.length,
        offset,
        changes: shown.slice(offset, offset + limit).map((change): ItemChange => {
          const { before, after } = sides(of, change);
          const fields = before === null || after === null ? [] : changedFields(before, after);
          return {
            kind: change.kind,
            itemId: itemIdOf(of, change),
            title: titleOf(after ?? before ?? {}),
            by: change.by,
            fields: fields.map(({ path }) => path),
          };
        }),
      };
    },
    compare: ({ from, to, kind, index }) => {
      const of = compared(from, to);
      const change = ofKind(of.changes, kind)[index];
      if (change === undefined) throw new AppError('INVALID_ARGUMENT', 'There is no such change.');
      const { before, after } = sides(of, change);
      return describeChange(before, after);
    },
    page: (query) => {
      const { texts, found } = listedOf(query);
      return {
        snapshot: withDrift(stored(query.snapshotId), undefined),
        ...pageOf(texts, found, query),
      };
    },
    item: (query) => {
      const { texts, found } = listedOf(query);
      const place = found === null ? query.index : found[query.index];
      if (place === undefined || place >= texts.count)
        throw new AppError('INVALID_ARGUMENT', 'There is no such item.');
      return parseExactObject(texts.textAt(place));
    },
    nearDuplicates: ({ from: fromId, to: toId, threshold, kind, offset, limit }) => {
      const all = nearDuplicatesOf({ from: fromId, to: toId, threshold });
      const same = all.filter((nearDuplicate) => nearDuplicate.kind === 'same').length;
      const shown = ofKind(all, kind);
      const [from, to] = [stored(fromId), stored(toId)];
      const [before, after] = [columnsOf(from), columnsOf(to)];
      const idAt = ({ names }: SnapshotColumns, place: number) => idOf(names[place] ?? 0);
      return {
        ...{ from: withDrift(from, undefined), to: withDrift(to, undefined), threshold },
        ...{ counts: { same, near: all.length - same }, total: shown.length, offset },
        nearDuplicates: shown.slice(offset, offset + limit).map((nearDuplicate) => ({
          itemId: idAt(after, nearDuplicate.to),
          title: titleOf(shownItem(after.contents[nearDuplicate.to] ?? 0)),
          ofItemId: idAt(before, nearDuplicate.from),
          likeness: nearDuplicate.likeness,
        })),
      };
    },
    compareNearDuplicates: ({ from, to, threshold, kind, index }) => {
      const nearDuplicate = ofKind(nearDuplicatesOf({ from, to, threshold }), kind)[index];
      if (nearDuplicate === undefined)
        throw new AppError('INVALID_ARGUMENT', 'There are no such near-duplicates.');
      const itemAt = (id: number, place: number) => shownItem(columnsOf(stored(id)).contents[place] ?? 0);
      return describeChange(itemAt(from, nearDuplicate.from), itemAt(to, nearDuplicate.to));
    },
    *changes({ from, to, kind }) {
      const of = compared(from, to);
      for (const change of ofKind(of.changes, kind)) {
        const { before, after } = sides(of, change);
        const fields = before === null || after === null ? [] : changedFields(before, after);
        yield {
          ...{ change: change.kind, item_id: itemIdOf(of, change), paired_by: change.by },
          ...{ fields: fields.map(({ path }) => path), before, after },
        };
      }
    },
    *items(snapshotId) {
      for (const content of columnsOf(stored(snapshotId)).contents) yield textOf(content);
    },
    itemsByPlace: (snapshotId) => {
      const { contents } = columnsOf(stored(snapshotId));
      return (place) => textOf(contents[place] ?? 0);
    },
    close: () => db.close(),
  };
}

type Item = Readonly<Record<string, unknown>>;

interface Change {
  kind: ChangeKind;
  from: number | null;
  to: number | null;
  by: ItemChange['by'];
}

interface Compared {
  from: StoredSnapshot;
  to: StoredSnapshot;
  columns: { from: SnapshotColumns; to: SnapshotColumns };
  pairs: ItemPairs;
  changes: Change[];
}

function changesOf({ changed, added, removed }: ItemPairs): Change[] {
  return [
    ...changed.map(({ from, to, by }): Change => ({ kind: 'changed', from, to, by })),
    ...added.map((to): Change => ({ kind: 'added', from: null, to, by: null })),
    ...removed.map((from): Change => ({ kind: 'removed', from, to: null, by: null })),
  ];
}

type NearDuplicateSides = Pick<
  Extract<SnapshotQuery, { action: 'near-duplicates' }>,
  'from' | 'to' | 'threshold'
>;

function ofKind<K extends string, T extends { kind: K }>(all: readonly T[], kind: K | null): readonly T[] {
  return kind === null ? all : all.filter((each) => each.kind === kind);
}

/** The first text among the inputs, or the inputs as JSON. */
function titleOf(item: Item): string {
  const inputs = item['inputs'];
  const values = typeof inputs === 'object' && inputs !== null ? Object.values(inputs) : [];
  const found = values.find((value) => typeof value === 'string' && value.trim() !== '');
  const text = typeof found === 'string' ? found : canonicalJson(inputs ?? null);
  return text.slice(0, TITLE_CHARS).replaceAll(/\s+/g, ' ').trim();
}

const HASH_BYTES = 16;
const hashOf = (text: string): Uint8Array =>
  createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);

/** Reads items into a snapshot; known texts are not parsed again. */
class Intake {
  readonly #rows: ReturnType<typeof prepareSnapshots>;

  constructor(rows: ReturnType<typeof prepareSnapshots>) {
    this.#rows = rows;
  }

  /** Null if an item is incomplete, or if there are not `count` items. */
  read(
    items: Iterable<ListedItem>,
    count: number,
  ): { columns: SnapshotColumns; types: Record<string, Record<string, number>> } | null {
    const rows = this.#rows;
    const columns = emptyColumns(count);
    const shapes = new Map<number, { items: number; example: string }>();
    let next = rows.nextContent();
    let place = 0;
    for (const { identity, json } of items) {
      if (place === count) return null;
      const hash = hashOf(json);
      let known = rows.content(hash);
      if (known === null) {
        known = this.#add(next, hash, json);
        if (known === null) return null;
        next += 1;
      }
      const itemId = identity === null ? `#${Buffer.from(hash).toString('hex')}` : textOfIdentity(identity);
      columns.names[place] = rows.nameOf(itemId);
      columns.contents[place] = known.id;
      columns.bodies[place] = known.body;
      columns.sources[place] = known.source;
      columns.inputs[place] = known.inputs;
      shapes.set(known.shape, { items: (shapes.get(known.shape)?.items ?? 0) + 1, example: json });
      place += 1;
    }
    return place === count ? { columns, types: this.#typesOf(shapes) } : null;
  }

  #add(id: number, hash: Uint8Array, record: string): KnownContent | null {
    const rows = this.#rows;
    const item = parseExactObject(record);
    if (notKept(item) !== null) return null;
    const bodyHash = hashOf(canonicalJson(bodyOf(item)));
    const { source_id: sourceId, source_name: sourceName, inputs } = item;
    const known: KnownContent = {
      id,
      body: rows.body(bodyHash) ?? id,
      source: isNothing(sourceId) ? 0 : rows.keyOf(hashOf(canonicalJson([sourceName, sourceId]))),
      inputs: isNothing(inputs) ? 0 : rows.keyOf(hashOf(canonicalJson({ inputs }))),
      shape: rows.shapeOf(canonicalJson(shapeOf(item))),
    };
    rows.addContent(known, hash, bodyHash, record);
    return known;
  }

  /** Field types of the shapes; a stored shape that cannot be read is derived from one of its items. */
  #typesOf(
    shapes: ReadonlyMap<number, { items: number; example: string }>,
  ): Record<string, Record<string, number>> {
    const types: Record<string, Record<string, number>> = {};
    for (const [id, { items, example }] of shapes) {
      const shape = this.#rows.shape(id) ?? shapeOf(parseExactObject(example));
      for (const [path, type] of Object.entries(shape)) {
        const counts = types[path] ?? {};
        counts[type] = (counts[type] ?? 0) + items;
        types[path] = counts;
      }
    }
    return types;
  }
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
