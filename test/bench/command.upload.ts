/**
 * The cost of an upload from the command line: processor time of all its threads from call to exit, compared with a
 * bare parser and a bare client in the same run.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { runCli } from '../helpers/run-cli.ts';
import { withQuickService } from '../helpers/upload-run.ts';

const ROWS = 1_000_000;
const BATCH_ROWS = 1_000;
const TIMES = 5;
/** Limit, as a multiple of the time of the bare parser and the bare client. */
const MOST = 1.5;
const TICKS_PER_SECOND = 100;

interface Cost {
  cpuS: number;
  wallS: number;
}

/** Processor time in seconds of all child processes that have ended; NaN except on Linux. */
function childrenS(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  // Fields 16 and 17 of proc(5), counted after the name.
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  const [cpuS, startedAt] = [childrenS(), performance.now()];
  await work();
  return { cpuS: childrenS() - cpuS, wallS: (performance.now() - startedAt) / 1_000 };
}

/** The median of several costs, with a text about their spread. */
function middleOf(costs: readonly Cost[]): { cpuS: number; note: string } {
  const sorted = costs.toSorted((a, b) => a.cpuS - b.cpuS);
  const middle = sorted[sorted.length >> 1] ?? { cpuS: Number.NaN, wallS: Number.NaN };
  const spread = `${sorted[0]?.cpuS.toFixed(2)} to ${sorted.at(-1)?.cpuS.toFixed(2)} s`;
  const note = `processor time, median of ${costs.length}, ${spread}; ${middle.wallS.toFixed(1)} s by the clock; load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  return { cpuS: middle.cpuS, note };
}

/** The body of a full batch, as the command sends it. */
function readyBody(csv: string): string {
  const [header = '', ...rows] = csv.split('\n', BATCH_ROWS + 1);
  const names = header.split(',');
  const events = rows.map((row) =>
    Object.fromEntries(
      row
        .split(',')
        .map((cell, at) => [names[at] ?? '', Number.isFinite(Number(cell)) ? Number(cell) : cell]),
    ),
  );
  const source = { type: 'EVENTS', events };
  return JSON.stringify({ model_id: 'm', env_type: 'PRODUCTION', source });
}

export async function run(): Promise<BenchResult[]> {
  const root = join(import.meta.dirname, '../..');
  execFileSync(process.execPath, [join(root, 'build/bundle.ts')], { cwd: root, stdio: 'ignore' });
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-bench-'));
  const [file, one, body] = [join(folder, 'm.csv'), join(folder, 'one.csv'), join(folder, 'body.json')];
  const csv = churnCsv(ROWS);
  writeFileSync(file, csv);
  writeFileSync(one, churnCsv(1));
  writeFileSync(body, readyBody(csv));
  const upload = async (path: string, baseUrl: string) => {
    using data = new DataFolder();
    const words = ['upload', path, '--model', 'Bench', '--base-url', baseUrl, '--json'];
    const { code, stderr } = await runCli(words, { token: 'bench-token-0123', dataDir: data.path });
    if (code !== 0) throw new Error(stderr);
  };
  const bare = async (baseUrl: string) => {
    const script = join(root, 'test/helpers/bare-upload.ts');
    const child = spawn(process.execPath, [script, file, baseUrl, String(ROWS), body], { stdio: 'inherit' });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`The bare upload ended with code ${code}.`);
  };
  const costs: Record<'bare' | 'all' | 'one', Cost[]> = { bare: [], all: [], one: [] };
  try {
    await withQuickService(0, async (url) => {
      // Measured in turns, so that other work of the computer affects all of them equally.
      for (let turn = 0; turn < TIMES; turn += 1) {
        costs.bare.push(await cost(() => bare(url)));
        costs.all.push(await cost(() => upload(file, url)));
        costs.one.push(await cost(() => upload(one, url)));
      }
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const [peer, all, first] = [middleOf(costs.bare), middleOf(costs.all), middleOf(costs.one)];
  const rows = ROWS.toLocaleString('en-US');
  return [
    result(`papaparse and a bare client, ${rows} rows`, peer.cpuS, 's', null, peer.note),
    result(
      `upload of ${rows} rows`,
      all.cpuS,
      's',
      MOST * peer.cpuS,
      `limit: ${MOST} of the bare; ${all.note}`,
    ),
    result('upload of one row', first.cpuS, 's', null, first.note),
  ];
}
