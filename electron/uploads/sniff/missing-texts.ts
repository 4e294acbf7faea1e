/** Finds missing values as R writes them: NA without quotes, in a column whose other texts have quotes. Pure. */
import { excerptOf } from '../readers/row-source.ts';

const MISSING = 'NA';

interface Row {
  line: number;
  cells: readonly string[];
  /** The text of the row as it is in the file. */
  text: string;
}

/** A note for each column with unquoted NA. The values are sent as texts. */
export function missingTextNotes(
  names: readonly string[],
  rows: readonly Row[],
  { delimiter, quote }: { delimiter: string; quote: string },
): string[] {
  return names.flatMap((name, at) => {
    let [first, isQuoted, hasOther]: [Row | null, boolean, boolean] = [null, false, false];
    for (const row of rows) {
      const parts = row.text.replace(/[\r\n]+$/, '').split(delimiter);
      // A delimiter inside a text would shift the cells after it.
      if (parts.length !== row.cells.length) continue;
      const hasQuote = parts[at]?.startsWith(quote) === true;
      if (row.cells[at] !== MISSING) hasOther ||= hasQuote;
      else if (hasQuote) isQuoted = true;
      else first ??= row;
    }
    if (first === null || !hasOther) return [];
    const other = isQuoted ? ' NA in quotes would be read in the same way.' : '';
    return [
      `Column “${excerptOf(name)}” has NA without quotes beside texts in quotes (line ${first.line}), as R writes missing values. It stays a text, unless NA is chosen as a value read as empty (--null).${other}`,
    ];
  });
}
