/** Parses receipts files written by "Save receipts": row, line, batch, event_id. Only event ids are used. Pure. */

import { withFormula } from './delimited.ts';
import type { Pieces } from './pieces.ts';

export interface ParsedIds {
  ids: string[];
  doubles: number;
  /** Set if the text is a receipts file: its number of rows, and of rows without an event id. */
  receipts: { rows: number; withoutId: number } | null;
}

const COLUMN = 'event_id';
/** A line of a receipts file, for a fragment without the header: row, line and batch are numbers. */
const LINE = /^\d*[,;\t]\d*[,;\t]\d+[,;\t]/;

/** Records or ids between two pauses: about 1 ms. */
const A_PIECE = 500;

/**
 * Reads a receipts file; null if the text is not one. A fragment without the header is recognized if it has at least
 * two lines.
 */
export function* readReceipts(text: string): Pieces<ParsedIds | null> {
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
 * Reads pasted ids, one in each line or separated by commas, semicolons or spaces; quotes and duplicates are removed.
 * Only the event ids of a receipts file are used, whether it is complete or a part.
 */
export function* readEventIds(text: string): Pieces<ParsedIds> {
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

/**
 * The records of delimited text. Quoted cells may contain delimiters, line ends and doubled quotes; empty lines are
 * left out.
 */
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
