/**
 * Converts the rows of one sheet of an Excel workbook to CSV. Values are written as Excel shows them, but with all
 * their digits.
 */
import { delimitedLine } from '../../shared/delimited.ts';
import { AppError } from '../../shared/errors.ts';
import type { Heartbeat } from '../heartbeat.ts';
import type { CopyChange } from './copy-facts.ts';
import type { CopyWriter } from './copy-writer.ts';
import { type JoinedHeader, joinedHeader } from './excel/joined-header.ts';
import { otherKind } from './excel/other-kinds.ts';
import { WorkbookParts } from './excel/parts.ts';
import { sheetNotes } from './excel/sheet-notes.ts';
import { columnName, SheetReader, type SheetRow } from './excel/sheet-reader.ts';
import { readWorkbook, type Workbook, type WorkbookSheet } from './excel/workbook.ts';
import { XmlProblem } from './excel/xml-reader.ts';
import { withZip } from './unpack-stream.ts';

const MAX_BYTES = 100_000_000;
/** Maximum number of title rows above the header. */
const HEADER_ROWS = 50;

interface UnpackedSheet {
  sheet: string;
  /** Names of the sheets that have values. */
  sheets: string[];
  /** Notes about the values for the person. */
  notes: string[];
  changes: CopyChange[];
}

/**
 * Writes the sheet of this name. The default is the first visible sheet with values, unless it is a few lines of notes
 * before a longer table. Throws FILE_BINARY for a file of another kind, FILE_MALFORMED, FILE_EMPTY, and
 * INVALID_ARGUMENT for an unknown name.
 */
export async function unpackExcel(
  file: { path: string; name: string; sizeBytes: number },
  wanted: string | null,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<UnpackedSheet> {
  const { path, name } = file;
  if (file.sizeBytes > MAX_BYTES) {
    throw new AppError(
      'FILE_UNREADABLE',
      `${name} has ${Math.round(file.sizeBytes / 1e6)} MB; workbooks are read up to 100 MB. Save the sheet as CSV, then choose that.`,
      { file: name },
    );
  }
  return withZip(path, name, async (zip) => {
    const parts = await WorkbookParts.open(zip, heartbeat);
    const other = otherKind(name, (part) => parts.has(part));
    if (other !== null) throw new AppError('FILE_BINARY', other, { file: name });
    return unpackSheet(parts, name, wanted, writer).catch((problem: unknown) => {
      throw problem instanceof XmlProblem ? damaged(name, problem) : problem;
    });
  });
}

async function unpackSheet(
  parts: WorkbookParts,
  name: string,
  wanted: string | null,
  writer: CopyWriter,
): Promise<UnpackedSheet> {
  const workbook = await readWorkbook(parts);
  const filled = await filledSheets(parts, workbook);
  const chosen = choose(filled, wanted, name);
  const sheet = await writeSheet(parts, workbook, chosen, writer);
  return {
    sheet: chosen.name,
    sheets: filled.map((each) => each.name),
    notes: sheetNotes(sheet, { ...workbook, isHidden: chosen.isHidden }),
    changes: sheet.changes,
  };
}

/** A sheet with cells. `rows`: number of rows, counted up to 50. `isTable`: whether a row has several cells. */
type FilledSheet = WorkbookSheet & { rows: number; isTable: boolean };

async function filledSheets(parts: WorkbookParts, workbook: Workbook): Promise<FilledSheet[]> {
  const filled: FilledSheet[] = [];
  for (const sheet of workbook.sheets) {
    let [rows, isTable] = [0, false];
    for await (const { cells } of readRows(parts, sheet.path, new SheetReader(workbook))) {
      rows += 1;
      isTable ||= cells.filter((cell) => cell !== '').length > 1;
      if (rows >= HEADER_ROWS) break;
    }
    if (rows > 0) filled.push({ ...sheet, rows, isTable });
  }
  return filled;
}

function choose(filled: readonly FilledSheet[], wanted: string | null, name: string): WorkbookSheet {
  const visible = filled.filter(({ isHidden }) => !isHidden);
  const [first] = visible;
  // Skips a sheet with a few lines of notes before a longer table.
  const table =
    first === undefined || first.isTable
      ? undefined
      : visible.find(({ isTable, rows }) => isTable && rows > first.rows);
  const chosen =
    wanted === null ? (table ?? first ?? filled[0]) : filled.find((sheet) => sheet.name === wanted);
  if (chosen !== undefined) return chosen;
  if (filled.length === 0)
    throw new AppError('FILE_EMPTY', `${name} has no sheet with a filled cell.`, { file: name });
  throw new AppError(
    'INVALID_ARGUMENT',
    `${name} has no filled sheet “${wanted}”. Expected one of: ${filled.map((sheet) => sheet.name).join(', ')}.`,
  );
}

/** Reads the sheet twice, because each row gets the width of the widest one and empty columns are left out. */
async function writeSheet(
  parts: WorkbookParts,
  workbook: Workbook,
  { path }: WorkbookSheet,
  writer: CopyWriter,
): Promise<{
  reader: SheetReader;
  firstRow: number;
  blankRows: { count: number; first: number };
  header: { rows: number; example: string } | null;
  changes: CopyChange[];
}> {
  const reader = new SheetReader(workbook);
  const blankRows = { count: 0, first: 0 };
  let [firstRow, lastRow] = [0, 0];
  const top: SheetRow[] = [];
  for await (const row of readRows(parts, path, reader)) {
    const { number } = row;
    if (top.length < HEADER_ROWS) top.push(row);
    if (firstRow === 0) firstRow = number;
    if (number > lastRow + 1) {
      if (blankRows.count === 0) blankRows.first = lastRow + 1;
      blankRows.count += number - lastRow - 1;
    }
    lastRow = number;
  }
  const columns = [...reader.filledColumns].toSorted((a, b) => a - b);
  /** A row with fewer filled cells is a title. A header may lack some names. */
  const minHeaderCells = Math.max(Math.min(2, columns.length), columns.length / 2);
  let next = firstRow;
  let lineNumber = 1;
  const lines = new Map<number, number>();
  const { changes } = reader;
  let names: readonly string[] = [];
  let isHeaderFound = false;
  const header = joinedHeader(top, reader.mergedAbove);
  for await (const { number, cells: own } of readRows(parts, path, new SheetReader(workbook))) {
    lineNumber += number - next;
    if (changes.rows.has(number)) lines.set(number, lineNumber);
    if (header !== null && number >= header.from && number < header.to) {
      lineNumber += 1;
      await writer.text('\n'.repeat(number + 1 - next));
      next = number + 1;
      continue;
    }
    const isJoined = number === header?.to;
    const cells = isJoined ? header.names : own;
    // The column names are in the joined header, otherwise in the first row with enough filled cells, which is also
    // recognized as the header when the copy is read.
    const isHeader: boolean =
      !isHeaderFound &&
      (isJoined || columns.filter((column) => (cells[column] ?? '') !== '').length >= minHeaderCells);
    if (number === firstRow || (isHeader && number < firstRow + HEADER_ROWS)) names = cells;
    isHeaderFound ||= isHeader;
    // Blank rows are written as blank lines, so that line numbers match the sheet's rows.
    const line = delimitedLine(
      columns.map((column) => cells[column] ?? ''),
      { isExact: true },
    );
    await writer.text(`${'\n'.repeat(number - next)}${line}`);
    next = number + 1;
    lineNumber += line.split('\n').length - 1;
  }
  const nameOf = (column: number | string) => ({
    source: names[Number(column)] ?? '',
    letter: columnName(Number(column)),
  });
  return {
    ...{ reader, firstRow, blankRows },
    header: header && { rows: header.to - header.from + 1, example: exampleOf(header, top) },
    changes: changes.list(nameOf, (row) => lines.get(row) ?? 1),
  };
}

/** The first name that was joined from several cells. */
function exampleOf({ names, from, to }: JoinedHeader, rows: readonly SheetRow[]): string {
  const head = rows.filter(({ number }) => number >= from && number <= to);
  return names.find((name) => !head.some(({ cells }) => name === '' || cells.includes(name))) ?? '';
}

async function* readRows(parts: WorkbookParts, path: string, reader: SheetReader): AsyncGenerator<SheetRow> {
  for await (const _piece of parts.pieces(path, reader)) yield* reader.take();
  yield* reader.take();
}

function damaged(name: string, problem: XmlProblem): AppError {
  return new AppError(
    'FILE_MALFORMED',
    `${name} cannot be read as an Excel workbook, because it ${problem.message}. Open it and save it again as .xlsx, or save the sheet as CSV.`,
    { file: name },
    problem,
  );
}
