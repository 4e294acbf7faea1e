/** Time to write 1,000,000 rows with 20 columns to a Parquet file, once their sidecar exists. */
import { createRowWriter } from '../../electron/analysis/export-client.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { type BenchResult, result } from './bench-result.ts';
import { LibraryRig } from './library-rig.ts';

const ROWS = 1_000_000;
const PAGE = 1_000;
const COLUMNS = 20;
const MAX_SECONDS = 5;
const RUNS = 3;

const QUERY = JSON.stringify({ operation: 'catalog.values', path: { application_id: 'app' }, query: {} });

/** A row with four columns each of integers, decimals, times, repeating words, and distinct texts. */
function record(at: number): string {
  const fields: Record<string, unknown> = {};
  for (let column = 0; column < COLUMNS; column += 1) {
    const seed = (Math.imul(at + 1, 2_654_435_761) ^ Math.imul(column, 40_503)) >>> 0;
    const values = [
      seed,
      seed / 1_000,
      new Date(1_767_225_600_000 + at * 1_000 + column).toISOString(),
      `word ${seed % 50}`,
      `text ${seed.toString(36)} ${at}`,
    ];
    fields[`column_${column}`] = values[column % values.length];
  }
  return JSON.stringify(fields);
}

export async function exportLines(): Promise<BenchResult[]> {
  await using rig = new LibraryRig('http://127.0.0.1:9');
  const { lists } = rig.store;
  const list = lists.open('bench', QUERY);
  const { id } = lists.begin(list.id, true);
  for (let from = 0; from < ROWS; from += PAGE) {
    const rows = Array.from({ length: PAGE }, (_, at) => {
      return { identity: null, shownText: null, record: record(from + at), textId: null };
    });
    const page = { total: ROWS, receivedAtMs: 1, requestId: 'bench', hasMoved: false };
    lists.append(id, { ...page, offset: from, follows: from, rows }, from + PAGE === ROWS);
  }
  const generation = lists.generation(id);
  if (generation === null) throw new Error('Expected the list to be stored.');
  const started = systemClock.monotonicMs();
  await rig.sidecars.file(generation);
  const builtMs = systemClock.monotonicMs() - started;
  const write = createRowWriter({
    sidecars: rig.sidecars,
    libraryFile: rig.folder.file('library.db'),
    ...{ startChild: startNodeChild, clock: systemClock },
  });
  const plan = { columns: null, format: 'parquet', isExact: false, partitionBy: null } as const;
  const seconds: number[] = [];
  let sizeBytes = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const begun = systemClock.monotonicMs();
    const rows = { generation, positions: null, count: ROWS, mayHaveGaps: false };
    const part = rig.folder.file(`rows-${run}.parquet`);
    ({ sizeBytes } = await write({ rows, plan, part }, new AbortController().signal, () => undefined));
    seconds.push((systemClock.monotonicMs() - begun) / 1_000);
  }
  const median = seconds.toSorted((a, b) => a - b)[1] ?? Number.NaN;
  const note = `${(sizeBytes / 1e6).toFixed(0)} MB; with process, check and hash; sidecar built before in ${(builtMs / 1_000).toFixed(1)} s`;
  return [result(`export of ${ROWS} rows x ${COLUMNS} columns to Parquet`, median, 's', MAX_SECONDS, note)];
}
