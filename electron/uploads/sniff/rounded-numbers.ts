/** Finds numbers that a spreadsheet saved with only the digits it displayed. Pure. */
import { excerptOf } from '../readers/row-source.ts';

/**
 * Numbers from a hundred billion on in the default format of spreadsheets: at most six digits, without trailing zeros.
 */
const SHOWN = /^[+-]?[1-9](?:[.,]\d{0,4}[1-9])?E\+(?:1[1-9]|20)$/;

interface Row {
  line: number;
  cells: readonly (string | null)[];
}

/** A note for each column with such numbers. */
export function roundedNotes(names: readonly string[], rows: readonly Row[]): string[] {
  return names.flatMap((name, at) => {
    const found = rows.find(({ cells }) => SHOWN.test(cells[at]?.trim() ?? ''));
    return found === undefined
      ? []
      : [
          `Column “${excerptOf(name)}” has numbers such as “${excerptOf(found.cells[at]?.trim() ?? '')}” (line ${found.line}), of which a spreadsheet may have saved six digits only. If they are ids, different ones look the same: export them again as texts.`,
        ];
  });
}
