/** Receipts as "Save receipts" writes them: row, line, batch, event_id. Read back for their event ids. Pure. */

export interface GivenIds {
  ids: string[];
  doubles: number;
  /** The text is a receipts file: its rows, and those of them that have no event id. */
  receipts: { rows: number; withoutId: number } | null;
}

const COLUMN = 'event_id';
/** Of lines without the header: row, line and batch are numbers, the line comes after the row. */
const LINE = /^\d*[,;\t]\d*[,;\t]\d+[,;\t]/;

/** Null where the text is no receipts file. Part of one is known by its lines, two at least. */
export function parseReceipts(text: string): GivenIds | null {
  const plain = text.replace(/^\uFEFF/, '').trim();
  const firstLine = plain.slice(0, 200).split(/\r?\n/, 1)[0] ?? '';
  const delimiter = delimiterOf(firstLine);
  const header = cellsOf(firstLine, delimiter);
  const column = header.indexOf(COLUMN);
  const isHeadless = column === -1 && LINE.test(firstLine);
  if (column === -1 && !isHeadless) return null;
  const records = recordsOf(plain, delimiter);
  if (isHeadless && (records.length < 2 || !records.every(isReceipt))) return null;
  const rows = isHeadless ? records : records.filter((cells) => cells[column] !== COLUMN);
  const given = rows.map((cells) => (cells[isHeadless ? 3 : column] ?? '').trim());
  const found = given.filter((id) => id !== '');
  const ids = [...new Set(found)];
  const receipts = { rows: rows.length, withoutId: given.length - found.length };
  return { ids, doubles: found.length - ids.length, receipts };
}

function delimiterOf(line: string): string {
  return ['\t', ';'].find((each) => line.includes(each)) ?? ',';
}

function isReceipt([row = '', line = '', batch = '', ...rest]: readonly string[]): boolean {
  const areNumbers = [row, line, batch].every((cell) => /^\d*$/.test(cell)) && batch !== '';
  return areNumbers && rest.length === 1 && Number(line) >= Number(row);
}

const cellsOf = (line: string, delimiter: string): string[] => recordsOf(line, delimiter)[0] ?? [];

/** Quoted cells may hold delimiters, line ends and doubled quotes. Empty lines are left out. */
function recordsOf(text: string, delimiter: string): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))(${delimiter}|\\r?\\n|$)`, 'gy');
  while (cell.lastIndex <= text.length) {
    const found = cell.exec(text);
    if (found === null) return records;
    const [whole, quoted, bare = '', end] = found;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end !== delimiter) {
      if (cells.length > 1 || cells[0] !== '') records.push(cells);
      cells = [];
    }
    if (end === '') return records;
    if (whole === '') cell.lastIndex += 1;
  }
  return records;
}
