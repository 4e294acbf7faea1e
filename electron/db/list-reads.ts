/** Reading stored rows: a window for a view, a column or a text of many rows for sorting and narrowing. */
import { z } from 'zod';
import { storedRow } from './library-rows.ts';
import { type Database, parseRow } from './open.ts';

export interface StoredRow {
  position: number;
  /** JSON. */
  record: string;
}

export interface ListReads {
  /** Rows whose position lies in [offset, offset + limit). */
  rowsFrom(generationId: number, offset: number, limit: number): StoredRow[];
  /** Rows at these positions, in their order; a position that is not stored is left out. */
  rowsAt(generationId: number, positions: readonly number[]): StoredRow[];
  /** Up to `limit` rows from position `from` on, with the text a person sees. */
  textsFrom(generationId: number, from: number, limit: number): { positions: number[]; texts: string[] };
  /** The same with the identity of each. */
  identitiesFrom(generationId: number, from: number, limit: number): { positions: number[]; texts: string[] };
  /**
   * The same with the values of some plain top-level fields, one array for each field; absent fields are null,
   * true and false are 1 and 0. Field names must not hold a double quote.
   */
  valuesFrom(
    generationId: number,
    from: number,
    limit: number,
    fields: readonly string[],
  ): { positions: number[]; columns: unknown[][] };
}

const positionList = z.array(z.int());
const anyList = z.array(z.unknown());
const textRow = z.tuple([z.int(), z.string()]);

export function createListReads(db: Database): ListReads {
  const range = db
    .prepare(
      'SELECT position, record FROM list_row WHERE generation_id = ? AND position >= ? AND position < ? ORDER BY position',
    )
    .raw();
  const at = db
    .prepare('SELECT position, record FROM list_row WHERE generation_id = ? AND position = ?')
    .raw();
  const textual = (column: string) =>
    db
      .prepare(
        `SELECT position, ${column} FROM list_row WHERE generation_id = ? AND position >= ? ORDER BY position LIMIT ?`,
      )
      .raw();
  const texts = textual('shown_text');
  const identities = textual("coalesce(identity, '')");
  const toRow = (row: unknown): StoredRow => {
    const [position, record] = parseRow(storedRow, row, 'list row');
    return { position, record };
  };
  const split = (rows: unknown[]): { positions: number[]; texts: string[] } => {
    const parsed = rows.map((row) => parseRow(textRow, row, 'list row'));
    return { positions: parsed.map(([position]) => position), texts: parsed.map(([, text]) => text) };
  };
  return {
    rowsFrom: (generationId, offset, limit) => range.all(generationId, offset, offset + limit).map(toRow),
    rowsAt: (generationId, positions) =>
      positions.flatMap((position) => {
        const row = at.get(generationId, position);
        return row === undefined ? [] : [toRow(row)];
      }),
    textsFrom: (generationId, from, limit) => split(texts.all(generationId, from, limit)),
    identitiesFrom: (generationId, from, limit) => split(identities.all(generationId, from, limit)),
    valuesFrom: (generationId, from, limit, fields) => {
      // One array a column: several times faster than a row object for each row.
      const columns = fields.map(() => ', json_group_array(json_extract(record, ?))').join('');
      const row = db
        .prepare(`
          SELECT json_group_array(position)${columns} FROM (
            SELECT position, record FROM list_row WHERE generation_id = ? AND position >= ? ORDER BY position LIMIT ?)`)
        .raw()
        .get(...fields.map((field) => `$."${field}"`), generationId, from, limit);
      const [positions, ...values] = parseRow(z.array(z.string()), row, 'list column');
      const parsed = (schema: typeof anyList, json: string | undefined) =>
        parseRow(schema, JSON.parse(json ?? '[]'), 'list column');
      return {
        positions: parseRow(positionList, JSON.parse(positions ?? '[]'), 'list column'),
        columns: values.map((json) => parsed(anyList, json)),
      };
    },
  };
}
