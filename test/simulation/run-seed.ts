/** Runs a seed in a separate process. */
import { spawn } from 'node:child_process';
import { resolve as absolute } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ALL_ACTS } from './acts/acts.ts';
import type { Outcome } from './simulation.ts';

export type { Outcome } from './simulation.ts';
export const ACT_NAMES: readonly string[] = Object.keys(ALL_ACTS);

export interface Asked {
  seed: number;
  acts: number;
  /** Numbers of the actions to run, all if absent. */
  only?: readonly number[];
  /** Names of the actions that are chosen more often. */
  focus?: readonly string[];
  /** Folder with changed files of the product. */
  planted?: string;
  /** Whether the run ends at the first broken invariant. */
  endsAtFailure?: boolean;
  /** Folder of generated workspaces, if not the shared one. */
  workspaces?: string;
}

/** Cache of compiled modules, which all seeds share. */
const COMPILED = absolute(import.meta.dirname, '../../node_modules/.cache/spandeck/simulation-modules');

/** The CPU time is not part of the outcome, as it differs from run to run. */
const CPU_TIME = /^\{"cpuMs":(\d+)\}$/;
const OUTCOME = /^\{"seed":/;

/**
 * Rejects if the process ends without an outcome. `log` receives the story, and `onCpuMs` receives the CPU time of the
 * process in ms.
 */
export function runSeed(
  { seed, acts, only, focus = [], planted, endsAtFailure = false, workspaces }: Asked,
  log: ((line: string) => void) | null = null,
  onCpuMs: (cpuMs: number) => void = () => undefined,
): Promise<Outcome> {
  const script = fileURLToPath(new URL('./one.ts', import.meta.url));
  const given = ['--seed', String(seed), '--acts', String(acts)];
  if (only !== undefined) given.push('--only', only.join(','));
  if (focus.length > 0) given.push('--focus', focus.join(','));
  if (planted !== undefined) given.push('--planted', planted);
  if (endsAtFailure) given.push('--first');
  if (workspaces !== undefined) given.push('--workspaces', workspaces);
  if (log !== null) given.push('--story');
  const child = spawn(process.execPath, [script, ...given], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
  });
  return new Promise((resolve, reject) => {
    let outcome: Outcome | null = null;
    let problem = '';
    child.stderr.on('data', (bytes: Buffer) => {
      problem = (problem + bytes.toString()).slice(-4_000);
    });
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const cpuMs = CPU_TIME.exec(line)?.[1];
      if (cpuMs !== undefined) onCpuMs(Number(cpuMs));
      else if (OUTCOME.test(line)) outcome = JSON.parse(line) as Outcome;
      else log?.(line);
    });
    child.once('error', reject);
    lines.once('close', () => {
      if (outcome === null) reject(new Error(`Seed ${seed} ended without an outcome: ${problem}`));
      else resolve(outcome);
    });
  });
}
