/**
 * Reads spans that are listed in a file: CSV, JSON or JSON Lines with trace_id and span_id, in any encoding and
 * dialect.
 */
import { basename, resolve } from 'node:path';
import { isObject } from '../core/items/flattened.ts';
import { startMsOf } from '../core/spans/call-range.ts';
import { readFileSpan } from '../core/spans/file-span.ts';
import { isOtelSpan, spansOfExport } from '../core/spans/otlp.ts';
import type { GivenSpan } from '../datasets/types.ts';
import type { Engine } from '../engine/engine.ts';
import type { Dialect } from '../shared/dialect.ts';
import { AppError } from '../shared/errors.ts';
import { parseExactObject } from '../shared/exact-json.ts';
import { openSource, readRows } from '../uploads/readers/open-source.ts';
import type { SourceRow } from '../uploads/readers/row-source.ts';
import { offerError } from './given-file.ts';

interface SpanFile {
  /** Number of lines that name a span. */
  spans: number;
  /** Number of these lines without a readable start time. */
  timeless: number;
  /** Names of columns that are not used, because they do not identify spans. */
  unused: string[];
  /** Yields all spans of the file in order, in groups. */
  pieces: () => AsyncGenerator<GivenSpan[]>;
}

/**
 * Reads the whole file first, so that nothing is selected from a file with an error. Columns that are not used are
 * named; in JSON, a row with `span_attributes` is itself used as a span. Throws FILE_* errors, and INVALID_ARGUMENT
 * with the line number.
 */
export async function readSpanFile(engine: Pick<Engine, 'files'>, file: string): Promise<SpanFile> {
  const path = resolve(file);
  const [offered] = await engine.files.offer([path]);
  if (offered === undefined) throw new AppError('FILE_NOT_FOUND', `${file} does not exist.`);
  if (offered.error !== null) throw offerError(offered.error, file);
  const { dialect } = await engine.files.inspect(offered.fileId, null);
  const copy = await engine.files.readable(offered.fileId, dialect);
  let [spans, timeless] = [0, 0];
  const unused = new Set<string>();
  for await (const piece of readSpans(copy.path, dialect, unused)) {
    spans += piece.length;
    timeless += piece.filter(isTimeless).length;
  }
  if (spans === 0)
    throw new AppError('FILE_EMPTY', `${basename(path)} lists no spans.`, { file: basename(path) });
  return { spans, timeless, unused: [...unused], pieces: () => readSpans(copy.path, dialect) };
}

const isTimeless = (span: GivenSpan): boolean =>
  startMsOf(span.start_time ?? span.record?.['start_time']) === null;

async function* readSpans(
  path: string,
  dialect: Dialect,
  unused = new Set<string>(),
): AsyncGenerator<GivenSpan[]> {
  const source = await openSource(path, dialect);
  try {
    checkHeader(source.header, source.name);
    for await (const { rows } of readRows(source, path, { start: source.dataStart }))
      yield rows.flatMap((row) => spansOf(row, source, unused));
  } finally {
    await source.close();
  }
}

function checkHeader(header: readonly string[] | null, file: string): void {
  if (header === null) return;
  const missing = ['trace_id', 'span_id'].filter((name) => !header.includes(name));
  if (missing.length === 0) return;
  throw new AppError(
    'FILE_MALFORMED',
    `Expected the columns trace_id and span_id in line 1, got ${header.slice(0, 10).join(', ')}.`,
    { file, line: 1 },
  );
}

/** Spans of a row, which names one span or is the export of a collector. */
function spansOf(
  row: SourceRow,
  { header, name }: { header: readonly string[] | null; name: string },
  unused: Set<string>,
): GivenSpan[] {
  const fail = failAt(row, name);
  if (row.problem !== null) return fail(row.problem);
  const exported = row.record === null ? null : spansOfExport(row.record);
  if (exported !== null) return exported.map((each) => otelSpan(each, fail));
  if (row.record !== null && isOtelSpan(row.record)) return [otelSpan(row.record, fail)];
  const span = spanOf(row, header, fail);
  if (span.record === null)
    for (const column of header ?? Object.keys(row.record ?? {})) if (!USED.has(column)) unused.add(column);
  return [span];
}

const USED: ReadonlySet<string> = new Set(['trace_id', 'span_id', 'start_time']);
type Fail = (text: string) => never;
const failAt =
  ({ line }: SourceRow, file: string): Fail =>
  (text) => {
    throw new AppError('FILE_MALFORMED', `Line ${line}: ${text}`, { file, line });
  };

function otelSpan(span: unknown, fail: Fail): GivenSpan {
  if (!isObject(span)) return fail('Expected a span, got something that is not an object.');
  const read = readFileSpan(span);
  if (!('trace_id' in read)) return fail(read.reason);
  const { trace_id, span_id, startTime, record } = read;
  return {
    trace_id,
    span_id,
    start_time: startTime,
    record: record === null ? null : parseExactObject(record),
  };
}

function spanOf({ cells, record }: SourceRow, header: readonly string[] | null, fail: Fail): GivenSpan {
  const value = (name: string): unknown =>
    cells === null ? record?.[name] : cells[header?.indexOf(name) ?? -1];
  const [traceId, spanId, startTime] = [value('trace_id'), value('span_id'), value('start_time')];
  if (typeof traceId !== 'string' || traceId.trim() === '') return fail('trace_id is missing.');
  if (typeof spanId !== 'string' || spanId.trim() === '') return fail('span_id is missing.');
  const attributes = value('span_attributes');
  const isWhole = record !== null && typeof attributes === 'object' && attributes !== null;
  return {
    trace_id: traceId.trim(),
    span_id: spanId.trim(),
    start_time: typeof startTime === 'string' && startTime.trim() !== '' ? startTime.trim() : null,
    record: isWhole ? record : null,
  };
}
