/** Recognizes rows of delimited text without any value, as spreadsheets write them for blank rows. Pure. */
import iconv from 'iconv-lite';
import { textOfFormula } from '../validate/text-formula.ts';
import { isUtf16 } from './encoding.ts';

const SPACE = 0x20;
/** The white space beyond ASCII that `trim` removes. */
const WIDE_BLANKS =
  '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';
const EMPTY_FORMULA = '=""';

/**
 * Table with 1 for each byte that can occur in a cell without a value in this encoding: bytes of blanks, and of a
 * formula for an empty text. Any other byte means that the cell has a value; otherwise `isBlankCell` decides.
 */
export function blankBytes(encoding: string): Uint8Array {
  const text = WIDE_BLANKS + EMPTY_FORMULA;
  // UTF-16 is read as UTF-8.
  const isUtf8 = encoding === 'utf-8' || isUtf16(encoding);
  const found = new Uint8Array(256).fill(1, 0, SPACE + 1);
  for (const byte of isUtf8 ? Buffer.from(text) : iconv.encode(text, encoding)) found[byte] = 1;
  return found;
}

/** True if the text of a cell is empty or white space, or a formula for such a text. */
export function isBlankCell(cell: string): boolean {
  const text = textOfFormula(cell) ?? cell;
  return [...text].every((character) => character <= ' ' || character.trim() === '');
}
