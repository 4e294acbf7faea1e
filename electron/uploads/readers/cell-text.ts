/** The text of a cell of delimited text, without what only encloses or protects it. */

/** Of the bounds of a cell: quotes in it are doubled, characters in it are escaped, or both. */
export const DOUBLED = 1;
export const ESCAPED = 2;

export interface CellSigns {
  delimiter: string;
  /** Empty where the file has no quotes. */
  quote: string;
  /** Null where quotes are doubled and nothing is escaped. */
  escape: string | null;
}

/**
 * `marks`: DOUBLED and ESCAPED, added up. An escape stands for the quote, the delimiter, itself or a line end that follows
 * it; before anything else (`\n`, `\N`) it is part of the text.
 */
export function cellText(
  raw: string,
  marks: number,
  { delimiter, quote, escape: escaping }: CellSigns,
): string {
  if (marks === 0) return raw;
  if (marks === DOUBLED || escaping === null) return raw.replaceAll(quote + quote, quote);
  const isDoubled = marks === DOUBLED + ESCAPED;
  let text = '';
  for (let at = 0; at < raw.length; at += 1) {
    const character = raw[at] ?? '';
    const next = raw[at + 1];
    const isEscape =
      character === escaping &&
      next !== undefined &&
      (next === quote || next === delimiter || next === escaping || next === '\n' || next === '\r');
    const isPair = isDoubled && quote !== '' && character === quote && next === quote;
    if (isEscape || isPair) at += 1;
    text += isEscape ? (next ?? '') : character;
  }
  return text;
}
