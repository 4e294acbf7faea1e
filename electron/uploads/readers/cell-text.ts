/** Returns the text of a cell of delimited text, without its enclosing quotes and its escapes. */

/** Flags stored with the bounds of a cell that has doubled quotes or escaped characters. Their sum means both. */
export const DOUBLED = 1;
export const ESCAPED = 2;

export interface CellSigns {
  delimiter: string;
  /** Empty if the file has no quotes. */
  quote: string;
  /** Null if quotes are doubled instead of escaped. */
  escape: string | null;
}

/**
 * `marks`: the sum of DOUBLED and ESCAPED. An escape applies to a following quote, delimiter, escape or line end;
 * before anything else (`\n`, `\N`) it is part of the text.
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
