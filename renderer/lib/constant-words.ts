/** Texts of constants and lists in records. Pure. */
import { constantWords } from '../../electron/shared/constant-words.ts';
import { formatJsonLine } from './format.ts';

/** A constant in words. A value that is not text is written as JSON. */
export const constantText = (value: unknown): string =>
  typeof value === 'string' ? constantWords(value) : formatJsonLine(value);

/** The plain values of a list, separated by commas; `–` for an empty list. */
export function listText(value: unknown): string {
  if (!Array.isArray(value)) return formatJsonLine(value);
  return value.length === 0 ? '–' : value.map((each) => formatJsonLine(each)).join(', ');
}

/** A boolean as a word; another value unchanged. */
export const yesOrNo = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
