/**
 * How time and memory of each path grow with the size of the data: measured from 10,000 to 1,000,000 rows, with the
 * exponent of growth between the last two sizes. `GROWTH_SIZES=1000000,10000000` measures other sizes,
 * `GROWTH_PATHS=csv,library` only some paths.
 */
import { execFile } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { exponentOf, GROWTH_PATHS, type GrowthStep, growthStep } from '../helpers/growth-steps.ts';

const SCRIPT = join(import.meta.dirname, '../helpers/growth-path.ts');
const listed = (name: string, usual: readonly (string | number)[]): string[] =>
  process.env[name]?.split(',') ?? usual.map(String);
const SIZES = listed('GROWTH_SIZES', [10_000, 100_000, 1_000_000]).map(Number);
/** Sorting alone grows with n log n, which is an exponent of 1.08 from 100,000 to 1,000,000 rows. */
const MAX_EXPONENT = 1.1;
/** Minimum time in ms for which the exponent counts. In less time, the start of a thread or process dominates. */
const MIN_MS = 200;

async function stepsOf(path: string, size: number): Promise<GrowthStep[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', SCRIPT, path, String(size)]);
  return z.array(growthStep).parse(JSON.parse(stdout));
}

export async function run(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const path of listed('GROWTH_PATHS', GROWTH_PATHS)) {
    const measured: GrowthStep[][] = [];
    for (const size of SIZES) measured.push(await stepsOf(path, size));
    results.push(...(measured.at(-1) ?? []).map((last, at) => rowOf(path, last, measured, at)));
  }
  return results;
}

/** The exponent for the processor time of a step, with the figures of all sizes. */
function rowOf(path: string, last: GrowthStep, measured: readonly GrowthStep[][], at: number): BenchResult {
  const costs = SIZES.map((size, index): [number, number] => [size, measured[index]?.[at]?.cpuMs ?? NaN]);
  const [before, after] = [costs.at(-2), costs.at(-1)];
  const isLarge = (after?.[1] ?? 0) >= MIN_MS;
  const exponent = before === undefined || after === undefined ? NaN : exponentOf(before, after);
  const of = (read: (step: GrowthStep) => number) =>
    measured
      .map((steps) => {
        const step = steps[at];
        return step === undefined ? '-' : read(step).toFixed(read(step) < 10 ? 1 : 0);
      })
      .join(', ');
  const rows = SIZES.map((size) => size.toLocaleString('en-US')).join(' / ');
  const note = [
    `${of(({ cpuMs }) => cpuMs)} ms of processor time and ${of(({ ms }) => ms)} ms elapsed for ${rows} rows`,
    `${of(({ peakMb }) => peakMb)} MB`,
    ...(isLarge ? [] : ['too short for a limit']),
    `load ${(loadavg()[0] ?? 0).toFixed(1)}`,
  ].join('; ');
  return result(`${path}: ${last.step}`, exponent, 'exponent', isLarge ? MAX_EXPONENT : null, note);
}
