/**
 * Runs one simulation in this process: `one.ts --seed S --acts N [--only 1,2,3] [--focus NAME,NAME] [--first]
 * [--workspaces FOLDER] [--planted FOLDER] [--story] [--steps]`. Prints the CPU time and the outcome as JSON.
 */

import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepareProcess } from './prepare.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    acts: { type: 'string', default: '100' },
    only: { type: 'string' },
    focus: { type: 'string', default: '' },
    first: { type: 'boolean', default: false },
    workspaces: { type: 'string' },
    planted: { type: 'string' },
    steps: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const memory = '/dev/shm';
const folder = join(existsSync(memory) ? memory : tmpdir(), `spandeck-simulation-${process.pid}`);
// The simulated computer has a separate folder for temporary files, and deletes no others.
process.env['TMPDIR'] = join(folder, 'temporary');
mkdirSync(process.env['TMPDIR'], { recursive: true });
const prepared = prepareProcess(seed, values.planted ?? null);
// Loaded before the simulation begins, as loading takes real time.
await import('undici');
const { planActs, simulate } = await import('./simulation.ts');
const { WORKSPACES } = await import('../helpers/workspaces.ts');
const only = values.only === undefined ? null : new Set(values.only.split(',').map(Number));
const focus = values.focus === '' ? [] : values.focus.split(',');
const acts = planActs(seed, Number(values.acts), focus).filter(
  ({ number }) => only === null || only.has(number),
);
if (values.story) prepared.world.log = (line) => process.stdout.write(`${line}\n`);
prepared.world.logsSteps = values.steps;
const outcome = await simulate(prepared, acts, join(folder, 'computer'), {
  endsAtFailure: values.first,
  imageFolder: values.workspaces ?? WORKSPACES,
});
rmSync(folder, { recursive: true, force: true });
const { user, system } = process.cpuUsage();
process.stdout.write(`${JSON.stringify({ cpuMs: Math.round((user + system) / 1_000) })}\n`);
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit());
