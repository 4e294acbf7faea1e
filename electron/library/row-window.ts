/** Reads the rows of one window of a grid, from any source of a list. */

import type { LibraryStore } from '../db/library-store.ts';
import type { ListReads, StoredRow } from '../db/list-reads.ts';
import type { LongTextStore } from '../db/long-text-store.ts';
import type { ListQuery, ListRow, RowPage, RowWindow } from '../shared/model.ts';
import { parseRecord, WHOLE_BYTES } from '../shared/record-parts.ts';
import { tablesOfList } from '../shared/shown-words.ts';
import type { Derivation } from './derive.ts';
import { isTotalWrong, type Source } from './freshness.ts';
import type { TextFilter } from './order-steps.ts';
import type { Positions } from './positions.ts';
import type { RowOrders } from './row-orders.ts';
import type { RecordForm } from './types.ts';

export const MAX_WINDOW_ROWS = 200;
/** Maximum bytes of records in one message. */
const ROWS_BYTES = WHOLE_BYTES;
/** Number of bytes added for each record: its position, names and brackets. */
const AROUND_ROW_BYTES = 40;

/** Throws INVALID_ARGUMENT for an invalid expression in `narrow`. */
export async function readWindow(
  { reads, orders, longTexts }: { reads: ListReads; orders: RowOrders; longTexts: LongTextStore },
  source: Source,
  derivation: Derivation | null,
  query: ListQuery,
  window: RowWindow & { form: RecordForm },
): Promise<RowPage> {
  if (source.kind === 'none') return { rows: [], matchingRows: 0 };
  const { generation } = source;
  const { offset, sort, form } = window;
  const mostBytes = form === 'message' ? ROWS_BYTES : Number.POSITIVE_INFINITY;
  const contentOf = (row: StoredRow): Omit<ListRow, 'position'> =>
    form === 'message' ? headOf(longTexts, row) : wholeOf(longTexts, row);
  const limit = Math.min(window.limit, MAX_WINDOW_ROWS);
  const narrow = textFilterOf(window.narrow, query);
  const filters = window.filters ?? [];
  const isWhole = narrow === null && sort === null && filters.length === 0;
  if (isWhole && source.kind === 'own') {
    const { fitting, next } = takeFitting(reads.rowsFrom(generation.id, offset, limit), mostBytes);
    const rows = fitting.map((row) => ({ position: row.position, ...contentOf(row) }));
    // Rows that are not stored yet have a place in the grid, so that a person can scroll to them.
    const stated = isTotalWrong(generation) ? 0 : (generation.totalRows ?? 0);
    const allRows = Math.max(stated, generation.endPosition);
    const matchingRows = generation.isEnded ? generation.rowCount : allRows;
    return next === null ? { rows, matchingRows } : { rows, matchingRows, nextOffset: next.position };
  }
  const derived = source.kind === 'derived' ? source.positions : null;
  const order = isWhole
    ? (derived ?? NONE)
    : ((await orders.of(generation, {
        derivation: derived === null ? null : derivation,
        narrow,
        sort,
        filters,
      })) ?? NONE);
  const wanted = Array.from(order.subarray(offset, offset + limit));
  const { fitting, next } = takeFitting(reads.rowsAt(generation.id, wanted), mostBytes);
  const rows = fitting.map((row) => ({
    position: derived === null ? row.position : rankOf(derived, row.position),
    ...contentOf(row),
  }));
  const matchingRows = order.length;
  if (next === null) return { rows, matchingRows };
  return { rows, matchingRows, nextOffset: offset + wanted.indexOf(next.position) };
}

/** The filter of a list by a typed text; null if nothing was typed. */
export function textFilterOf(
  typed: string | null,
  { operation }: Pick<ListQuery, 'operation'>,
): TextFilter | null {
  return typed === null || typed.trim() === '' ? null : { typed, tables: tablesOfList(operation) };
}

/** Up to `limit` stored rows from position `from` on. Missing rows are skipped, whatever the stated total is. */
export function readStored(
  { lists: reads, longTexts }: Pick<LibraryStore, 'lists' | 'longTexts'>,
  source: Source,
  from: number,
  limit: number,
): ListRow[] {
  if (source.kind === 'none') return [];
  const { generation } = source;
  if (source.kind === 'derived') {
    const positions = Array.from(source.positions.subarray(from, from + limit));
    const rows = [...reads.rowsAt(generation.id, positions)];
    return rows.map((row) => ({
      position: rankOf(source.positions, row.position),
      ...wholeOf(longTexts, row),
    }));
  }
  const rows = [...reads.recordsFrom(generation.id, from, limit)];
  return rows.map(({ position, json }) => ({ position, record: parseRecord(json) }));
}

/** The rows that fit, at least one, and the first row that did not fit. */
function takeFitting(
  rows: Iterable<StoredRow>,
  mostBytes: number,
): { fitting: StoredRow[]; next: StoredRow | null } {
  const fitting: StoredRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += Buffer.byteLength(row.record) + AROUND_ROW_BYTES;
    if (fitting.length > 0 && bytes > mostBytes) return { fitting, next: row };
    fitting.push(row);
  }
  return { fitting, next: null };
}

function headOf(longTexts: LongTextStore, { record, textId }: StoredRow): Omit<ListRow, 'position'> {
  const characters = textId === null ? null : longTexts.characters(textId);
  const head = parseRecord(record);
  return textId === null || characters === null
    ? { record: head }
    : { record: head, parts: { textId, characters } };
}

function wholeOf(longTexts: LongTextStore, { record, textId }: StoredRow): Omit<ListRow, 'position'> {
  const whole = textId === null ? null : longTexts.whole(textId);
  return { record: parseRecord(whole ?? record) };
}

const NONE: Positions = new Int32Array(0);

/** For each base list position, its index among the selected ones. */
const ranks = new WeakMap<Positions, Int32Array>();

function rankOf(positions: Positions, position: number): number {
  const known = ranks.get(positions) ?? ranksOf(positions);
  ranks.set(positions, known);
  return known[position] ?? 0;
}

function ranksOf(positions: Positions): Int32Array {
  let highest = 0;
  for (const position of positions) highest = Math.max(highest, position);
  const found = new Int32Array(highest + 1);
  for (let rank = 0; rank < positions.length; rank += 1) found[positions[rank] ?? 0] = rank;
  return found;
}
