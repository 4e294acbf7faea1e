/** Reads rows of a file as spans: a range of rows for a selection, or the whole file for the check. */
import { isObject } from '../../core/items/flattened.ts';
import { type FileSpan, readFileSpan } from '../../core/spans/file-span.ts';
import { spansOfExport } from '../../core/spans/otlp.ts';
import type { Dialect } from '../../shared/dialect.ts';
import { writeExact } from '../../shared/exact-json.ts';
import type { FilePlace } from '../../shared/items-model.ts';
import type { SpanFileCheck } from '../../shared/span-file.ts';
import type { BadRow } from '../../shared/upload-model.ts';
import type { ValueReading } from '../../shared/value-readings.ts';
import { checkSameState, type FileState } from '../file-state.ts';
import { openSource, readRows } from '../readers/open-source.ts';
import { type Misfits, RowFields } from '../readers/row-fields.ts';
import { excerptOf, type SourceRow } from '../readers/row-source.ts';
import { SpanLedger } from './span-ledger.ts';

export interface SpanStretch {
  path: string;
  dialect: Dialect;
  /** Readings of columns; absent: values stay unchanged. */
  readings?: readonly ValueReading[] | undefined;
  /** The file's state when it was offered. */
  state: FileState;
  /** Null for the first row. */
  start: FilePlace | null;
  /** The range ends with the row that reaches a limit. */
  most: { rows: number; bytes: number };
}

export type SpanFileInput = Pick<SpanStretch, 'path' | 'dialect' | 'readings' | 'state'>;

export interface ExtractedSpans {
  /** The spans in file order, each at its first occurrence. */
  spans: FileSpan[];
  /** Number of rows, including those that are not spans. */
  rows: number;
  /** Start of the next range; null at the end of the file. */
  end: FilePlace | null;
}

const MAX_BAD = 20;
const UNCHANGED = { changes: [], leftOut: [] };
const MAX_KEYS = 200;

/** Throws FILE_* errors, FILE_CHANGED if the file has changed. */
export async function extractSpans({ start, most, ...file }: SpanStretch): Promise<ExtractedSpans> {
  const found = new Map<string, FileSpan>();
  let [rows, bytes] = [0, 0];
  let end: FilePlace | null = null;
  await eachSpan(file, start, (read, row) => {
    rows += 1;
    if ('trace_id' in read) {
      const key = keyOf(read);
      // Changes are not counted here, because the check of the whole file counts them.
      if (!found.has(key)) found.set(key, { ...read, changed: UNCHANGED });
      bytes += read.record?.length ?? 0;
    }
    if (rows < most.rows && bytes < most.bytes) return true;
    end = { byteOffset: row.byteEnd, line: row.nextLine, row: row.row + 1 };
    return false;
  });
  return { spans: [...found.values()], rows, end };
}

/** Reads the whole file. Throws FILE_* errors, FILE_CHANGED if the file has changed. */
export async function checkSpans(file: SpanFileInput): Promise<SpanFileCheck> {
  const ids = new Set<string>();
  const keys = new Map<string, number>();
  const check = { rows: 0, spans: 0, repeated: 0, bare: 0, timeless: 0, badRows: 0 };
  const ledger = new SpanLedger();
  const firstBad: BadRow[] = [];
  let first: string | null = null;
  let last: string | null = null;
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const misfits = await eachSpan(file, null, (read, row) => {
    check.rows += 1;
    if (!('trace_id' in read)) {
      check.badRows += 1;
      if (firstBad.length < MAX_BAD) firstBad.push(read);
      return true;
    }
    const key = keyOf(read);
    if (ids.has(key)) {
      check.repeated += 1;
      return true;
    }
    ids.add(key);
    check.spans += 1;
    if (read.record === null) check.bare += 1;
    if (read.startMs === null) check.timeless += 1;
    else {
      if (read.startMs < firstMs) [firstMs, first] = [read.startMs, read.startTime];
      if (read.startMs > lastMs) [lastMs, last] = [read.startMs, read.startTime];
    }
    ledger.add(read, row);
    for (const each of read.keys ?? []) keys.set(each, (keys.get(each) ?? 0) + 1);
    return true;
  });
  const most = [...keys].toSorted(([, one], [, other]) => other - one).slice(0, MAX_KEYS);
  return {
    ...{ ...check, firstBad, first, last },
    keys: most.map(([key, count]) => ({ key, count })),
    ledger: ledger.list(misfits),
  };
}

const keyOf = ({ trace_id: traceId, span_id: spanId }: FileSpan): string => `${traceId} ${spanId}`;

/** Visits every row from `start` on, until `take` returns false. */
async function eachSpan(
  { path, dialect, state, readings = [] }: SpanFileInput,
  start: FilePlace | null,
  take: (read: FileSpan | BadRow, row: SourceRow) => boolean,
): Promise<Misfits[]> {
  await checkSameState(path, state);
  const source = await openSource(path, dialect);
  try {
    const rowFields = new RowFields(source.header, readings);
    for await (const { rows } of readRows(source, path, { start: start ?? source.dataStart }))
      if (!rows.every((row) => takeAll(spansOf(row, rowFields), (read) => take(read, row)))) break;
    // Checks the state again after reading, because the bytes just read must be from the same file.
    await checkSameState(path, state);
    return rowFields.misfits();
  } finally {
    await source.close();
  }
}

/** Takes all spans of a row, even beyond a limit, because a range ends between two rows. */
function takeAll<T>(spans: readonly T[], take: (span: T) => boolean): boolean {
  let shouldContinue = true;
  for (const span of spans) shouldContinue = take(span);
  return shouldContinue;
}

/** A row is a single span, or an export of a collector with any number of spans. */
function spansOf(row: SourceRow, rowFields: RowFields): (FileSpan | BadRow)[] {
  const place = { row: row.row, line: row.line };
  if (row.problem !== null) return [{ ...place, column: null, value: row.excerpt, reason: row.problem }];
  const { fields, into } = rowFields.read(row);
  return (spansOfExport(fields) ?? [fields]).map((span, at) => {
    const read = isObject(span) ? readFileSpan(span, row.cells !== null) : NO_OBJECT;
    if ('trace_id' in read) {
      if (at > 0 || into.changes.length === 0) return read;
      const changes = [...into.changes, ...read.changed.changes];
      return { ...read, changed: { ...read.changed, changes } };
    }
    const value = isObject(span) ? String(span[read.column] ?? '') : writeExact(span);
    const which = span === fields ? '' : ` Span ${at + 1} of the line.`;
    return { ...place, value: excerptOf(value), ...read, reason: `${read.reason}${which}` };
  });
}

const NO_OBJECT = {
  column: 'trace_id',
  reason: 'Expected a span, got something that is not an object.',
} as const;
