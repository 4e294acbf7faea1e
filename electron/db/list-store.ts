/** Lists of the library: generations of rows. A generation is filled page by page, one transaction each. */
import type { Clock } from '../core/ports.ts';
import { readable } from '../core/readable.ts';
import { isMarkedGone } from '../shared/gone-field.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import * as z from '../shared/zod.ts';
import { prepareGoneMark, prepareHeld } from './gone-rows.ts';
import {
  type Generation,
  generationRow,
  keysOf,
  listRow,
  type NewPage,
  type NewRow,
  newRow,
  queryRow,
} from './library-rows.ts';
import { createListEviction, type ListEviction } from './list-eviction.ts';
import { createListReads, type ListReads } from './list-reads.ts';
import { prepareUse } from './long-text-store.ts';
import { onlyReads } from './only-reads.ts';
import { type Database, parseRow } from './open.ts';
import { json } from './row-parts.ts';
import { createRowPlaces, type FoundPlaces } from './row-places.ts';
import { ALL_POSITIONS, type NoteChange } from './search-changes.ts';

export interface StoredList {
  id: number;
  shown: Generation | null;
  /** Time and limit of the last eviction of the rows; null if there was none. */
  removed: { atMs: number; to: string } | null;
}

type Place = { generationId: number; position: number };

/** `conflict`: another process has already written this page. `gone`: the generation was replaced meanwhile. */
export type AppendOutcome = 'written' | 'conflict' | 'gone';

export interface ListStore extends ListReads, Pick<ListEviction, 'prune'> {
  /** The list and its shown generation; null if it was never opened. */
  find(listKey: string): StoredList | null;
  /** Queries of an operation with stored rows. */
  queriesOf(operation: string): ListQuery[];
  /** Lists that have rows, in the order they were first opened. */
  shownLists(): { query: ListQuery; shown: Generation }[];
  /**
   * Finds or adds the list and notes that it was opened, also for the list that it may be derived from. `query` is
   * JSON. `viewId`: the view that shows it in the place of what it showed before.
   */
  open(listKey: string, query: string, viewId?: string, baseKey?: string | null): StoredList;
  generation(generationId: number): Generation | null;
  hasIdentity(generationId: number, identity: string): boolean;
  /**
   * Begins a new generation. `isShown` makes its rows visible as they arrive. If another process has meanwhile begun a
   * shown generation, this one stays hidden, because an empty generation must not hide the rows of the other.
   */
  begin(listId: number, isShown: boolean): Generation;
  /**
   * Writes the page that follows the stored rows without a gap. `isEnd`: it is the last page. `isWhole` is then asked
   * whether the stored rows are the complete list (default: they are).
   */
  append(
    generationId: number,
    page: NewPage,
    isEnd: boolean,
    isWhole?: (facts: Pick<Generation, 'rowCount' | 'hasMoved'>) => boolean,
  ): AppendOutcome;
  /**
   * Adds rows of another generation of the same list, at positions [from, from + limit), to an ended generation that
   * does not have their ids; returns their number. Rows without an id are left out.
   */
  adopt(generationId: number, from: Place, limit: number): number;
  /**
   * Adds rows of the previous reading, from a position on, that an ended reading did not find, and marks them as gone;
   * if `goneAtMs` is null, no marks are added. A row loses its mark if the other reading has it and is newer. Rows
   * without an id are left out. `ids`: only these rows. Returns the position to continue from; null at the end.
   */
  carry(generationId: number, from: Place, goneAtMs: number | null, ids?: ReadonlySet<string>): number | null;
  /** Marks rows from a position on as gone, if the service no longer has their list; returns as `carry` does. */
  markGone(generationId: number, from: number, goneAtMs: number): number | null;
  /** Whether the rows of this list are kept offline. */
  isKept(listKey: string): boolean;
  /** The replaced reading of a kept list, held until the next reading ends and takes over its rows; null if none. */
  heldOf(listKey: string): number | null;
  /** Marks an ended generation as having all rows of its list. */
  markComplete(generationId: number): void;
  /** Writes a page beyond the next one; stored rows stay unchanged. */
  putAhead(generationId: number, page: NewPage): AppendOutcome;
  /**
   * Shows this generation instead of the previous one, atomically; false if it is gone. If this generation is
   * unfinished, the ended one of a kept list stays held. With `insteadOf`, does nothing and returns false unless that
   * generation is shown now, and otherwise discards the held one.
   */
  show(generationId: number, insteadOf?: number): boolean;
  discard(generationId: number): void;
  /** Deletes up to `maxRows` rows of generations that are never shown again; returns their number, 0 at the end. */
  sweep(maxRows: number): number;
}

const isGone = ({ record }: NewRow): boolean => isMarkedGone(record);
/** Maximum rows of the previous reading that are compared in one transaction. */
const CARRIED_ROWS = 50;
/** A generation that was not written to for this long belongs to a killed process. */
const ABANDONED_AFTER_MS = 15 * 60_000;
const pluckedNumber = z.int();
const shownListRow = z.object({ query: json(listQuery), shown_generation_id: z.int() });

export const GENERATION = `
  SELECT id, list_id, revision, total_rows, row_count, front_position, front_offset, is_ended, is_complete, has_moved,
    is_outdated, is_total_refuted, is_discarded, size_bytes, oldest_ms, newest_ms, request_id, carried_count, gone_count,
    coalesce((SELECT max(position) + 1 FROM list_row WHERE generation_id = generation.id), 0) AS end_position
  FROM generation`;

export function createListStore(db: Database, clock: Clock, noteChange: NoteChange): ListStore {
  const statements = prepareStatements(db);
  const places = createRowPlaces(db);
  const generation = (id: number): Generation | null => {
    const row = statements.generation.get(id);
    // An unreadable generation counts as missing, so its list is read again.
    const rows = row === undefined ? [] : [row];
    return readable(rows, (each) => parseRow(generationRow, each, 'list'))[0] ?? null;
  };
  const stored = (row: unknown): StoredList => {
    const { id, shownGenerationId, removed } = parseRow(listRow, row, 'list');
    return { id, shown: shownGenerationId === null ? null : generation(shownGenerationId), removed };
  };
  const begin = db.transaction((listId: number, isShown: boolean): Generation => {
    const id = Number(statements.begin.run(listId, clock.nowMs()).lastInsertRowid);
    if (isShown) statements.showFirst.run(id, listId);
    return parseRow(generationRow, statements.generation.get(id), 'list');
  });
  const placesOf = (generationId: number, rows: readonly NewRow[]): FoundPlaces =>
    places.of(
      generationId,
      rows.map(({ identity }) => identity),
    );
  const append = db.transaction((...given: Parameters<ListStore['append']>): AppendOutcome => {
    const [generationId, page, isEnd, isWhole = () => true] = given;
    const before = generation(generationId);
    if (before === null) return 'gone';
    if (before.isEnded || before.frontOffset !== (page.follows ?? page.offset)) return 'conflict';
    const hasAhead = before.endPosition > before.frontPosition;
    const found = placesOf(generationId, page.rows);
    const written = appendRows(statements, before, page.rows, found, hasAhead, noteChange);
    places.note(generationId, before.frontPosition, written.identities);
    if (isEnd) statements.deleteFrom.run(generationId, written.front);
    const changedTo = isEnd && hasAhead ? ALL_POSITIONS : written.front;
    noteChange(generationId, before.frontPosition, changedTo);
    const rowCount = isEnd || !hasAhead ? written.front : countRows(statements, generationId);
    const hasMoved = before.hasMoved || written.hasMoved || hasTotalMoved(before, page);
    statements.update.run({
      ...progressOf(statements, before, page, clock.nowMs()),
      frontPosition: written.front,
      rowCount,
      frontOffset: page.offset + page.rows.length,
      isEnded: Number(isEnd),
      isComplete: Number(isEnd && isWhole({ rowCount, hasMoved })),
      hasMoved: Number(hasMoved),
    });
    return 'written';
  });
  const markGoneRow = prepareGoneMark(db, () => clock.nowMs());
  const held = prepareHeld(db);
  const rowsOf = (generationId: number, from: number, to: number): NewRow[] =>
    statements.wholeRows.all(generationId, from, to).map((row) => parseRow(newRow, row, 'list row'));
  const adopt = db.transaction((...given: Parameters<ListStore['adopt']>): number => {
    const [generationId, from, limit] = given;
    const before = generation(generationId);
    if (before?.isEnded !== true) return 0;
    const rows = rowsOf(from.generationId, from.position, from.position + limit);
    const found = placesOf(generationId, rows);
    const missing = rows.filter(({ identity }) => identity !== null && found.positionOf(identity) === null);
    const { front, identities } = appendRows(statements, before, missing, found, false, noteChange);
    places.note(generationId, before.frontPosition, identities);
    noteChange(generationId, before.frontPosition, front);
    const addedBytes = missing.reduce((sum, row) => sum + sizeOf(statements, row), 0);
    statements.grow.run({ id: generationId, front, addedBytes, touchedAtMs: clock.nowMs() });
    return front - before.frontPosition;
  });
  const unmark = (generationId: number, rows: readonly NewRow[], found: FoundPlaces): void => {
    for (const row of rows) {
      const position = isGone(row) ? null : found.positionOf(row.identity);
      if (position === null || !rowsOf(generationId, position, position + 1).some(isGone)) continue;
      statements.useText(row.textId);
      statements.replace.run(row.shownText, row.record, row.textId, generationId, position);
      noteChange(generationId, position, position + 1);
      statements.countCarried.run({ id: generationId, carried: 0, gone: -1 });
    }
  };
  const carry = db.transaction((...given: Parameters<ListStore['carry']>): number | null => {
    const [generationId, from, goneAtMs, ids] = given;
    const [before, source] = [generation(generationId), generation(from.generationId)];
    if (before?.isEnded !== true || source === null || from.position >= source.endPosition) return null;
    const to = from.position + CARRIED_ROWS;
    const rows = rowsOf(source.id, from.position, to);
    const found = placesOf(generationId, rows);
    const lacking = rows.filter(
      ({ identity }) =>
        identity !== null && found.positionOf(identity) === null && (ids?.has(identity) ?? true),
    );
    if ((source.newestMs ?? 0) > (before.oldestMs ?? 0)) unmark(before.id, rows, found);
    if (lacking.length === 0) return to;
    const carried = lacking.map((row) => (goneAtMs === null ? row : markGoneRow(row, goneAtMs).row));
    const { front, identities } = appendRows(statements, before, carried, found, false, noteChange);
    places.note(generationId, before.frontPosition, identities);
    noteChange(generationId, before.frontPosition, front);
    const addedBytes = carried.reduce((sum, row) => sum + sizeOf(statements, row), 0);
    statements.grow.run({ id: generationId, front, addedBytes, touchedAtMs: clock.nowMs() });
    const gone = carried.filter(isGone).length;
    statements.countCarried.run({ id: generationId, carried: front - before.frontPosition, gone });
    return to;
  });
  const markGone = db.transaction((generationId: number, from: number, goneAtMs: number): number | null => {
    const before = generation(generationId);
    if (before === null || from >= before.endPosition) return null;
    let gone = 0;
    const positions = statements.positions.all(generationId, from, from + CARRIED_ROWS);
    for (const [index, each] of rowsOf(generationId, from, from + CARRIED_ROWS).entries()) {
      const { row, isNew } = markGoneRow(each, goneAtMs);
      if (!isNew) continue;
      const position = parseRow(pluckedNumber, positions[index], 'list row');
      statements.replace.run(row.shownText, row.record, row.textId, generationId, position);
      gone += 1;
    }
    noteChange(generationId, from, Math.min(before.endPosition, from + CARRIED_ROWS));
    statements.countCarried.run({ id: generationId, carried: 0, gone });
    return from + CARRIED_ROWS;
  });
  const putAhead = db.transaction((generationId: number, page: NewPage): AppendOutcome => {
    const before = generation(generationId);
    if (before === null) return 'gone';
    if (before.isEnded) return 'conflict';
    if (page.rows.length === 0) statements.refuteTotal.run(generationId);
    const hasDuplicates = putRows(statements, before, page, placesOf(generationId, page.rows), noteChange);
    places.note(
      generationId,
      page.offset,
      page.rows.map(({ identity }) => identity),
    );
    noteChange(generationId, page.offset, page.offset + page.rows.length);
    statements.update.run({
      ...progressOf(statements, before, page, clock.nowMs()),
      frontPosition: before.frontPosition,
      rowCount: countRows(statements, generationId),
      frontOffset: before.frontOffset,
      isEnded: 0,
      isComplete: 0,
      hasMoved: Number(before.hasMoved || hasDuplicates || hasTotalMoved(before, page)),
    });
    return 'written';
  });
  const show = db.transaction((generationId: number, insteadOf?: number): boolean => {
    const next = generation(generationId);
    if (next === null) return false;
    const shownId = statements.shownId.get(next.listId) ?? null;
    if (insteadOf !== undefined && shownId !== insteadOf) return false;
    if (insteadOf !== undefined) held.release(next.listId, generationId);
    else if (!next.isEnded) held.hold(next.listId);
    statements.discardShown.run(next.listId, generationId);
    statements.show.run(generationId, next.listId);
    return true;
  });
  const sweep = db.transaction((maxRows: number): number => {
    const oldestMs = clock.nowMs() - ABANDONED_AFTER_MS;
    const deleted = statements.sweepRows.run({ oldestMs, maxRows }).changes;
    if (deleted < maxRows) statements.sweepGenerations.run({ oldestMs });
    return deleted;
  });
  const eviction = createListEviction(db, () => clock.nowMs());
  const open = db.transaction(
    (listKey: string, query: string, viewId?: string, baseKey?: string | null): StoredList => {
      statements.open.run({ listKey, query, nowMs: clock.nowMs() });
      const used = [listKey, baseKey ?? listKey];
      eviction.noteUse(used);
      if (viewId !== undefined) eviction.setShown(viewId, used);
      return stored(statements.find.get(listKey));
    },
  );
  const find = (listKey: string): StoredList | null => {
    const row = statements.find.get(listKey);
    return row === undefined ? null : stored(row);
  };
  return {
    ...createListReads(db),
    prune: eviction.prune,
    find,
    shownLists: () =>
      statements.shownLists.all().flatMap((row) => {
        const [list] = readable([row], (each) => parseRow(shownListRow, each, 'list'));
        const shown = list === undefined ? null : generation(list.shown_generation_id);
        return list === undefined || shown === null ? [] : [{ query: list.query, shown }];
      }),
    queriesOf: (operation) =>
      readable(
        statements.queriesOf.all(...keysOf(operation)),
        (row) => parseRow(queryRow, row, 'list').query,
      ),
    // A process that only reads does not note that a list was opened.
    open: onlyReads() ? (listKey) => find(listKey) ?? { id: 0, shown: null, removed: null } : open.immediate,
    generation,
    hasIdentity: (generationId, identity) => !places.of(generationId, [identity]).hasNone,
    begin: begin.immediate,
    append: append.immediate,
    putAhead: putAhead.immediate,
    adopt: adopt.immediate,
    carry: carry.immediate,
    markGone: markGone.immediate,
    heldOf: held.of,
    isKept: (listKey) => statements.isKept.get(listKey) !== undefined,
    markComplete: (generationId) => {
      statements.markComplete.run(generationId);
    },
    show: show.immediate,
    discard: (generationId) => {
      statements.discard.run(generationId);
    },
    sweep: sweep.immediate,
  };
}

function hasTotalMoved(before: Generation, page: NewPage): boolean {
  if (page.hasMoved === true) return true;
  return before.totalRows !== null && page.total !== null && before.totalRows !== page.total;
}

function progressOf(statements: Statements, before: Generation, page: NewPage, touchedAtMs: number) {
  return {
    id: before.id,
    touchedAtMs,
    addedBytes: page.rows.reduce((sum, row) => sum + sizeOf(statements, row), 0),
    totalRows: page.total ?? before.totalRows,
    oldestMs: Math.min(before.oldestMs ?? page.receivedAtMs, page.receivedAtMs),
    newestMs: Math.max(before.newestMs ?? page.receivedAtMs, page.receivedAtMs),
    requestId: page.requestId,
  };
}

/** Bytes of a row in the file besides its contents: its key, and the index of its identity. */
const AROUND_ROW_BYTES = 60;

function sizeOf(statements: Statements, { identity, shownText, record, textId }: NewRow): number {
  const long = textId === null ? 0 : parseRow(pluckedNumber, statements.characters.get(textId), 'long text');
  return [identity, shownText, record].reduce(
    (sum, text) => sum + (text === null ? 0 : Buffer.byteLength(text)),
    AROUND_ROW_BYTES + long,
  );
}

type Statements = ReturnType<typeof prepareStatements>;

function countRows(statements: Statements, generationId: number): number {
  return parseRow(pluckedNumber, statements.countRows.get(generationId), 'row count');
}

/**
 * Writes the rows of a page. A row that was on an earlier page indicates that the list has moved; it keeps its position
 * and is updated. The same holds for a position at which a page fetched ahead has a different row.
 */
function appendRows(
  statements: Statements,
  before: Generation,
  rows: readonly NewRow[],
  found: FoundPlaces,
  hasAhead: boolean,
  noteChange: NoteChange,
): { front: number; hasMoved: boolean; identities: (string | null)[] } {
  const identities: (string | null)[] = [];
  let front = before.frontPosition;
  let hasMoved = false;
  for (const row of rows) {
    const known = found.positionOf(row.identity);
    if (known !== null && known < front) {
      statements.useText(row.textId);
      statements.replace.run(row.shownText, row.record, row.textId, before.id, known);
      noteChange(before.id, known, known + 1);
      hasMoved = true;
      continue;
    }
    if (known !== null && known !== front) {
      statements.deleteAt.run(before.id, known);
      noteChange(before.id, known, known + 1);
      hasMoved = true;
    } else if (known === null && hasAhead && row.identity !== null) {
      hasMoved ||= statements.identityAt.get(before.id, front) !== undefined;
    }
    statements.useText(row.textId);
    const put = hasAhead ? statements.put : statements.putNew;
    put.run(before.id, front, row.identity, row.shownText, row.record, row.textId);
    found.put(row.identity, front);
    identities.push(row.identity);
    front += 1;
  }
  return { front, hasMoved, identities };
}

function putRows(
  statements: Statements,
  before: Generation,
  page: NewPage,
  found: FoundPlaces,
  noteChange: NoteChange,
): boolean {
  let hasDuplicates = false;
  page.rows.forEach((row, index) => {
    const position = page.offset + index;
    if (position < before.frontPosition) return;
    const known = found.positionOf(row.identity);
    if (known !== null && known !== position) {
      hasDuplicates = true;
      if (known < before.frontPosition) return;
      statements.deleteAt.run(before.id, known);
      noteChange(before.id, known, known + 1);
    }
    statements.useText(row.textId);
    statements.put.run(before.id, position, row.identity, row.shownText, row.record, row.textId);
    found.put(row.identity, position);
  });
  return hasDuplicates;
}

function prepareStatements(db: Database) {
  const unshown = `id NOT IN (SELECT shown_generation_id FROM list WHERE shown_generation_id IS NOT NULL)
    AND (is_discarded = 1 OR (touched_at_ms < :oldestMs
      AND id NOT IN (SELECT generation_id FROM kept_question WHERE generation_id IS NOT NULL)
      AND NOT (is_held = 1 AND EXISTS (SELECT 1 FROM kept_question JOIN list ON list_key = query_key WHERE list.id = list_id))))`;
  return {
    generation: db.prepare(`${GENERATION} WHERE id = ?`),
    find: db.prepare(
      'SELECT id, shown_generation_id, removed_at_ms, removed_to FROM list WHERE list_key = ?',
    ),
    queriesOf: db.prepare(`
      SELECT query FROM list JOIN generation ON generation.id = shown_generation_id
      WHERE list_key >= ? AND list_key < ? AND newest_ms IS NOT NULL`),
    shownLists: db.prepare(
      'SELECT query, shown_generation_id FROM list WHERE shown_generation_id IS NOT NULL ORDER BY id',
    ),
    open: db.prepare(`
      INSERT INTO list (list_key, query, opened_at_ms)
      SELECT $listKey, $query, $nowMs WHERE NOT EXISTS (SELECT 1 FROM list WHERE list_key = $listKey)`),
    begin: db.prepare('INSERT INTO generation (list_id, touched_at_ms) VALUES (?, ?)'),
    show: db.prepare('UPDATE list SET shown_generation_id = ? WHERE id = ?'),
    showFirst: db.prepare(
      'UPDATE list SET shown_generation_id = ? WHERE id = ? AND shown_generation_id IS NULL',
    ),
    discard: db.prepare('UPDATE generation SET is_discarded = 1 WHERE id = ?'),
    discardShown: db.prepare(`
      UPDATE generation SET is_discarded = 1
      WHERE id = (SELECT shown_generation_id FROM list WHERE id = ?) AND id <> ? AND is_held = 0`),
    update: db.prepare(`
      UPDATE generation SET revision = revision + 1, touched_at_ms = :touchedAtMs, total_rows = :totalRows,
        row_count = :rowCount, front_position = :frontPosition,
        front_offset = :frontOffset, is_ended = :isEnded, is_complete = :isComplete, has_moved = :hasMoved, oldest_ms = :oldestMs,
        newest_ms = :newestMs, request_id = :requestId, size_bytes = size_bytes + :addedBytes
      WHERE id = :id`),
    wholeRows: db.prepare(`
      SELECT identity, shown_text, record, text_id FROM list_row
      WHERE generation_id = ? AND position >= ? AND position < ? ORDER BY position`),
    grow: db.prepare(`
      UPDATE generation SET revision = revision + 1, touched_at_ms = :touchedAtMs, row_count = :front,
        front_position = :front, size_bytes = size_bytes + :addedBytes
      WHERE id = :id`),
    positions: db
      .prepare(
        'SELECT position FROM list_row WHERE generation_id = ? AND position >= ? AND position < ? ORDER BY position',
      )
      .pluck(),
    countCarried: db.prepare(`
      UPDATE generation SET revision = revision + 1, carried_count = carried_count + :carried,
        gone_count = gone_count + :gone
      WHERE id = :id`),
    isKept: db.prepare('SELECT 1 FROM kept_question WHERE query_key = ? LIMIT 1'),
    shownId: db.prepare('SELECT shown_generation_id FROM list WHERE id = ?').pluck(),
    markComplete: db.prepare(
      'UPDATE generation SET revision = revision + 1, is_complete = 1 WHERE id = ? AND is_ended = 1',
    ),
    refuteTotal: db.prepare('UPDATE generation SET is_total_refuted = 1 WHERE id = ?'),
    identityAt: db.prepare('SELECT identity FROM list_row WHERE generation_id = ? AND position = ?').pluck(),
    countRows: db.prepare('SELECT count(*) FROM list_row WHERE generation_id = ?').pluck(),
    putNew: db.prepare(
      'INSERT INTO list_row (generation_id, position, identity, shown_text, record, text_id) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    put: db.prepare(
      'INSERT OR REPLACE INTO list_row (generation_id, position, identity, shown_text, record, text_id) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    replace: db.prepare(
      'UPDATE list_row SET shown_text = ?, record = ?, text_id = ? WHERE generation_id = ? AND position = ?',
    ),
    useText: prepareUse(db),
    characters: db.prepare('SELECT characters FROM long_text WHERE id = ?').pluck(),
    deleteAt: db.prepare('DELETE FROM list_row WHERE generation_id = ? AND position = ?'),
    deleteFrom: db.prepare('DELETE FROM list_row WHERE generation_id = ? AND position >= ?'),
    sweepRows: db.prepare(`
      DELETE FROM list_row WHERE rowid IN (
        SELECT list_row.rowid FROM list_row
        WHERE generation_id IN (SELECT id FROM generation WHERE ${unshown}) LIMIT :maxRows)`),
    sweepGenerations: db.prepare(`
      DELETE FROM generation WHERE ${unshown}
        AND NOT EXISTS (SELECT 1 FROM list_row WHERE generation_id = generation.id)`),
  };
}
