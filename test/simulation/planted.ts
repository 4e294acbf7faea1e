/**
 * `node test/simulation/planted.ts [--seeds N] [--acts N] [--focus ACT,ACT] [--json FILE] [NAME …]` shows that the
 * simulation finds faults. Each patch of `planted/` is applied alone, and seeds are run until an invariant breaks,
 * first the run in `planted/runs.json` that found the fault before. The control run, which is the same seed without the
 * patch, must break no invariant. Ends with code 1 if a fault was not found.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { type Asked, runSeed } from './run-seed.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const PATCHES = join(import.meta.dirname, 'planted');
const CHANGED_FILE = /^\+\+\+ b\/(.+)$/gm;
const MAX_DETAIL = 110;

const run = z.object({ seed: z.int(), acts: z.int(), focus: z.array(z.string()).default([]) });
type PlantedRun = z.infer<typeof run>;
/** The run that found each fault. */
const KNOWN = z.record(z.string(), run).parse(JSON.parse(readFileSync(join(PATCHES, 'runs.json'), 'utf8')));

const { values, positionals } = parseArgs({
  options: {
    seeds: { type: 'string', default: '8' },
    acts: { type: 'string', default: '200' },
    focus: { type: 'string', default: '' },
    json: { type: 'string' },
  },
  allowPositionals: true,
});
const write = (line: string): void => void process.stdout.write(`${line}\n`);

interface Failure {
  invariant: string;
  detail: string;
}

interface Finding extends PlantedRun, Failure {
  name: string;
  /** Time in seconds of the run with the patch. */
  seconds: number;
}

function runsOf(name: string): PlantedRun[] {
  const known = KNOWN[name];
  const acts = Number(values.acts);
  const focus = values.focus === '' ? (known?.focus ?? []) : values.focus.split(',');
  const others = Array.from({ length: Number(values.seeds) }, (_, seed) => ({ seed: seed + 1, acts, focus }));
  return known === undefined || values.focus !== '' ? others : [known, ...others];
}

async function firstFailure(asked: Asked): Promise<Failure | null> {
  try {
    return (await runSeed({ ...asked, endsAtFailure: true })).failures[0] ?? null;
  } catch (problem) {
    const detail = problem instanceof Error ? problem.message : String(problem);
    return { invariant: 'a simulation has an outcome', detail };
  }
}

/** Failures of control runs, which several faults share. */
const controls = new Map<string, Promise<Failure | null>>();

function control(run: PlantedRun): Promise<Failure | null> {
  const key = JSON.stringify(run);
  const known = controls.get(key) ?? firstFailure(run);
  controls.set(key, known);
  return known;
}

/** The first run that breaks an invariant with the patch but not without it, null if there is none. */
async function find(name: string, planted: string): Promise<Finding | null> {
  for (const each of runsOf(name)) {
    const startedAt = performance.now();
    const failure = await firstFailure({ ...each, planted });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    if (failure === null) continue;
    const unpatched = await control(each);
    if (unpatched === null) return { name, ...each, ...failure, seconds };
    write(`control run of seed ${each.seed} failed: ${unpatched.invariant}: ${shortened(unpatched.detail)}`);
  }
  return null;
}

const shortened = (detail: string): string => detail.split('\n')[0]?.slice(0, MAX_DETAIL) ?? '';

/** Applies a patch to copies of the files that it changes, and finds a run for it. */
async function plant(name: string): Promise<Finding | null> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-planted-'));
  try {
    const patch = join(PATCHES, `${name}.patch`);
    for (const [, file = ''] of readFileSync(patch, 'utf8').matchAll(CHANGED_FILE))
      cpSync(join(PROJECT, file), join(folder, file));
    execFileSync('git', ['apply', '-C1', patch], { cwd: folder });
    return await find(name, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const names = readdirSync(PATCHES)
  .filter((file) => file.endsWith('.patch'))
  .map((file) => basename(file, '.patch'))
  .filter((name) => positionals.length === 0 || positionals.includes(name))
  .sort((first, second) => (KNOWN[first]?.acts ?? 0) - (KNOWN[second]?.acts ?? 0));
const width = Math.max(...names.map(({ length }) => length));
const findings: Finding[] = [];
for (const name of names) {
  const found = await plant(name);
  if (found === null) write(`not found  ${name}`);
  else {
    findings.push(found);
    const { seed, acts, focus, invariant, detail, seconds } = found;
    const focused = focus.length === 0 ? '' : ` (${focus.join(', ')})`;
    write(
      `found      ${name.padEnd(width)}  seed ${seed} of ${acts} acts${focused}, ${seconds} s: ${invariant}`,
    );
    write(`           ${shortened(detail)}`);
  }
}
write(`${findings.length} of ${names.length} found`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(findings, null, 2)}\n`);
process.exitCode = findings.length === names.length ? 0 : 1;
