/** Reading a CSV file row by row, beside papaparse on the same file; and the memory that takes. */
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Papa from 'papaparse';
import type { Dialect } from '../../electron/shared/dialect.ts';
import { openSource, readRows } from '../../electron/uploads/readers/open-source.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { writeLargeCsv } from '../helpers/make-files.ts';

const SIZE_BYTES = 100_000_000;
const ROUNDS = 3;
const DIALECT: Dialect = {
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  quote: '"',
  hasHeader: true,
  nullWords: [],
};

interface Reading {
  rows: number;
  cpuMs: number;
  /** Growth of the process over what it held before, at its highest sampled point. */
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

function papaparse(path: string, sample: () => void): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0;
    Papa.parse<string[]>(createReadStream(path, { highWaterMark: 256 * 1024 }), {
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

export async function run(): Promise<BenchResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-bench-'));
  const path = join(folder, 'large.csv');
  writeLargeCsv(path, SIZE_BYTES);
  const sizeMb = statSync(path).size / 1_000_000;
  try {
    const best = async (read: typeof ours): Promise<Reading> => {
      const all: Reading[] = [];
      for (let round = 0; round < ROUNDS; round += 1) all.push(await measure((sample) => read(path, sample)));
      const fastest = all.reduce((one, other) => (other.cpuMs < one.cpuMs ? other : one));
      return { ...fastest, peakMb: Math.max(...all.map(({ peakMb }) => peakMb)) };
    };
    const own = await best(ours);
    const papa = await best(papaparse);
    const note = (reading: Reading, gives: string) =>
      `CPU, best of ${ROUNDS}; ${reading.rows.toLocaleString('en-US')} rows; ${gives}`;
    return [
      result(
        'ours: MB read per CPU second',
        sizeMb / (own.cpuMs / 1_000),
        'MB/s',
        sizeMb / (papa.cpuMs / 1_000),
        `limit: papaparse; ${note(own, 'with line and byte offset of every row')}`,
      ),
      result('papaparse', sizeMb / (papa.cpuMs / 1_000), 'MB/s', null, note(papa, 'no line, no offset')),
      result('ours: memory over the start', own.peakMb, 'MB', 250, 'limit: MARKS 56, any file size'),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
