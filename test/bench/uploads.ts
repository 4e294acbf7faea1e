/**
 * Reading a CSV file row by row and checking it, compared with papaparse on the same file; complete uploads, compared
 * with a bare parser and a bare client with prepared bodies; and the memory that both need.
 */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import Papa from 'papaparse';
import type { Dialect } from '../../electron/shared/dialect.ts';
import { openSource, readRows } from '../../electron/uploads/readers/open-source.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { churnCsv, writeLargeCsv } from '../helpers/make-files.ts';
import { checkFile, sendFile, sendReady, type UploadRun, withQuickService } from '../helpers/upload-run.ts';

const SIZE_BYTES = 100_000_000;
/** Sizes in bytes of files that show whether memory grows with the file. */
const LARGE_BYTES = 2_000_000_000;
const ROWS = 1_000_000;
const BATCH_ROWS = 1_000;
/** Number of rows that are sent with one request at a time and a latency. */
const LATE_ROWS = 200_000;
const LATENCY_MS = 50;
const ROUNDS = 3;
/** Minimum speeds of a check. */
const CHECK_MB_PER_S = 250;
const CHECK_JSONL_MB_PER_S = 120;
const DIALECT: Dialect = {
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  hasHeader: true,
  nullWords: [],
};

const FORMATS = ['csv', 'jsonl', 'parquet', 'csv.gz'] as const;
type Format = (typeof FORMATS)[number];

interface Reading {
  rows: number;
  cpuMs: number;
  /** Growth of the process beyond its initial memory, at the highest sample. */
  peakMb: number;
}

async function measure(read: (sample: () => void) => Promise<number>): Promise<Reading> {
  global.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  const start = process.cpuUsage();
  const rows = await read(sample);
  const { user, system } = process.cpuUsage(start);
  return { rows, cpuMs: (user + system) / 1_000, peakMb: (peak - before) / 1_000_000 };
}

async function ours(path: string, sample: () => void): Promise<number> {
  const source = await openSource(path, DIALECT);
  let rows = 0;
  try {
    for await (const part of readRows(source, path, { start: source.dataStart })) {
      rows += part.rows.length;
      sample();
    }
  } finally {
    await source.close();
  }
  return rows;
}

const READ_BYTES = 256 * 1024;

const papaparse = (path: string, sample: () => void): Promise<number> =>
  parsedCsv(createReadStream(path, { highWaterMark: READ_BYTES }), sample);

function parsedCsv(text: Readable, sample: () => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0;
    Papa.parse<string[]>(text, {
      skipEmptyLines: true,
      chunk: ({ data }) => {
        rows += data.length;
        sample();
      },
      complete: () => resolve(rows - 1),
      error: reject,
    });
  });
}

/** Readers of each format that do nothing else. */
const BARE_PARSERS: Record<Format, { name: string; read: (path: string) => Promise<unknown> }> = {
  csv: { name: 'papaparse', read: (path) => papaparse(path, () => undefined) },
  'csv.gz': {
    name: 'gunzip and papaparse',
    read: (path) => parsedCsv(createReadStream(path).pipe(createGunzip()), () => undefined),
  },
  jsonl: {
    name: 'readline and JSON.parse',
    read: async (path) => {
      for await (const line of createInterface({ input: createReadStream(path) })) JSON.parse(line);
    },
  },
  parquet: {
    name: 'hyparquet',
    read: async (path) => parquetReadObjects({ file: await asyncBufferFromFile(path), compressors }),
  },
};

/** Waits until a file is on disk, so that writing it does not compete with the transactions of an upload. */
function storeOnDisk(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** Writes the same rows in every format. */
async function writeFormats(folder: string): Promise<Record<Format | 'few', string>> {
  const at = (name: string) => join(folder, name);
  const [csv, jsonl, parquet, gzip, few] = ['m.csv', 'm.jsonl', 'm.parquet', 'm.csv.gz', 'few.csv'].map(
    at,
  ) as [string, string, string, string, string];
  writeFileSync(csv, churnCsv(ROWS));
  writeFileSync(few, churnCsv(LATE_ROWS));
  await pipeline(createReadStream(csv), createGzip(), createWriteStream(gzip));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(`COPY (FROM read_csv('${csv}')) TO '${parquet}' (FORMAT parquet)`);
  await connection.run(`COPY (FROM read_csv('${csv}')) TO '${jsonl}' (FORMAT json)`);
  connection.closeSync();
  // Closed, because its threads would slow down the next measurement.
  instance.closeSync();
  for (const path of [csv, jsonl, parquet, gzip, few]) storeOnDisk(path);
  return { csv, jsonl, parquet, 'csv.gz': gzip, few };
}

const seconds = (ms: number) => ms / 1_000;
const cpuOf = ({ cpuMs }: Pick<UploadRun, 'cpuMs'>) => `CPU ${seconds(cpuMs).toFixed(1)} s with its start`;

interface Timed {
  ms: number;
  cpuMs: number;
}

async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1_000 };
}

/** The run with the median time of several, because single runs vary by a third, and a text about the spread. */
async function median<T extends Timed>(work: () => Promise<T>): Promise<T & { spread: string }> {
  const all: T[] = [];
  for (let round = 0; round < ROUNDS; round += 1) all.push(await work());
  all.sort((a, b) => a.ms - b.ms);
  const [fastest, middle, slowest] = [all[0], all[Math.floor(ROUNDS / 2)], all.at(-1)];
  if (fastest === undefined || middle === undefined || slowest === undefined) throw new Error('No run.');
  const [from, to] = [fastest, slowest].map(({ ms }) => seconds(ms).toFixed(2));
  return { ...middle, spread: `median of ${ROUNDS}, ${from} to ${to} s` };
}

/** Check, batches and receipts of a million rows in each format, after the check of their JSON Lines alone. */
async function wholeWay(
  folder: string,
  checkOf: (jsonl: string) => Promise<BenchResult>,
): Promise<BenchResult[]> {
  const files = await writeFormats(folder);
  const checked = await checkOf(files.jsonl);
  const lines = readFileSync(files.jsonl, 'utf8').split('\n', BATCH_ROWS);
  const body = `{"model_id":"m","env_type":"PRODUCTION","source":{"type":"EVENTS","events":[${lines.join(',')}]}}`;
  const client = await median(() =>
    withQuickService(0, (url) => timed(() => sendReady(url, body, ROWS / BATCH_ROWS))),
  );
  const cpu = ({ cpuMs }: { cpuMs: number }) => `CPU ${seconds(cpuMs).toFixed(1)} s`;
  const results = [
    checked,
    result(
      'bare client with ready bodies',
      seconds(client.ms),
      's',
      null,
      `${ROWS / BATCH_ROWS} requests, one at a time; ${client.spread}; ${cpu(client)}`,
    ),
  ];
  let csvMs = 0;
  for (const format of FORMATS) {
    const { name, read } = BARE_PARSERS[format];
    const parser = await median(() => timed(() => read(files[format])));
    if (format === 'csv') csvMs = parser.ms;
    const bare = `${name}; ${parser.spread}; ${cpu(parser)}`;
    results.push(result(`bare parser, ${format}`, seconds(parser.ms), 's', null, bare));
    const sent = await median(() => withQuickService(0, (url) => sendFile(url, files[format])));
    const limit = 2 * seconds(parser.ms + client.ms);
    const ofCsv = seconds(sent.ms) / (2 * seconds(csvMs + client.ms));
    const note = `${sent.counts.acknowledged.toLocaleString('en-US')} rows; limit: twice its bare parser and the client; ${ofCsv.toFixed(2)} of that of CSV; ${sent.spread}; ${cpuOf(sent)}`;
    results.push(result(`whole way, ${format}`, seconds(sent.ms), 's', limit, note));
  }
  const late = (atOnce?: number) =>
    median(() => withQuickService(LATENCY_MS, (url) => sendFile(url, files.few, atOnce)));
  const single = await late(1);
  const many = await late();
  const note = `limit: a quarter of one request at a time (${seconds(single.ms).toFixed(1)} s); ${many.spread}; ${cpuOf(many)}`;
  results.push(
    result(`whole way, ${LATENCY_MS} ms latency`, seconds(many.ms), 's', seconds(single.ms) / 4, note),
  );
  return results;
}

/** Memory of complete uploads of a small and a large file. Each file is deleted after its run. */
async function memory(folder: string): Promise<BenchResult[]> {
  const grown = async (bytes: number) => {
    const path = join(folder, 'memory.csv');
    writeLargeCsv(path, bytes);
    storeOnDisk(path);
    const sent = await withQuickService(0, (url) => sendFile(url, path));
    rmSync(path);
    return sent;
  };
  const small = await grown(SIZE_BYTES);
  const large = await grown(LARGE_BYTES);
  const over = ({ startMb, mostMb }: UploadRun) => mostMb - startMb;
  const note = (sent: UploadRun) => `${Math.round(seconds(sent.ms))} s; ${cpuOf(sent)}; MARKS 56`;
  return [
    result('whole way, memory over the start, 100 MB', over(small), 'MB', 250, note(small)),
    result('whole way, memory over the start, 2 GB', over(large), 'MB', 250, note(large)),
    result('the same, 2 GB beside 100 MB', large.mostMb / small.mostMb, '×', 1.1, 'peak of the process'),
  ];
}

export async function run(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-bench-'));
  const path = join(folder, 'large.csv');
  writeLargeCsv(path, SIZE_BYTES);
  const megabytesOf = (file: string) => statSync(file).size / 1_000_000;
  const sizeMb = megabytesOf(path);
  try {
    const best = async (read: typeof ours): Promise<Reading> => {
      const all: Reading[] = [];
      for (let round = 0; round < ROUNDS; round += 1) all.push(await measure((sample) => read(path, sample)));
      const fastest = all.reduce((one, other) => (other.cpuMs < one.cpuMs ? other : one));
      return { ...fastest, peakMb: Math.max(...all.map(({ peakMb }) => peakMb)) };
    };
    const own = await best(ours);
    const papa = await best(papaparse);
    const whole = await checkFile(path, ROUNDS);
    const note = (reading: Pick<Reading, 'rows'>, gives: string) =>
      `CPU, best of ${ROUNDS}; ${reading.rows.toLocaleString('en-US')} rows; ${gives}`;
    return [
      result(
        'ours: MB read per CPU second',
        sizeMb / (own.cpuMs / 1_000),
        'MB/s',
        sizeMb / (papa.cpuMs / 1_000),
        `more is better; limit: papaparse; ${note(own, 'with line and byte offset of every row')}`,
      ),
      result(
        'check: MB per CPU second',
        sizeMb / (whole.cpuMs / 1_000),
        'MB/s',
        CHECK_MB_PER_S,
        `more is better; ${note(whole, 'types, events, hash; a process of its own')}`,
      ),
      result('papaparse', sizeMb / (papa.cpuMs / 1_000), 'MB/s', null, note(papa, 'no line, no offset')),
      result('ours: memory over the start', own.peakMb, 'MB', 250, 'limit: the same for any file size'),
      ...(await wholeWay(folder, async (file) => {
        const lines = await checkFile(file, ROUNDS);
        return result(
          'check of JSON Lines: MB per CPU second',
          megabytesOf(file) / (lines.cpuMs / 1_000),
          'MB/s',
          CHECK_JSONL_MB_PER_S,
          `more is better; ${note(lines, 'types, events, hash; a process of its own')}`,
        );
      })),
      ...(await memory(folder)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
