/** Finds a row of totals at the end of a report. Pure. */
import { excerptOf, type SourceRow } from '../readers/row-source.ts';

const SUM =
  /^(?:(?:grand |sub)?totals?(?: ?:.*)?|(?:gesamt)?summe:?|gesamt(?:ergebnis)?:?|total g[eé]n[eé]ral:?|somme:?|suma:?|totale:?|totaal:?|итого:?|合计|总计|合計|합계)$/i;
const NUMBER = /\d/;
/** Minimum number of rows of a report. */
const MIN_ROWS = 3;

/**
 * A note about the last row of a table if it is the only one named as a total; an empty list otherwise. `isWhole`: true
 * if these are all rows; otherwise line numbers are estimates.
 */
export function sumNotes(rows: readonly SourceRow[], isWhole: boolean): string[] {
  const last = rows.findLast(({ problem }) => problem === null);
  const at = last?.cells?.findIndex((cell) => SUM.test(cell.trim())) ?? -1;
  const cell = last?.cells?.[at];
  if (last === undefined || cell === undefined || rows.length < MIN_ROWS) return [];
  const hasNumber = last.cells?.some((each, index) => index !== at && NUMBER.test(each)) === true;
  const isAlone = rows.every((row) => row === last || !SUM.test((row.cells?.[at] ?? '').trim()));
  if (!hasNumber || !isAlone) return [];
  const line = isWhole ? ` (line ${last.line})` : '';
  return [
    `The last row${line} with “${excerptOf(cell.trim())}” may be the sum of the others. It is sent like them: remove it from the file if it is not a row of data.`,
  ];
}
