/** The file of refused rows: unchanged from the source, with line and reason, so that it can be dropped in again. */

import { delimitedLine, withoutFormula } from '../shared/delimited.ts';
import { writeExact } from '../shared/exact-json.ts';
import { NOTE_COLUMNS } from '../shared/note-columns.ts';
import { checkSameState } from './file-state.ts';
import { openSource, readRows, type Source } from './readers/open-source.ts';
import { readingPlan } from './validate/settle-columns.ts';
import { RowValidator } from './validate/validate.ts';
import { writeWhole } from './whole-file-writer.ts';
import type { RefusedRange, WorkerOperations } from './worker/worker-protocol.ts';

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
  // Exact, so that the file can be dropped in again; only the reason, which comes from the service, is made safe.
  if (header !== null) yield delimitedLine([...header, ...notes], { delimiter, isExact: true });
  for (const range of input.ranges) {
    for await (const line of rangeLines(source, input, range)) {
      count.rows += 1;
      yield line;
    }
  }
}

async function* rangeLines(source: Source, input: Input, range: RefusedRange): AsyncGenerator<string> {
  const [lineName, reasonName] = NOTE_COLUMNS;
  const validator = new RowValidator(readingPlan(input.plan, input.plan.columns), source.header, input.model);
  const start = { byteOffset: range.byteStart, line: range.firstLine, row: range.firstRow };
  for await (const { rows } of readRows(source, input.path, { start, endByte: range.byteEnd })) {
    for (const row of rows) {
      // Bad rows in between were never sent; they are in the file of bad rows.
      if ('bad' in validator.check(row)) continue;
      if (row.record !== null) {
        yield `${writeExact({ ...row.record, [lineName ?? '']: row.line, [reasonName ?? '']: range.reason })}\n`;
        continue;
      }
      const cells = row.cells ?? [];
      const isNoted = source.header?.includes(lineName ?? '') ?? false;
      const extra = isNoted ? [] : [String(row.line), withoutFormula(range.reason)];
      const { delimiter } = input.plan.dialect;
      yield delimitedLine([...cells, ...extra], { delimiter, isExact: true });
    }
  }
}
