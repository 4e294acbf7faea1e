/** A list of 1,000,000 rows x 20 columns: how long it takes to be written to a file. */
import type { BenchResult } from '../helpers/bench-result.ts';
import { exportLines } from '../helpers/export-bench.ts';

export async function run(): Promise<BenchResult[]> {
  return [...(await exportLines())];
}
