/** A simple CSV reader (RFC 4180) for published files. The first line names the columns, and an empty cell is null. */
import type { JsonRecord } from './store.ts';

/**
 * Cells of every line; quoted cells may contain commas, line ends and doubled quotes. Throws if a quote is not closed.
 */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\n|\r|$)/gy;
  const body = text.replace(/^\uFEFF/, '');
  while (cell.lastIndex < body.length) {
    const found = cell.exec(body);
    if (found === null)
      throw new Error('A quoted cell of the CSV file is not closed, or an unquoted cell contains a quote.');
    const [, value = '', end] = found;
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === ',') {
      if (cell.lastIndex === body.length) row.push('');
      else continue;
    }
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}

/** Converts a cell to the data type of its column; text that does not convert stays unchanged. */
export function cellValue(text: string, dataType: string | null): unknown {
  if (text === '') return null;
  if (dataType === 'int' || dataType === 'float') {
    const value = Number(text);
    return Number.isFinite(value) ? value : text;
  }
  if (dataType === 'bool') {
    const word = text.toLowerCase();
    return word === 'true' || word === '1' ? true : word === 'false' || word === '0' ? false : text;
  }
  if (dataType === 'vector' && text.startsWith('[')) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return text;
}

/** Converts the lines to records by column name. */
export function csvRecords(text: string, dataTypes: ReadonlyMap<string, string | null>): JsonRecord[] {
  const [header = [], ...rows] = csvRows(text);
  return rows.map((row) =>
    Object.fromEntries(
      header.map((name, index) => [name, cellValue(row[index] ?? '', dataTypes.get(name) ?? null)]),
    ),
  );
}
