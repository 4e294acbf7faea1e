/**
 * `npm run bench [-- NAME] [--json FILE] [--compare FILE] [--page]`: runs the benchmarks of this folder, or the named
 * one. Prints each figure with its limit and the ratio of the two; `--compare` adds the figure of an earlier run that
 * `--json` wrote. `--page` puts the figures into `figures.json`, and writes docs/benchmarks.md from it.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { DOCUMENT_PARTS, FIGURES, withPart } from '../coverage/documents.ts';
import { changeText, type EarlierRun, machineChange, readEarlier } from '../helpers/bench-compare.ts';
import { type Machine, readable, readFigures, withRun } from '../helpers/bench-figures.ts';
import type { BenchResult } from '../helpers/bench-result.ts';

export type { BenchResult } from '../helpers/bench-result.ts';

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
    options: { json: { type: 'string' }, compare: { type: 'string' }, page: { type: 'boolean' } },
  });
  const known = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
  const asked = positionals.length === 0 ? known : positionals;
  // `datasets` also selects `datasets.coverage`.
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
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine, results: all }, null, 2)}\n`);
  if (values.page === true) writePage(machine, all);
}

function writePage(machine: Machine, results: Record<string, BenchResult[]>): void {
  const before = existsSync(FIGURES) ? readFigures(readFileSync(FIGURES, 'utf8')) : null;
  const figures = withRun(before, machine, results, new Date().toISOString().slice(0, 10));
  writeFileSync(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);
  for (const part of DOCUMENT_PARTS.filter(({ name }) => name === 'figures')) {
    const file = join(import.meta.dirname, '../..', part.file);
    writeFileSync(file, withPart(readFileSync(file, 'utf8'), part));
  }
}

if (import.meta.main) await main();
