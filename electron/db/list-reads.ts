/** Reads stored rows: a window for a view, or a column or text of many rows for sorting and filtering. */
import * as z from '../shared/zod.ts';
import { type NewRow, newRow, storedRow } from './library-rows.ts';
import { type Database, parseRow } from './open.ts';
import { openToRead } from './open-file.ts';

export interface StoredRow {
  position: number;
  /** JSON; of a long row only the beginning. */
  record: string;
  /** The complete text of a long row, in the store of long texts. */
  textId: number | null;
}

export interface ListReads {
  /** The stored row before a position; null if there is none. */
  rowBefore(generationId: number, position: number): NewRow | null;
  /** Rows with positions in [offset, offset + limit), in order. */
  rowsFrom(generationId: number, offset: number, limit: number): Iterable<StoredRow>;
  /** Rows at these positions, in the given order; positions without a row are left out. */
  rowsAt(generationId: number, positions: readonly number[]): Iterable<StoredRow>;
  /**
   * Up to `limit` rows from position `from` on, with their displayed texts; null if a text is too long to be stored.
   */
  textsFrom(
    generationId: number,
    from: number,
    limit: number,
  ): { positions: number[]; texts: (string | null)[] };
  /** Like `textsFrom`, with identities instead of texts. */
  identitiesFrom(
    generationId: number,
    from: number,
    limit: number,
  ): { positions: number[]; texts: (string | null)[] };
  /** Up to `limit` rows from position `from` on, with their complete JSON; only one row is in memory at a time. */
  recordsFrom(
    generationId: number,
    from: number,
    limit: number,
  ): Iterable<{ position: number; json: string }>;
  /**
   * Like `recordsFrom`, but with the values of some plain top-level fields, as one array for each field. Absent fields
   * are null; true and false are 1 and 0. Field names must not contain a double quote.
   */
  valuesFrom(
    generationId: number,
    from: number,
    limit: number,
    fields: readonly string[],
  ): { positions: number[]; columns: unknown[][] };
}

// A plain loop, because a schema check of thousands of elements would take longer than reading them.
const positionList = z.custom<number[]>((value) => Array.isArray(value) && value.every(Number.isSafeInteger));
const textList = z.custom<(string | null)[]>(
  (value) => Array.isArray(value) && value.every((text) => typeof text === 'string' || text === null),
);
const anyList = z.array(z.unknown());
const columnTexts = z.array(z.string());
const wholeRow = z.tuple([z.int(), z.string()]);

/** Parses one JSON array for each column, which is several times faster than one object for each row. */
function parseColumn<T>(schema: z.ZodType<T>, json: string | undefined): T {
  return parseRow(schema, JSON.parse(json ?? '[]'), 'list column');
}

/** SQL for the complete JSON of a row whose column may hold only its beginning. */
export const WHOLE_RECORD = `coalesce(
  (SELECT group_concat(part, '' ORDER BY from_character) FROM long_text_part WHERE long_text_part.text_id = list_row.text_id),
  record)`;

/**
 * SQL that is false for a row that SQLite does not accept as JSON; SQLite also rejects nesting beyond a thousand
 * levels.
 */
export const IS_SOUND = 'text_id IS NOT NULL OR json_valid(record)';

/** Opens a library that is also open elsewhere, for a thread that reads until it ends. Throws SQLite errors. */
export function openListReads(libraryFile: string): ListReads {
  return createListReads(openToRead(libraryFile, 'copy'));
}

export function createListReads(db: Database): ListReads {
  const range = db
    .prepare(
      'SELECT position, record, text_id FROM list_row WHERE generation_id = ? AND position >= ? AND position < ? ORDER BY position',
    )
    .raw();
  const at = db
    .prepare('SELECT position, record, text_id FROM list_row WHERE generation_id = ? AND position = ?')
    .raw();
  const whole = db
    .prepare(
      `SELECT position, ${WHOLE_RECORD} FROM list_row WHERE generation_id = ? AND position >= ? ORDER BY position LIMIT ?`,
    )
    .raw();
  const textual = (column: string) => {
    const statement = db
      .prepare(
        `SELECT json_group_array(position), json_group_array(value) FROM (
          SELECT position, ${column} AS value FROM list_row WHERE generation_id = ? AND position >= ? ORDER BY position LIMIT ?)`,
      )
      .raw();
    return (generationId: number, from: number, limit: number) => {
      const [positions, texts] = parseRow(
        columnTexts,
        statement.get(generationId, from, limit),
        'list column',
      );
      return { positions: parseColumn(positionList, positions), texts: parseColumn(textList, texts) };
    };
  };
  const toRow = (row: unknown): StoredRow => {
    const [position, record, textId] = parseRow(storedRow, row, 'list row');
    return { position, record, textId };
  };
  return {
    rowBefore: createRowBefore(db),
    *rowsFrom(generationId, offset, limit) {
      for (const row of range.iterate(generationId, offset, offset + limit)) yield toRow(row);
    },
    *rowsAt(generationId, positions) {
      for (const position of positions) {
        const row = at.get(generationId, position);
        if (row !== undefined) yield toRow(row);
      }
    },
    textsFrom: textual('shown_text'),
    identitiesFrom: textual('identity'),
    *recordsFrom(generationId, from, limit) {
      for (const row of whole.iterate(generationId, from, limit)) {
        const [position, json] = parseRow(wholeRow, row, 'list row');
        yield { position, json };
      }
    },
    valuesFrom: (generationId, from, limit, fields) => {
      const read = (record: string) => {
        const columns = fields.map(() => `, json_group_array(json_extract(${record}, ?))`).join('');
        return db
          .prepare(`
            SELECT json_group_array(position)${columns} FROM (
              SELECT position, record FROM list_row WHERE generation_id = ? AND position >= ? ORDER BY position LIMIT ?)`)
          .raw()
          .get(...fields.map((field) => `$."${field}"`), generationId, from, limit);
      };
      const row = readOr(
        () => read('record'),
        // Slower: gives rows that are not JSON no values. Used only if there is such a row.
        () => read("iif(json_valid(record), record, '{}')"),
      );
      const [positions, ...values] = parseRow(columnTexts, row, 'list column');
      return {
        positions: parseColumn(positionList, positions),
        columns: values.map((json) => parseColumn(anyList, json)),
      };
    },
  };
}

/** The result of `otherwise` if SQLite found text that is not JSON. */
export function readOr<T>(read: () => T, otherwise: () => T): T {
  try {
    return read();
  } catch (problem) {
    if (!(problem instanceof Error) || !problem.message.includes('malformed JSON')) throw problem;
    return otherwise();
  }
}

function createRowBefore(db: Database): ListReads['rowBefore'] {
  const whole = db.prepare(
    'SELECT identity, shown_text, record, text_id FROM list_row WHERE generation_id = ? AND position = ?',
  );
  return (generationId, position) => {
    const row = whole.get(generationId, position - 1);
    return row === undefined ? null : parseRow(newRow, row, 'list row');
  };
}
