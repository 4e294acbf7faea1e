/** Looks for evidence about quotes in the text of a file. Pure; texts may begin and end anywhere. */

import { delimiterName } from '../../shared/dialect.ts';

/**
 * The beginning of a cell that starts with an apostrophe; and a cell that also ends with one, with the text in between.
 */
const OPENED = /(?:^|[,;|\t])'/gm;
const ENCLOSED = /(?:^|[,;|\t])'((?:[^'\r\n]|'')*)'(?=[,;|\t\r\n]|$)/gm;
const DOUBLE_OPENED = /(?:^|[,;|\t])[ \t]*"/m;
/** A text that must be quoted in a cell. */
const NEEDS_QUOTES = /[,;|\t]|''/;

/** Minimum share of cells beginning with an apostrophe that must end with one if it is the quote. */
const MIN_ENCLOSED = 0.95;
/** Minimum number of cells in apostrophes per line if one column is quoted. */
const MIN_PER_LINE = 0.9;

/**
 * True if apostrophes are the quotes of this text. No cell may begin with a quotation mark, nearly every cell that
 * begins with an apostrophe must end with one, and either these cells need quotes or nearly every line has one. A
 * single note such as 'verified' does not count.
 */
export function isSingleQuoted(text: string): boolean {
  if (!text.includes("'") || DOUBLE_OPENED.test(text)) return false;
  const opened = text.match(OPENED)?.length ?? 0;
  const enclosed = [...text.matchAll(ENCLOSED)].map(([, inside]) => inside ?? '');
  if (enclosed.length < 2 || enclosed.length < opened * MIN_ENCLOSED) return false;
  const needing = enclosed.filter((inside) => NEEDS_QUOTES.test(inside)).length;
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '').length;
  return needing * 2 >= enclosed.length || enclosed.length >= lines * MIN_PER_LINE;
}

/** True if a backslash precedes a quote or a delimiter anywhere. The caller then tries whether it is an escape. */
export function mayBeEscaped(text: string): boolean {
  return /\\["',;|\t]/.test(text);
}

const COPY_NULL = /(?:^|\t)\\N(?=[\t\r\n]|$)/m;

/** True for text as PostgreSQL's COPY writes it, with `\N` for no value and every backslash doubled. */
export const isCopy = (text: string, delimiter: string): boolean =>
  delimiter === '\t' && COPY_NULL.test(text) && text.includes('\\\\');

/** A clause about the characters that a backslash escapes in this text. */
export function escapedText(text: string, quote: string | null, delimiter: string): string {
  const more = 'more rows can be read if';
  if (quote !== null && text.includes(`\\${quote}`)) return `${more} \\${quote} stands for a quote`;
  if (text.includes(`\\${delimiter}`))
    return `${more} a ${delimiterName(delimiter)} after \\ belongs to its cell`;
  if (isCopy(text, delimiter)) return '\\\\ stands for one backslash, as COPY of PostgreSQL writes it';
  return `${more} it escapes the next character`;
}
