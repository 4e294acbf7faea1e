/** Receipts as "Save receipts" writes them: row, line, batch, event_id. Read back for their event ids. Pure. */

import { withFormula } from './delimited.ts';
import type { Pieces } from './pieces.ts';

export interface GivenIds {
  ids: string[];
  doubles: number;
  /** The text is a receipts file: its rows, and those of them that have no event id. */
  receipts: { rows: number; withoutId: number } | null;
}

const COLUMN = 'event_id';
/** Of lines without the header: row, line and batch are numbers, the line comes after the row. */
const LINE = /^\d*[,;\t]\d*[,;\t]\d+[,;\t]/;

/** Records or ids between two pauses: about 1 ms. */
const A_PIECE = 500;

/** Null where the text is no receipts file. Part of one is known by its lines, two at least. */
export function* readReceipts(text: string): Pieces<GivenIds | null> {
  const plain = text.replace(/^\uFEFF/, '').trim();
  const firstLine = plain.slice(0, 200).split(/\r?\n/, 1)[0] ?? '';
  const delimiter = delimiterOf(firstLine);
  const [header = []] = recordsOf(firstLine, delimiter);
  const column = header.indexOf(COLUMN);
  const isHeadless = column === -1 && LINE.test(firstLine);
  if (column === -1 && !isHeadless) return null;
  const found = new FoundIds();
  const receipts = { rows: 0, withoutId: 0 };
  let records = 0;
  for (const cells of recordsOf(plain, delimiter)) {
    records += 1;
    if (records % A_PIECE === 0) yield undefined;
    if (isHeadless && !isReceipt(cells)) return null;
    if (!isHeadless && cells[column] === COLUMN) continue;
    receipts.rows += 1;
    const id = withFormula((cells[isHeadless ? 3 : column] ?? '').trim());
    if (id === '') receipts.withoutId += 1;
    else found.add(id);
  }
  if (isHeadless && records < 2) return null;
  return { ids: found.ids, doubles: found.doubles, receipts };
}

/**
 * Ids as pasted: one a line, or separated by commas, semicolons or spaces; quotes and doubles fall away. Of a receipts
 * file, whole or in part, its event ids and nothing else.
 */
export function* readEventIds(text: string): Pieces<GivenIds> {
  const receipts = yield* readReceipts(text);
  if (receipts !== null) return receipts;
  const found = new FoundIds();
  let parts = 0;
  for (const [part] of text.matchAll(/[^\s,;]+/g)) {
    parts += 1;
    if (parts % A_PIECE === 0) yield undefined;
    const id = part.replaceAll(/^["'[\]]+|["'[\]]+$/g, '');
    if (id !== '') found.add(id);
  }
  return { ids: found.ids, doubles: found.doubles, receipts: null };
}

class FoundIds {
  readonly ids: string[] = [];
  readonly #known = new Set<string>();
  doubles = 0;

  add(id: string): void {
    if (this.#known.has(id)) this.doubles += 1;
    else this.ids.push(id);
    this.#known.add(id);
  }
}

function delimiterOf(line: string): string {
  return ['\t', ';'].find((each) => line.includes(each)) ?? ',';
}

function isReceipt([row = '', line = '', batch = '', ...rest]: readonly string[]): boolean {
  const areNumbers = [row, line, batch].every((cell) => /^\d*$/.test(cell)) && batch !== '';
  return areNumbers && rest.length === 1 && Number(line) >= Number(row);
}

/** Quoted cells may hold delimiters, line ends and doubled quotes. Empty lines are left out. */
function* recordsOf(text: string, delimiter: string): Generator<string[]> {
  let cells: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n]*))(${delimiter}|\\r?\\n|$)`, 'gy');
  while (cell.lastIndex <= text.length) {
    const found = cell.exec(text);
    if (found === null) return;
    const [read, quoted, bare = '', end] = found;
    cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end !== delimiter) {
      if (cells.length > 1 || cells[0] !== '') yield cells;
      cells = [];
    }
    if (end === '') return;
    if (read === '') cell.lastIndex += 1;
  }
}
