/** Writes rows to files as a stream, as CSV or JSON Lines. A file is written completely or not at all. */
import { extname } from 'node:path';
import { delimitedLine } from '../shared/delimited.ts';
import { AppError } from '../shared/errors.ts';
import { signedZeros } from '../shared/exact-json.ts';
import type { SqlPage } from '../shared/sql-model.ts';
import { recordOf } from '../shared/sql-record.ts';
import { jsonText } from './terminal-text.ts';

/** The format from the file extension. Throws INVALID_ARGUMENT for another extension. */
export function fileFormat<F extends string>(path: string, formats: readonly F[]): F {
  const ending = extname(path).slice(1).toLowerCase();
  const found = formats.find((format) => format === ending);
  if (found !== undefined) return found;
  const endings = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
    formats.map((each) => `.${each}`),
  );
  throw new AppError('INVALID_ARGUMENT', `--output expects a file that ends with ${endings}, got ${path}.`);
}

/** Returns a function that gives the text of one page after the other; the first text begins with the column names. */
export function csvText(isExact: boolean): (page: SqlPage) => string {
  let isFirst = true;
  return ({ columns, rows }) => {
    const heads = isFirst ? [columns.map(({ name }) => name)] : [];
    isFirst = false;
    return [...heads, ...rows.map((row) => row.map(cell))]
      .map((cells) => delimitedLine(cells, { isExact }))
      .join('');
  };
}

export const jsonLines = ({ columns, rows }: SqlPage): string =>
  rows.map((row) => `${JSON.stringify(recordOf(columns, row))}\n`).join('');

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const exact = signedZeros(value);
  return typeof exact === 'object' ? jsonText(exact) : String(exact);
}
