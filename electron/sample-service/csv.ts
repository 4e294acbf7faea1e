/** A plain CSV reader (RFC 4180) for published files: the first line names the columns, an empty cell is null. */
import type { JsonRecord } from './store.ts';

/** Cells of every line; quotes may hold commas, line ends and doubled quotes. Throws where a quote is not closed. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n|\n|\r|$)/gy;
  const body = text.replace(/^\uFEFF/, '');
  while (cell.lastIndex < body.length) {
    const found = cell.exec(body);
    if (found === null) throw new Error('A quote of the CSV file is not closed, or stands inside a cell.');
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

/** A cell as the data type of its column says; text stays what it is where it does not read as that type. */
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

/** The lines as records of their columns. */
export function csvRecords(text: string, dataTypes: ReadonlyMap<string, string | null>): JsonRecord[] {
  const [header = [], ...rows] = csvRows(text);
  return rows.map((row) =>
    Object.fromEntries(
      header.map((name, index) => [name, cellValue(row[index] ?? '', dataTypes.get(name) ?? null)]),
    ),
  );
}
