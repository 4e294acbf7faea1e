/**
 * Keeps a selection on its records when the rows of a list change. Selections are row numbers, so that selecting a
 * million rows costs as much as selecting one; the identities of their loaded rows tell when other records have moved
 * there.
 */
import type { Row } from '../../lib/grid/columns.ts';
import { addRange, countRows, type RowRange } from './ranges.ts';

/** Maximum number of rows of a selection whose identities are held. Larger selections are checked at these rows. */
const MAX_HELD = 2_000;
/** Number of rows before and after each selected row in which moved records are looked for. */
const REACH = 2_000;
/** Maximum number of rows that are looked at, so that rows far from each other hold the window up no longer. */
const MAX_LOOKED_AT = 20_000;

/** Fields that identify a record, the first that is set; the service names them differently. */
const IDS = ['id', 'span_id', 'item_id', 'session_id', 'trace_id'] as const;
/** Fields that together identify a record without an id, e.g. an entity of the catalog. */
const NAMES = ['name', 'value', 'type', 'entity_type', 'column', 'title'] as const;

/** Rows are not changed while they are cached. */
const known = new WeakMap<Row, string>();

/** Returns a text that differs between the records of a list, and stays the same when other fields of one change. */
export function identityOf(row: Row): string {
  const found = known.get(row) ?? findIdentity(row);
  known.set(row, found);
  return found;
}

function findIdentity(row: Row): string {
  const isSet = (value: unknown) => (typeof value === 'string' && value !== '') || typeof value === 'number';
  const id = IDS.find((field) => isSet(row[field]));
  if (id !== undefined) return `${id} ${String(row[id])}`;
  const names = NAMES.filter((field) => isSet(row[field]));
  return JSON.stringify(names.length === 0 ? row : names.map((field) => [field, row[field]]));
}

/** Whether an identity stays the same when other fields of the record change. */
const isNamed = (identity: string): boolean => !identity.startsWith('{');

/** Identities of selected rows by row number. */
export type HeldRows = ReadonlyMap<number, string>;

/**
 * The selection after a change of the rows. `isLost`: some of several records were not found. `isGone`: the same, or the
 * record of the cursor alone was not found, so that another one is at its place.
 */
interface Followed {
  held: HeldRows;
  ranges: readonly RowRange[];
  /** Row number of the cursor. */
  cursor: number;
  /** Row number at which a range that the user extends begins. */
  anchor: number;
  isLost: boolean;
  isGone: boolean;
  /** Identities of the held records that were not found. */
  gone: readonly string[];
}

interface Selected {
  /** Rows selected individually or as ranges; empty if only the row of the cursor is selected. */
  ranges: readonly RowRange[];
  cursor: number;
  anchor: number;
  held: HeldRows;
}

interface Rows {
  count: number;
  /** The row; undefined while it is not loaded. */
  row(index: number): Row | undefined;
}

function* numbersOf(ranges: readonly RowRange[]): Generator<number> {
  let left = MAX_HELD;
  for (const { from, to } of ranges)
    for (let index = from; index <= to && left > 0; index += 1, left -= 1) yield index;
}

/** The identities of a selection without following it: known ones stay, those of newly selected rows are added. */
export function holdRows(
  { ranges, cursor, held }: Omit<Selected, 'anchor'>,
  rows: Pick<Rows, 'row'>,
): HeldRows {
  const now = new Map<number, string>();
  for (const index of numbersOf(ranges.length > 0 ? ranges : [{ from: cursor, to: cursor }])) {
    const row = index < 0 ? undefined : rows.row(index);
    const key = held.get(index) ?? (row === undefined ? undefined : identityOf(row));
    if (key !== undefined) now.set(index, key);
  }
  return now;
}

/** Follows the records of a selection to their present row numbers. */
export function followRows({ ranges, cursor, anchor, held }: Selected, rows: Rows): Followed {
  const selected = ranges.length > 0 ? ranges : [{ from: cursor, to: cursor }];
  const now = holdRows({ ranges, cursor, held }, rows);
  const isMoved = [...now].some(([index, key]) => {
    const row = rows.row(index);
    // A row that is not loaded can still be the same record, unless the list has become shorter.
    return row === undefined ? index >= rows.count : key !== identityOf(row);
  });
  if (!isMoved) return { held: now, ranges, cursor, anchor, isLost: false, isGone: false, gone: [] };
  const places = placesOf(now, rows);
  const at = places.get(cursor) ?? cursor;
  const isWhole = now.size === countRows(selected) && [...now.keys()].every((index) => places.has(index));
  if (ranges.length === 0 || !isWhole) {
    const row = rows.row(at);
    const isLost = ranges.length > 0;
    return {
      held: row === undefined ? new Map() : new Map([[at, identityOf(row)]]),
      ranges: [],
      cursor: at,
      anchor: at,
      isLost,
      // The cursor stays at its place if its record was removed.
      isGone: isLost || (!places.has(cursor) && isNamed(now.get(cursor) ?? '')),
      gone: [...now].flatMap(([index, key]) => (places.has(index) ? [] : [key])),
    };
  }
  const moved = [...now].map(([index, key]) => [places.get(index) ?? index, key] as const);
  return {
    held: new Map(moved),
    ranges: moved.reduce<readonly RowRange[]>((all, [to]) => addRange(all, { from: to, to }), []),
    cursor: at,
    anchor: places.get(anchor) ?? at,
    isLost: false,
    isGone: false,
    gone: [],
  };
}

/** Present row numbers of held rows, by their former ones, among the loaded rows around them. */
function placesOf(held: HeldRows, rows: Rows): Map<number, number> {
  const formerOf = new Map([...held].map(([index, key]) => [key, index]));
  const places = new Map<number, number>();
  let left = MAX_LOOKED_AT;
  for (const { from, to } of near([...held.keys()], rows.count)) {
    for (let index = from; index <= to && left > 0; index += 1, left -= 1) {
      const found = rows.row(index);
      const former = found === undefined ? undefined : formerOf.get(identityOf(found));
      if (former !== undefined) places.set(former, index);
    }
  }
  return places;
}

/** The rows around these row numbers. */
function near(numbers: readonly number[], count: number): readonly RowRange[] {
  return numbers.reduce<readonly RowRange[]>((all, at) => {
    const last = all.at(-1);
    const [from, to] = [Math.max(0, at - REACH), Math.min(count, at + REACH) - 1];
    if (to < from || (last !== undefined && from >= last.from && to <= last.to)) return all;
    return addRange(all, { from, to });
  }, []);
}
