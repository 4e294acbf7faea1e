/** Reads rows of stored lists for background work, in pieces, without a request. */
import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery, RowPage } from '../shared/model.ts';
import { wholeRow } from '../shared/record-parts.ts';
import type { Library } from './types.ts';

type Rows = Pick<Library, 'storedLists' | 'readRows' | 'readRecord'>;

/** Large rows are parsed in pieces of one message, with pauses if this takes long. */
export async function readInPieces(
  library: Rows,
  clock: Clock,
  query: ListQuery,
  { offset, limit }: { offset: number; limit: number },
): Promise<RowPage> {
  const slicer = new TimeSlicer(clock);
  const whole: RowPage = { rows: [], matchingRows: 0 };
  for (let from: number | undefined = offset; from !== undefined; ) {
    const window = { offset: from, limit: offset + limit - from, sort: null, narrow: null };
    const { rows, matchingRows, nextOffset } = await library.readRows({ query, window }, 'message');
    for (const row of rows) whole.rows.push(await wholeRow(row, (part) => library.readRecord(part)));
    whole.matchingRows = matchingRows;
    from = nextOffset;
    await slicer.pause();
  }
  return whole;
}

const ITEMS_AT_ONCE = 200;

/** Reads the unfiltered list of a dataset's items, if it is stored completely; otherwise null. */
export function readItemsHere(
  library: Rows,
  clock: Clock,
  datasetId: string,
  start: number,
): AsyncIterable<{ items: Record<string, unknown>[]; offset: number }> | null {
  return readWholeList(
    library,
    clock,
    { operation: 'datasets.items', path: { dataset_id: datasetId } },
    start,
  );
}

/** Reads the unfiltered list of an experiment's results, if it is stored completely; otherwise null. */
export function readResultsHere(
  library: Rows,
  clock: Clock,
  experimentId: string,
): AsyncIterable<Record<string, unknown>[]> | null {
  const list = { operation: 'experiments.results', path: { experiment_id: experimentId } };
  const pieces = readWholeList(library, clock, list, 0);
  if (pieces === null) return null;
  return (async function* () {
    for await (const { items } of pieces) yield items;
  })();
}

function readWholeList(
  library: Rows,
  clock: Clock,
  { operation, path }: Pick<ListQuery, 'operation' | 'path'>,
  start: number,
): AsyncIterable<{ items: Record<string, unknown>[]; offset: number }> | null {
  const found = library
    .storedLists()
    .find(
      ({ query, shown }) =>
        query.operation === operation &&
        Object.entries(path).every(([name, id]) => query.path[name] === id) &&
        Object.keys(query.query).length === 0 &&
        shown.isComplete,
    );
  if (found === undefined) return null;
  const { query, shown } = found;
  const end = shown.endPosition - shown.carriedRows;
  return (async function* () {
    for (let from = start; from < end; from += ITEMS_AT_ONCE) {
      const { rows } = await readInPieces(library, clock, query, {
        offset: from,
        limit: Math.min(ITEMS_AT_ONCE, end - from),
      });
      if (rows.some(({ parts }) => parts !== undefined))
        throw new AppError('CONFLICT', 'The rows were read again meanwhile. Start the check again.');
      const offset = Math.min(from + ITEMS_AT_ONCE, end);
      yield { items: rows.map(({ record }) => record), offset };
    }
  })();
}
