/** Writes a table of a Markdown document as delimited text. */
import { isUtf8 } from 'node:buffer';
import { counted } from '../../shared/count-text.ts';
import { delimitedLine } from '../../shared/delimited.ts';
import { AppError } from '../../shared/errors.ts';
import type { LedgerOmission } from '../../shared/value-ledger.ts';
import type { Heartbeat } from '../heartbeat.ts';
import { isMark, MARK } from '../readers/byte-order-mark.ts';
import type { CopyWriter } from './copy-writer.ts';
import { MAX_MARKDOWN_BYTES, type MarkdownTable, markdownTables } from './markdown-table.ts';

const rowsOf = ({ rows }: MarkdownTable): number => rows.filter((row) => row.length > 0).length;
const nameOf = ({ line }: MarkdownTable): string => `table in line ${line}`;

/**
 * `wanted`: the name of a table; null for the first one. Throws FILE_MALFORMED for a document that is too large or not
 * UTF-8, INVALID_ARGUMENT for a table that does not exist, DISK_FULL.
 */
export async function unpackMarkdown(
  { path, name }: { path: string; name: string },
  wanted: string | null,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<{ notes: string[]; sheet: string; sheets: string[]; leftOut: LedgerOmission[] }> {
  const tables = markdownTables(await textOf(path, name, heartbeat));
  const sheets = tables.map(nameOf);
  const table = wanted === null ? tables[0] : tables.find((each) => nameOf(each) === wanted);
  if (table === undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `${name} has no “${wanted ?? 'table'}”. Expected one of: ${sheets.join(', ') || 'none, it has no table'}.`,
    );
  await writer.text(delimitedLine(table.names, { isExact: true }));
  // Keeps the place of the line of dashes, so that each row is as far below the header as in the document.
  await writer.text('\n');
  for (const row of table.rows)
    await writer.text(row.length === 0 ? '\n' : delimitedLine(row, { isExact: true }));
  const place =
    table.line === 1 ? '' : ` Its header is in line ${table.line} of the document, and counts as line 1.`;
  const missing =
    table.filled === 0
      ? ''
      : ` ${counted(table.filled, 'row')} ${table.filled === 1 ? 'has' : 'have'} fewer cells than the header; the missing ones are empty.`;
  const others = tables.filter((each) => each !== table);
  const rest = others.length === 0 ? '' : ` Not read: ${others.map(nameOf).slice(0, 5).join(', ')}.`;
  return {
    ...{ sheet: nameOf(table), sheets },
    notes: [
      `Markdown: a table of ${counted(rowsOf(table), 'row')}, read without the blanks around its cells.${missing}${place}${rest}`,
    ],
    leftOut: others.map((each) => ({
      ...{ kind: 'sheet', name: nameOf(each), count: rowsOf(each), line: each.line },
      reason: 'another table of the document is read',
    })),
  };
}

async function textOf(path: string, name: string, heartbeat: Heartbeat): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const bytes of heartbeat.stream(path)) {
    const piece: Buffer = bytes;
    size += piece.length;
    if (size > MAX_MARKDOWN_BYTES)
      throw new AppError(
        'FILE_MALFORMED',
        `${name} is a table in Markdown of more than ${MAX_MARKDOWN_BYTES / 1_000_000} MB. Write it as CSV first.`,
        { file: name },
      );
    pieces.push(piece);
  }
  const all = Buffer.concat(pieces);
  const bytes = isMark(all, 0) ? all.subarray(MARK.length) : all;
  if (!isUtf8(bytes))
    throw new AppError(
      'FILE_MALFORMED',
      `${name} is a table in Markdown with bytes that are not UTF-8. Save it as UTF-8 first.`,
      { file: name },
    );
  return bytes.toString('utf8');
}
