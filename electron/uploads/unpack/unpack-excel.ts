/** The rows of one sheet of an Excel workbook as CSV: what the cells hold, not how they are shown. */

import { delimitedLine } from '../../shared/delimited.ts';
import { AppError } from '../../shared/errors.ts';
import type { Heartbeat } from '../heartbeat.ts';
import type { CopyWriter } from './copy-writer.ts';

/** A workbook is held in memory as a whole while it is read; its own limit is 1,048,576 rows. */
const MOST_BYTES = 100_000_000;

interface UnpackedSheet {
  sheet: string;
  /** Of those that hold something. */
  sheets: string[];
}

/**
 * Writes the sheet of this name, or the first that holds something. Throws FILE_MALFORMED, FILE_EMPTY, and
 * INVALID_ARGUMENT for a name that no sheet has.
 */
export async function unpackExcel(
  file: { path: string; name: string; sizeBytes: number },
  wanted: string | null,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<UnpackedSheet> {
  const { path, name } = file;
  if (file.sizeBytes > MOST_BYTES) {
    throw new AppError(
      'FILE_UNREADABLE',
      `${name} has ${Math.round(file.sizeBytes / 1e6)} MB; workbooks are read up to 100 MB. Save the sheet as CSV, then choose that.`,
      { file: name },
    );
  }
  const { default: readSheets } = await import('read-excel-file/node');
  const parseNumber = (digits: string): string => {
    heartbeat.beat();
    return numberText(digits);
  };
  const source = heartbeat.stream(path);
  const all = await readSheets(source, { parseNumber, trim: false })
    .catch((problem: unknown) => {
      throw damaged(name, problem);
    })
    .finally(() => source.destroy());
  if (all.some(({ data }) => !hasEachRow(data))) throw damaged(name);
  const filled = all.filter(({ data }) => data.some((row) => row.some((cell) => cell !== null)));
  const sheets = filled.map(({ sheet }) => sheet);
  const chosen = wanted === null ? filled[0] : filled.find(({ sheet }) => sheet === wanted);
  if (chosen === undefined) {
    if (filled.length === 0)
      throw new AppError('FILE_EMPTY', `${name} has no sheet with a filled cell.`, { file: name });
    throw new AppError(
      'INVALID_ARGUMENT',
      `${name} has no filled sheet “${wanted}”. Expected one of: ${sheets.join(', ')}.`,
    );
  }
  const width = Math.max(...chosen.data.map((row) => filledWidth(row)));
  const first = chosen.data.findIndex((row) => filledWidth(row) > 0);
  for (const row of chosen.data.slice(first)) {
    const cells = Array.from({ length: width }, (_, index) => cellText(row[index]));
    await writer.text(delimitedLine(cells, { isExact: true }));
  }
  return { sheet: chosen.sheet, sheets };
}

function damaged(name: string, cause?: unknown): AppError {
  return new AppError(
    'FILE_MALFORMED',
    `${name} cannot be read as an Excel workbook. Open it and save it again as .xlsx, or save the sheet as CSV.`,
    { file: name },
    cause,
  );
}

/** A row with a damaged number lies beside the others, and leaves a gap; a sheet that is listed may be missing. */
function hasEachRow(rows: readonly unknown[] | undefined): boolean {
  if (rows === undefined) return false;
  for (let index = 0; index < rows.length; index += 1) if (!(index in rows)) return false;
  return true;
}

/** Whole numbers keep the digits of the file; others are the shortest form of what Excel counts with. */
const numberText = (digits: string): string => (/^-?\d+$/.test(digits) ? digits : String(Number(digits)));

function filledWidth(row: readonly unknown[]): number {
  return row.findLastIndex((cell) => cell !== null && cell !== undefined) + 1;
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return dateText(cell);
  return typeof cell === 'string' ? cell : String(cell);
}

/** Excel has no zones: a date alone, or a date and a time. */
function dateText(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, -1).replace(/\.000$/, '');
}
