/**
 * Writes the file of refused rows: each row unchanged from the source, with line and reason, so that the file can be
 * dropped in again.
 */

import { delimitedLine, withoutFormula } from '../shared/delimited.ts';
import { writeExact } from '../shared/exact-json.ts';
import { NOTE_COLUMNS } from '../shared/note-columns.ts';
import { checkSameState } from './file-state.ts';
import { openSource, readRows, type Source } from './readers/open-source.ts';
import type { SourceRow } from './readers/row-source.ts';
import { readingPlan } from './validate/settle-columns.ts';
import { RowValidator } from './validate/validate.ts';
import { writeWhole } from './whole-file-writer.ts';
import type { WorkerOperations } from './worker/worker-protocol.ts';

type Input = WorkerOperations['write-refused']['input'];

/** Throws FILE_CHANGED if the source is not the file that was sent. */
export async function writeRefusedRows(input: Input): Promise<{ rows: number }> {
  await checkSameState(input.path, input.state);
  const source = await openSource(input.path, input.plan.dialect);
  const count = { rows: 0 };
  try {
    await writeWhole(input.target, refusedLines(source, input, count));
    return count;
  } finally {
    await source.close();
  }
}

async function* refusedLines(source: Source, input: Input, count: { rows: number }): AsyncGenerator<string> {
  const { header } = source;
  const notes = NOTE_COLUMNS.filter((name) => header === null || !header.includes(name));
  const { delimiter } = input.plan.dialect;
  // Cells stay unchanged, so that the file can be dropped in again. Only the reason, which comes from the service, is
  // escaped.
  if (header !== null) yield delimitedLine([...header, ...notes], { delimiter, isExact: true });
  const found = input.hasBadRows ? allRows(source, input) : rowsOfRanges(source, input);
  for await (const { row, reason } of found) {
    count.rows += 1;
    yield lineOf(source, input, row, reason);
  }
}

interface Refused {
  row: SourceRow;
  reason: string;
}

const validatorOf = ({ header }: Source, { plan, model }: Input): RowValidator =>
  new RowValidator(readingPlan(plan, plan.columns), header, model);

async function* rowsOfRanges(source: Source, input: Input): AsyncGenerator<Refused> {
  for (const { byteStart, byteEnd, firstLine, firstRow, reason } of input.ranges) {
    const validator = validatorOf(source, input);
    const start = { byteOffset: byteStart, line: firstLine, row: firstRow };
    for await (const { rows } of readRows(source, input.path, { start, endByte: byteEnd })) {
      // Bad rows in between were never sent; the file of bad rows lists them.
      for (const row of rows) if (!('bad' in validator.check(row))) yield { row, reason };
    }
  }
}

/** The rows refused by the service and the rows that cannot be sent, in file order. */
async function* allRows(source: Source, input: Input): AsyncGenerator<Refused> {
  const validator = validatorOf(source, input);
  let at = 0;
  for await (const { rows } of readRows(source, input.path, { start: source.dataStart })) {
    for (const row of rows) {
      const checked = validator.check(row);
      while ((input.ranges[at]?.byteEnd ?? Number.POSITIVE_INFINITY) < row.byteEnd) at += 1;
      const range = input.ranges[at];
      if ('bad' in checked) {
        const { column, reason } = checked.bad;
        yield { row, reason: column === null ? reason : `${column}: ${reason}` };
      } else if (range !== undefined && row.row >= range.firstRow) yield { row, reason: range.reason };
    }
  }
}

function lineOf(source: Source, { plan }: Input, row: SourceRow, reason: string): string {
  const [lineName, reasonName] = NOTE_COLUMNS;
  if (row.record !== null)
    return `${writeExact({ ...row.record, [lineName ?? '']: row.line, [reasonName ?? '']: reason })}\n`;
  const cells = row.cells ?? [];
  const isNoted = source.header?.includes(lineName ?? '') ?? false;
  const extra = isNoted ? [] : [String(row.line), withoutFormula(reason)];
  return delimitedLine([...cells, ...extra], { delimiter: plan.dialect.delimiter, isExact: true });
}
