/** Runs a seed in a process of its own. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ACTS } from './acts/acts.ts';
import type { Outcome } from './simulation.ts';

export type { Outcome } from './simulation.ts';
export const ACT_NAMES: readonly string[] = Object.keys(ACTS);

export interface Asked {
  seed: number;
  acts: number;
  /** Numbers of the actions to run; all if absent. */
  only?: readonly number[];
  /** Another copy of the project. */
  project?: string;
}

const OUTCOME = /^\{"seed":/;

/** Rejects if the process ends without an outcome. `log` receives the story. */
export function runSeed(
  { seed, acts, only, project }: Asked,
  log: ((line: string) => void) | null = null,
): Promise<Outcome> {
  const script =
    project === undefined
      ? fileURLToPath(new URL('./one.ts', import.meta.url))
      : `${project}/test/simulation/one.ts`;
  const given = ['--seed', String(seed), '--acts', String(acts)];
  if (only !== undefined) given.push('--only', only.join(','));
  if (log !== null) given.push('--story');
  const child = spawn(process.execPath, [script, ...given], { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let outcome: Outcome | null = null;
    let problem = '';
    child.stderr.on('data', (bytes: Buffer) => {
      problem = (problem + bytes.toString()).slice(-4_000);
    });
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      if (OUTCOME.test(line)) outcome = JSON.parse(line) as Outcome;
      else log?.(line);
    });
    child.once('error', reject);
    lines.once('close', () => {
      if (outcome === null) reject(new Error(`Seed ${seed} ended without an outcome: ${problem}`));
      else resolve(outcome);
    });
  });
}
