/** Shortens long SQL values for display and appends a note. Pure. */
import { numberText } from '../shared/count-text.ts';

/** Maximum length of one value leaving the analysis process. */
export const MAX_CELL_CHARACTERS = 8_000_000;
/** Maximum length of the rows in one message. */
const MAX_MESSAGE_CHARACTERS = 16_000_000;

/** The value, or its first `most` characters with a note of the total. */
export function shortened(value: unknown, most: number): unknown {
  if (typeof value === 'string' && value.length > most)
    return `${value.slice(0, most)}… (${numberText(value.length)} characters)`;
  if (typeof value !== 'object' || value === null || charactersOf(value) <= most) return value;
  const text = JSON.stringify(value);
  return text.length > most ? shortened(text, most) : value;
}

/** Length of a value's text, without quotes and commas. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return String(value).length;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + 4 + charactersOf(part), 2);
}

/** Takes rows until a message is full: at least one, at most `most`. Computes no further rows. */
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
