/**
 * `npm run bench [-- NAME] [--json FILE] [--compare FILE]`: runs the files of this folder, or the named one, and prints
 * each figure with its limit and the ratio of the two, and with the figure of an earlier run that `--json` wrote.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import {
  changeText,
  type EarlierRun,
  type Machine,
  machineChange,
  readEarlier,
} from '../helpers/bench-compare.ts';
import type { BenchResult } from '../helpers/bench-result.ts';

export type { BenchResult } from '../helpers/bench-result.ts';

function readable(value: number | null): string {
  if (value === null) return '-';
  if (Number.isNaN(value)) return 'cannot';
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value.toPrecision(Math.abs(value) >= 1_000 ? 5 : 4);
}

function print(bench: string, results: readonly BenchResult[], earlier: EarlierRun | null): void {
  const rows = results.map((one) => [
    one.name,
    `${readable(one.figure)} ${one.unit}`,
    one.limit === null ? '-' : `${readable(one.limit)} ${one.unit}`,
    readable(one.ratio),
    ...(earlier === null ? [] : [changeText(earlier, bench, one)]),
    one.note,
  ]);
  const header = ['figure of', 'figure', 'limit', 'ratio', ...(earlier === null ? [] : ['before']), 'note'];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === header.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ');
  console.log(`\n${bench}`);
  console.log(line(header));
  for (const row of rows) console.log(line(row));
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'string' }, compare: { type: 'string' } },
  });
  const known = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
  const asked = positionals.length === 0 ? known : positionals;
  // `datasets` includes `datasets.coverage`.
  const wanted = known.filter((name) => asked.some((each) => name === each || name.startsWith(`${each}.`)));
  const unknown = asked.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`No benchmark ${unknown.join(', ')}. There is: ${known.join(', ')}.`);
    process.exitCode = 1;
    return;
  }
  const machine: Machine = {
    cpu: cpus()[0]?.model ?? '',
    cores: cpus().length,
    system: release(),
    node: process.version,
  };
  const earlier = values.compare === undefined ? null : readEarlier(readFileSync(values.compare, 'utf8'));
  const difference = earlier === null ? null : machineChange(earlier.machine, machine);
  if (difference !== null) console.log(difference);
  const all: Record<string, BenchResult[]> = {};
  for (const name of wanted) {
    const module: { run: () => Promise<BenchResult[]> } = await import(
      pathToFileURL(join(import.meta.dirname, `${name}.ts`)).href
    );
    all[name] = await module.run();
    print(name, all[name], earlier);
  }
  if (values.json === undefined) return;
  writeFileSync(values.json, `${JSON.stringify({ machine, results: all }, null, 2)}\n`);
}

if (import.meta.main) await main();
