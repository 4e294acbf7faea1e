/** Shortens long SQL values for display and appends a note. Pure. */
import { numberText } from '../shared/count-text.ts';

/** Maximum length of one value sent from the analysis process. */
const MAX_CELL_CHARACTERS = 8_000_000;
/** Maximum length of the rows in one message. */
const MAX_MESSAGE_CHARACTERS = 16_000_000;

/** The value; if it is longer than `most` characters, its beginning with a note of the total length. */
export function shortened(value: unknown, most: number): unknown {
  if (typeof value === 'string' && value.length > most)
    // Copied, because a slice would keep the whole text in memory.
    return `${structuredClone(value.slice(0, most))}… (${numberText(value.length)} characters)`;
  if (typeof value !== 'object' || value === null || charactersOf(value) <= most) return value;
  const text = JSON.stringify(value);
  return text.length > most ? shortened(text, most) : value;
}

/** Length of a value's text, without quotes and commas. */
export function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return String(value).length;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + 4 + charactersOf(part), 2);
}

/**
 * The values of one row. `convert` is called for one value after the other and shortens it, so that the row fits into
 * two messages.
 */
export function boundedRow(columns: number, convert: (column: number, most: number) => unknown): unknown[] {
  const share = Math.floor(MAX_MESSAGE_CHARACTERS / Math.max(1, columns));
  const row: unknown[] = [];
  let left = MAX_MESSAGE_CHARACTERS;
  for (let column = 0; column < columns; column += 1) {
    const value = convert(column, Math.min(MAX_CELL_CHARACTERS, Math.max(share, left)));
    left -= charactersOf(value);
    row.push(value);
  }
  return row;
}

/** Takes rows until a message is full: at least one and at most `most`. Later rows are not computed. */
export function fittingRows(rows: Iterable<unknown[]>, most: number): unknown[][] {
  const fitting: unknown[][] = [];
  let characters = 0;
  for (const row of rows) {
    characters += charactersOf(row);
    if (characters > MAX_MESSAGE_CHARACTERS && fitting.length > 0) break;
    fitting.push(row);
    if (fitting.length === most) break;
  }
  return fitting;
}
