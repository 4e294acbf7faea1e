/** Texts of constants and lists in records. Pure. */
import { constantWords } from '../../electron/shared/constant-words.ts';
import { wordsFor } from '../../electron/shared/shown-words.ts';
import { formatJsonLine } from './format.ts';

/** A constant in words. A value that is not text is written as JSON. */
export const constantText = (value: unknown): string =>
  typeof value === 'string' ? constantWords(value) : formatJsonLine(value);

/** The plain values of a list, separated by commas; `–` for an empty list. */
export function listText(value: unknown): string {
  if (!Array.isArray(value)) return formatJsonLine(value);
  return value.length === 0 ? '–' : value.map((each) => formatJsonLine(each)).join(', ');
}

/** True and false as yes and no; another value unchanged. */
export const yesOrNo = (value: unknown): string => wordsFor('yes-no', String(value));
