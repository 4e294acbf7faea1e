/** Constants and lists of records in words. Pure. */
import { constantWords } from '../../electron/shared/constant-words.ts';
import { formatJsonLine } from './format.ts';

/** Constants in words; values that are not text as JSON. */
export const constantText = (value: unknown): string =>
  typeof value === 'string' ? constantWords(value) : formatJsonLine(value);

/** Plain values of a list with commas; `–` for an empty one. */
export function listText(value: unknown): string {
  if (!Array.isArray(value)) return formatJsonLine(value);
  return value.length === 0 ? '–' : value.map((each) => formatJsonLine(each)).join(', ');
}

/** A flag as a word; another value as it is. */
export const yesOrNo = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
