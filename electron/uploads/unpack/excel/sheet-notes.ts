/** Notes about the sheet that was read, with the number of cells of each kind that is not simply a value. Pure. */
import { counted, numberText } from '../../../shared/count-text.ts';
import { columnName, type Occurrence, type SheetReader } from './sheet-reader.ts';

interface ReadSheet {
  reader: SheetReader;
  /** The first row that has a value. */
  firstRow: number;
  /** Number of blank rows between the first and the last row with a value, and the row number of the first of them. */
  blankRows: { count: number; first: number };
  /** The joined names of a header of several rows, with the first name that was joined; null for any other header. */
  header: { rows: number; example: string } | null;
}

interface Facts {
  isHidden: boolean;
  is1904: boolean;
  isComputedWhenOpened: boolean;
}

/** One or two sentences for each kind of change. */
export function sheetNotes(
  { reader, firstRow, blankRows, header }: ReadSheet,
  { isHidden, is1904, isComputedWhenOpened }: Facts,
): string[] {
  const { errors, uncomputed, computed, noDays, undated, uncoded, percentages, worded, merged } = reader;
  const { hiddenRows, hiddenColumns } = reader;
  const notes: string[] = [];
  if (isHidden) notes.push('The sheet is hidden in the workbook.');
  if (is1904) notes.push('Dates of this workbook count from 1904.');
  if (blankRows.count > 0) {
    const above = firstRow > 1 ? `; the table begins in row ${numberText(firstRow)}` : '';
    notes.push(
      `${counted(blankRows.count, 'blank row')} skipped, the first is row ${numberText(blankRows.first)}${above}.`,
    );
  }
  const empty = emptyColumns(reader.filledColumns);
  if (empty.length > 0)
    notes.push(
      `${counted(empty.length, 'column')} without any value skipped: ${listed(empty)}.${besideText(reader.filledColumns)}`,
    );
  const hidden = [
    ...(hiddenRows > 0 ? [counted(hiddenRows, 'hidden row')] : []),
    ...(hiddenColumns > 0 ? [counted(hiddenColumns, 'hidden column')] : []),
  ];
  if (hidden.length > 0) notes.push(`${hidden.join(' and ')} read like the others.`);
  if (merged.count > 0)
    notes.push(
      `${counted(merged.count, 'merged area')} (first: ${merged.first}): the value stands in the first cell only, ${counted(merged.cells, 'other cell')} ${merged.cells === 1 ? 'is' : 'are'} empty.`,
    );
  if (header !== null)
    notes.push(
      `The header has ${header.rows} rows with merged cells, which are joined to one name for each column, such as “${header.example}”.`,
    );
  if (percentages.count > 0)
    notes.push(`${cells(percentages)} shown as a percentage, read as the number behind it: 5% is 0.05.`);
  if (worded.count > 0)
    notes.push(
      `${cells(worded)} shown with a word or currency beside the number (${[...worded.words].map((word) => `“${word}”`).join(', ')}), read as the number alone.`,
    );
  if (errors.count > 0)
    notes.push(
      `${cells(errors)} with an error (${[...errors.words].slice(0, MAX_LISTED).join(', ')}) read as no value.`,
    );
  if (uncomputed.count > 0)
    notes.push(
      `${cells(uncomputed)} with a formula, but without its result in the file, read as no value. Open the workbook in Excel and save it to compute them.`,
    );
  if (isComputedWhenOpened && computed.count > 0)
    notes.push(
      `${cells(computed)} with a formula, whose result in the file may be a placeholder such as 0, because the workbook asks to be computed when it is opened. Open it in Excel and save it to compute them.`,
    );
  if (noDays.count > 0)
    notes.push(
      `${cells(noDays)} with a day that no calendar has, written as Excel shows it (1900-01-00 or 1900-02-29).`,
    );
  if (undated.count > 0)
    notes.push(
      `${cells(undated)} with the format of a date and a number that is none, written as that number.`,
    );
  if (uncoded.count > 0)
    notes.push(
      `${cells(uncoded)} with the format of a code and a number that is negative or has decimals, written as that number, not as Excel shows it.`,
    );
  return notes;
}

const MAX_LISTED = 5;

/** `3 cells (first: B7)`. */
const cells = ({ count, first }: Occurrence): string => `${counted(count, 'cell')} (first: ${first})`;

function emptyColumns(filled: ReadonlySet<number>): string[] {
  const width = [...filled].reduce((most, column) => Math.max(most, column + 1), 0);
  return Array.from({ length: width }, (_, column) => column)
    .filter((column) => !filled.has(column))
    .map(columnName);
}

/** A sentence if there are two columns or more on each side of a blank one. */
function besideText(filled: ReadonlySet<number>): string {
  const columns = [...filled].toSorted((a, b) => a - b);
  const gap = columns.findIndex((column, at) => at > 1 && column > (columns[at - 1] ?? column) + 1);
  if (gap < 0 || columns.length - gap < 2) return '';
  return ` If columns ${columnName(columns[gap] ?? 0)} and further are another table, move it to a sheet of its own: cells of one row are read together.`;
}

function listed(names: readonly string[]): string {
  const rest = names.length - MAX_LISTED;
  return names.slice(0, MAX_LISTED).join(', ') + (rest > 0 ? ` and ${numberText(rest)} more` : '');
}
