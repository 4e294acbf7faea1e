/** Finds lines of notes below a table that look like rows because they have as many cells. Pure. */
import { excerptOf } from '../readers/row-source.ts';
import { NULL_WORDS } from '../validate/column-evidence.ts';
import { secondTable } from './second-table.ts';
import { isDatum } from './series-header.ts';

interface Row {
  line: number;
  /** Null if the line could not be read as a row. */
  cells: readonly string[] | null;
}

/** Maximum number of note lines, and minimum number of rows above them. */
const MAX_NOTES = 5;
const MIN_ROWS = 2;
const BEGINS_AS_NOTE =
  /^\s*(?:sources?|notes?|remarks?|disclaimer|exported|generated|created|downloaded|printed|last updated|quellen?|hinweise?|anmerkung(?:en)?|stand|erstellt|fuentes?|notas?|fontes?|remarques?|fonti?|bron(?:nen)?|källa|注|出典|来源|备注)(?:\s*[:：]|\s+(?:by|on|at|from|am|von|le|par|el|por)\s)/i;

const filled = ({ cells }: Row): number => (cells ?? []).filter((cell) => cell.trim() !== '').length;
const isTyped = (column: number, rows: readonly Row[]): boolean => {
  const cells = rows.map(({ cells: own }) => own?.[column]?.trim() ?? '').filter((cell) => cell !== '');
  return cells.length >= MIN_ROWS && cells.every(isDatum);
};

/**
 * A message about notes below the table; an empty list if there are none. `rows`: the last rows of the file; `above`:
 * earlier rows, which show the types of the columns. `isWhole`: whether line numbers are exact.
 */
export function footNotes(rows: readonly Row[], above: readonly Row[], isWhole: boolean): string[] {
  const found = notesBelow(rows, above);
  const [first] = found;
  if (first === undefined) return [];
  const text = excerptOf((first.cells ?? []).filter((cell) => cell.trim() !== '').join(','));
  const many = found.length > 1;
  const line = isWhole ? ` (${many ? 'from ' : ''}line ${first.line}${many ? ' on' : ''})` : '';
  return [
    `The last ${many ? `${found.length} lines` : 'line'}${line}, “${text}”, may be ${many ? 'notes' : 'a note'} below the table. ${many ? 'They are' : 'It is'} sent like the other rows: remove ${many ? 'them' : 'it'} from the file if ${many ? 'they are' : 'it is'} no data.`,
  ];
}

function notesBelow(rows: readonly Row[], above: readonly Row[]): readonly Row[] {
  if (secondTable(rows) !== null) return [];
  const blank = rows.findLastIndex((row, at) => at > 0 && row.line > lineAfter(rows[at - 1]));
  const isBelow = blank >= MIN_ROWS && rows.length - blank <= MAX_NOTES;
  // If there are more blank lines further up, blank lines separate groups of rows, not notes.
  const isOnly = isBelow && rows.slice(1, blank).every((row, at) => row.line <= lineAfter(rows[at]));
  const body = (from: number): readonly Row[] => [
    ...above.filter(({ line }) => line < (rows[from]?.line ?? 0)),
    ...rows.slice(0, from),
  ];
  if (isOnly && rows.slice(blank).every((row) => isNoRow(row, body(blank)))) return rows.slice(blank);
  const from = rows.findLastIndex((row) => !beginsAsNote(row)) + 1;
  const last = rows.slice(from);
  const areNotes =
    from >= MIN_ROWS && last.length <= MAX_NOTES && last.every((row) => isNoRow(row, body(from)));
  return areNotes ? last : [];
}

/** Number of the line after a row. Its cells may contain line ends. */
const lineAfter = (row: Row | undefined): number =>
  (row?.line ?? 0) + 1 + (row?.cells?.join('').match(/\r\n|[\r\n]/g)?.length ?? 0);

const beginsAsNote = ({ cells }: Row): boolean =>
  BEGINS_AS_NOTE.test(cells?.find((cell) => cell.trim() !== '') ?? '');

const isText = (cell: string): boolean =>
  cell.trim() !== '' && !isDatum(cell) && !NULL_WORDS.includes(cell.trim());

/**
 * True if the row has a text in a column that otherwise holds only numbers or times, or if it is a sentence cut by the
 * delimiter.
 */
function isNoRow(row: Row, body: readonly Row[]): boolean {
  const cells = row.cells ?? [];
  if (filled(row) === 0) return false;
  if (cells.some((cell, at) => isText(cell) && isTyped(at, body))) return true;
  if (filled(row) === 1 && cells.length > 1) return body.every((each) => filled(each) > 1);
  const isCut = (each: Row): boolean => each.cells?.slice(1).some((cell) => /^\s\S/.test(cell)) === true;
  return beginsAsNote(row) || (isCut(row) && !body.some(isCut));
}
