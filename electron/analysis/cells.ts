/** Values of SQL as they are shown: one that is too long is cut, with a word. Pure. */
import { numberText } from '../shared/count-text.ts';

/** Of one value that leaves the analysis process. */
export const MAX_CELL_CHARACTERS = 8_000_000;
/** Of the rows of one message. */
const MAX_MESSAGE_CHARACTERS = 16_000_000;

/** The value, or a text of its first `most` characters that says how many there are. */
export function shortened(value: unknown, most: number): unknown {
  if (typeof value === 'string' && value.length > most)
    return `${value.slice(0, most)}… (${numberText(value.length)} characters)`;
  if (typeof value !== 'object' || value === null || charactersOf(value) <= most) return value;
  const text = JSON.stringify(value);
  return text.length > most ? shortened(text, most) : value;
}

/** How long the text of a value is, but for quotes and commas. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return String(value).length;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + 4 + charactersOf(part), 2);
}

/** How many of these rows, at least one, fit into a message; `most` rows at most. */
export function fittingRows(rows: readonly (readonly unknown[])[], most: number): number {
  let characters = 0;
  for (const [index, row] of rows.slice(0, most).entries()) {
    characters += charactersOf(row);
    if (characters > MAX_MESSAGE_CHARACTERS && index > 0) return index;
  }
  return Math.min(most, rows.length);
}
