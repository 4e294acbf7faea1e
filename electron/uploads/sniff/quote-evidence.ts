/** What the text of a file says of its quotes. Pure; texts may begin and end anywhere. */

/** Cells that begin with an apostrophe; those of them that end with one too, with what stands between. */
const OPENED = /(?:^|[,;|\t])'/gm;
const ENCLOSED = /(?:^|[,;|\t])'((?:[^'\r\n]|'')*)'(?=[,;|\t\r\n]|$)/gm;
const DOUBLE_OPENED = /(?:^|[,;|\t])[ \t]*"/m;
/** What a cell is quoted for. */
const NEEDS_QUOTES = /[,;|\t]|''/;

/** Of cells that begin with an apostrophe, so many end with one where it is the quote. */
const MIN_ENCLOSED = 0.95;
/** So many cells in apostrophes a line are a column of them. */
const MIN_PER_LINE = 0.9;

/**
 * Are apostrophes the quotes of this text? Only where no cell begins with a quotation mark, next to every cell that begins
 * with an apostrophe ends with one, and these need quotes, or each line has one: a note such as 'verified' is none.
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

/** Does a backslash stand before a quote anywhere? Whether it escapes it is decided by trying. */
export function mayBeEscaped(text: string): boolean {
  return /\\["']/.test(text);
}
