/**
 * Reads the sources that fill a basket: pages of a query, rows of a stored list, spans of another basket, and files.
 */

import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { FileProgress } from '../db/build-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import type { PickSource, SpanSelection } from '../shared/pick-source.ts';
import type { BuildLedger } from './build-ledger.ts';
import { fromRecord, fromRow, type PickedSpan } from './picked-span.ts';
import { rangeOfQuery } from './picks.ts';
import type { DatasetOptions, DatasetsDeps } from './types.ts';

/**
 * Page size that counts as large. It is larger than for lists, because few span queries are allowed per minute
 * (SERVICE.md S8), so each should return many spans.
 */
const HEAVY_PAGE_BYTES = 800_000;
const FEWEST_ROWS = 20;
/** Number of spans read from local data at a time. */
const ROWS_AT_ONCE = 50;
const BUSY_MS = 3;
/** Page size for a file, whose thread is called once for each page. */
const FILE_PAGE = { rows: 500, bytes: 1_000_000 };

export type SourceDeps = Pick<
  DatasetsDeps,
  'store' | 'client' | 'clock' | 'readChosen' | 'extractSpans' | 'readableFile'
> & {
  options: Pick<DatasetOptions, 'pageRows'>;
};

/** `read`: number of rows read, including those that are not spans. */
export interface SourcePage {
  spans: readonly PickedSpan[];
  read: number;
  total: number | null;
  /** Progress in the file after this page; absent for other sources. */
  fileProgress?: FileProgress;
}

/**
 * The spans of a source, page by page. The next page is read after the previous one was consumed. Rejects with
 * AppErrors.
 */
export function pagesOf(
  deps: SourceDeps,
  ledger: BuildLedger,
  source: PickSource,
  signal: AbortSignal,
): AsyncGenerator<SourcePage> {
  switch (source.kind) {
    case 'service':
      return servicePages(deps, ledger, source.selection, signal);
    case 'stored':
      return storedPages(deps, source);
    case 'file':
      return filePages(deps, source, ledger.stored.fileProgress);
    case 'basket':
      return basketPages(deps, source);
  }
}

/**
 * The time range in which the spans of a source were queried. Throws INVALID_ARGUMENT for a source of another
 * application.
 */
export function rangeOfSource(
  { store }: Pick<DatasetsDeps, 'store'>,
  ledger: BuildLedger,
  source: PickSource,
) {
  const { applicationId } = ledger.stored;
  switch (source.kind) {
    case 'service':
      return rangeOfQuery(queryOf(source.selection), applicationId);
    case 'stored':
      return rangeOfQuery(source.rows.query, applicationId);
    case 'file':
      // The rows have start times of their own.
      return null;
    case 'basket': {
      const other = store.builds.load(source.buildId);
      if (other.applicationId === applicationId && other.id !== ledger.id) return other.pickedRange;
      throw new AppError(
        'INVALID_ARGUMENT',
        'Expected another draft of the same application: one dataset is built from the spans of one application.',
      );
    }
  }
}

function queryOf({ application_id, start_time, end_time, filter, ordering }: SpanSelection): ListQuery {
  const body = {
    application_id,
    start_time,
    end_time,
    ...(filter === null || filter === undefined ? {} : { filter }),
    ...(ordering === null || ordering === undefined ? {} : { ordering }),
  };
  return { operation: 'spans.query', path: {}, query: {}, body };
}

async function* servicePages(
  { client, clock, options }: SourceDeps,
  { id }: BuildLedger,
  selection: SpanSelection,
  signal: AbortSignal,
): AsyncGenerator<SourcePage> {
  const { body } = queryOf(selection);
  let limit = options.pageRows;
  for (let offset = 0; ; ) {
    const { value, sizeBytes } = await client.list(
      'spans.query',
      { body, paging: { limit, offset } },
      { priority: 'click', group: `build ${id}`, signal },
    );
    if (value.offset !== offset) throw wrongPage(offset, value.offset);
    const { items, total } = value;
    yield { spans: await spansIn(items, clock), read: items.length, total };
    offset += items.length;
    if (items.length === 0 || (total !== null && offset >= total)) return;
    limit = nextLimit(options.pageRows, items.length, sizeBytes);
  }
}

/** Spans are serialized in small steps, because a page is long. */
async function spansIn(items: readonly Record<string, unknown>[], clock: Clock): Promise<PickedSpan[]> {
  const slicer = new TimeSlicer(clock, BUSY_MS);
  const spans: PickedSpan[] = [];
  for (let from = 0; from < items.length; from += ROWS_AT_ONCE) {
    for (const item of items.slice(from, from + ROWS_AT_ONCE)) {
      const span = fromRecord(item);
      if (span !== null) spans.push(span);
    }
    await (from === 0 ? slicer.rest() : slicer.pause());
  }
  return spans;
}

async function* storedPages(
  { readChosen }: SourceDeps,
  { rows: choice }: Extract<PickSource, { kind: 'stored' }>,
): AsyncGenerator<SourcePage> {
  for await (const { rows, total } of readChosen(choice, ROWS_AT_ONCE)) {
    const spans = rows.map(({ record }) => fromRow(record)).filter((span) => span !== null);
    yield { spans, read: rows.length, total };
  }
}

/** `begun`: the progress of an earlier run. */
async function* filePages(
  { extractSpans, readableFile }: SourceDeps,
  { fileId, dialect, readings, name, rows: total }: Extract<PickSource, { kind: 'file' }>,
  begun: FileProgress | null,
): AsyncGenerator<SourcePage> {
  let fileProgress = begun ?? { ...(await readableFile({ fileId, dialect })), place: null, rows: 0 };
  // An empty first page stores the progress, because the program may end before the first rows are stored.
  yield { spans: [], read: 0, total, fileProgress };
  for (;;) {
    const { path, state, place, rows } = fileProgress;
    const cut = await extractSpans({ path, state, dialect, readings, start: place, most: FILE_PAGE }).catch(
      (problem: unknown) => {
        throw otherFile(name, toAppError(problem));
      },
    );
    const spans = cut.spans.map((span): PickedSpan => ({ ...span, isOfFile: span.record !== null }));
    fileProgress = { path, state, place: cut.end, rows: rows + cut.rows };
    yield { spans, read: cut.rows, total, fileProgress };
    if (cut.end === null) return;
  }
}

function otherFile(name: string, error: AppError): AppError {
  if (error.code !== 'FILE_CHANGED' && error.code !== 'FILE_NOT_FOUND') return error;
  const what =
    error.code === 'FILE_CHANGED' ? 'changed since its reading began' : 'is no longer where it was';
  const text = `${name} ${what}. Put the old file back and resume, or choose the file anew: spans that are in the draft stay there once.`;
  return new AppError(error.code, text, error.details, error);
}

async function* basketPages(
  { store }: SourceDeps,
  { buildId }: Extract<PickSource, { kind: 'basket' }>,
): AsyncGenerator<SourcePage> {
  const { excluded, ...tallies } = store.spans.tallies(buildId);
  const total = Object.values(tallies).reduce((sum, count) => sum + count, 0);
  const keys = new Map(store.spans.shapes(buildId).map((shape) => [shape.shapeId, [...shape.keys]]));
  for (let from = 0; ; ) {
    const found = store.spans.after(buildId, { states: null, shapeIds: null }, from, ROWS_AT_ONCE);
    const last = found.at(-1);
    if (last === undefined) return;
    const taken = found.filter(({ state }) => state !== 'excluded');
    const places = taken.map(({ position }) => position);
    const records = store.spans.records(buildId, places);
    const ofFile = store.spanFiles.among(buildId, places);
    const edits = store.spans.edits(buildId, places);
    const spans = taken.map(
      ({ position, traceId, spanId, startMs, startTime, name, spanType, shapeId }): PickedSpan => {
        const expected = edits.get(position);
        return {
          ...{ trace_id: traceId, span_id: spanId, startMs, startTime, name, spanType },
          keys: shapeId === null ? null : (keys.get(shapeId) ?? null),
          record: records.get(position) ?? null,
          isOfFile: ofFile.has(position),
          ...(expected === undefined ? {} : { expected }),
        };
      },
    );
    yield { spans, read: spans.length, total };
    from = last.position + 1;
  }
}

/**
 * Reduces the page size for large spans, because parsing and writing a page must not block the main thread for long.
 */
function nextLimit(pageRows: number, rows: number, sizeBytes: number): number {
  if (rows === 0 || sizeBytes <= HEAVY_PAGE_BYTES) return pageRows;
  return Math.min(pageRows, Math.max(FEWEST_ROWS, Math.floor(HEAVY_PAGE_BYTES / (sizeBytes / rows))));
}

function wrongPage(asked: number, came: number): AppError {
  return new AppError(
    'ANSWER_INVALID',
    `Expected the spans from offset ${asked} on, got those from ${came} on. Select again later.`,
  );
}
