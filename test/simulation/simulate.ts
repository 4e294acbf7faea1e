/**
 * `npm run simulate -- [--seeds N] [--hours H] [--from S] [--seed S] [--acts N] [--only 1,2,3] [--shrink] [--json
 * FILE]` runs seeds one after another, each in a separate process. After SIGTERM or Ctrl+C no further seed is started,
 * and the report follows. `--seed S` prints the story of one seed, and `--shrink` finds the shortest list of actions
 * that still fails. Ends with code 1 if an invariant was broken.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { JobKindId } from '../../electron/shared/job-contract.ts';
import type { JobPhase } from '../../electron/shared/job-kinds/job-kind.ts';
import { INVARIANTS } from './invariants.ts';
import { FAULTS } from './network.ts';
import { ACT_NAMES, type Outcome, runSeed } from './run-seed.ts';
import { shrink } from './shrink.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    hours: { type: 'string' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    acts: { type: 'string' },
    only: { type: 'string' },
    shrink: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
});
const HOUR_MS = 3_600_000;
const KINDS: readonly JobKindId[] = [
  ...(['upload', 'file', 'deletion', 'build', 'scores'] as const),
  ...(['items', 'bulk', 'outbox', 'keep-offline', 'export'] as const),
];
/** All phases that any kind of job can have. Most kinds have only some of them. */
const PHASES: readonly JobPhase[] = [
  ...(['draft', 'ready', 'running', 'waiting', 'paused', 'needs-decision'] as const),
  ...(['done', 'cancelled', 'failed'] as const),
];
/** By default the actions of a working day, and with `--hours` those of a week. */
const acts = Number(values.acts ?? (values.hours === undefined ? 1_200 : 6_000));
let cpuMs = 0;
const addCpuMs = (more: number): void => {
  cpuMs += more;
};
const write = (line: string): void => void process.stdout.write(`${line}\n`);

async function runMany(): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const first = Number(values.from);
  const hours = values.hours === undefined ? null : Number(values.hours);
  const seeds = Number(values.seeds ?? (hours === null ? 10 : Number.POSITIVE_INFINITY));
  let simulatedMs = 0;
  let isEnding = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      write('The current seed is the last one.');
      isEnding = true;
    });
  const isEnough = () => isEnding || (hours !== null && simulatedMs >= hours * HOUR_MS);
  for (let seed = first; seed < first + seeds && !isEnough(); seed += 1) {
    const outcome = await runSeed({ seed, acts }, null, addCpuMs).catch((problem: unknown) => {
      // Ctrl+C also ends the process of the seed.
      if (isEnding) return null;
      throw problem;
    });
    if (outcome === null) break;
    outcomes.push(outcome);
    simulatedMs += outcome.simulatedMs;
    const verdict = outcome.failures.length === 0 ? 'ok    ' : 'FAILED';
    write(
      `${verdict}  seed ${seed}: ${Math.round(outcome.simulatedMs / HOUR_MS)} h, ${outcome.steps} steps, ${outcome.hash.slice(0, 12)}`,
    );
    for (const { invariant, at, detail } of outcome.failures.slice(0, 3))
      write(`        ${at} ${invariant}: ${detail.slice(0, 300)}`);
  }
  return outcomes;
}

function added(
  outcomes: readonly Outcome[],
  of: (outcome: Outcome) => Record<string, number>,
): [string, number][] {
  const sums = new Map<string, number>();
  for (const outcome of outcomes)
    for (const [name, count] of Object.entries(of(outcome))) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].sort(([, first], [, second]) => second - first);
}

function report(outcomes: readonly Outcome[], tookMs: number): void {
  const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((total, each) => total + of(each), 0);
  const list = (pairs: [string, number][]) => pairs.map(([name, count]) => `${name} ${count}`).join(', ');
  const done = added(outcomes, (each) => each.acts);
  const idle = sum((each) => each.idleActs);
  const acted = done.reduce((total, [, count]) => total + count, 0) - idle;
  const steps = sum((each) => each.steps);
  write(
    `\n${outcomes.length} seeds, ${Math.round(sum((each) => each.simulatedMs) / HOUR_MS)} hours simulated in ${Math.round(tookMs / 1_000)} s: ${Math.round((acted / tookMs) * HOUR_MS)} acts an hour, ${Math.round((steps / tookMs) * 1_000)} steps a second`,
  );
  write(
    `CPU ${Math.round(cpuMs / 1_000)} s: ${Math.round(cpuMs / acted)} ms an act, ${Math.round((acted / cpuMs) * HOUR_MS)} acts a CPU hour`,
  );
  write(
    `acts ${acted}, and ${idle} that had nothing to act on; requests ${sum((each) => each.requests)}, steps ${steps}, starts ${sum((each) => each.starts)}, stops ${sum((each) => each.stops)}, kills ${sum((each) => each.kills)}`,
  );
  write(`invariants: ${INVARIANTS.length}`);
  write(`faults: ${list(added(outcomes, (each) => each.faults))}`);
  write(`refusals: ${list(added(outcomes, (each) => each.errors))}`);
  write(`acts: ${list(done)}`);
  write(`states of jobs: ${list(added(outcomes, (each) => each.jobStates)).replaceAll(/ \d+/g, '')}`);
  const notIn = (names: readonly string[], pairs: [string, number][]) => {
    const missing = names.filter((name) => !pairs.some(([known]) => known === name));
    return missing.length === 0 ? 'none' : missing.join(', ');
  };
  write(`acts never reached: ${notIn(ACT_NAMES, done)}`);
  write(
    `faults never reached: ${notIn(
      FAULTS,
      added(outcomes, (each) => each.faults),
    )}`,
  );
  const states = KINDS.flatMap((kind) => PHASES.map((state) => `${kind} ${state}`));
  write(
    `states of jobs never reached: ${notIn(
      states,
      added(outcomes, (each) => each.jobStates),
    )}`,
  );
  const failed = outcomes.filter(({ failures }) => failures.length > 0);
  write(`\n${outcomes.length - failed.length} passed, ${failed.length} failed`);
}

const startedAt = performance.now();
const only = values.only?.split(',').map(Number);
let outcomes: Outcome[];
if (values.seed === undefined) outcomes = await runMany();
else {
  const asked = { seed: Number(values.seed), acts, ...(only === undefined ? {} : { only }) };
  if (values.shrink) {
    const shortest = await shrink(asked, write);
    write(
      shortest === null
        ? 'It does not fail.'
        : `npm run simulate -- --seed ${asked.seed} --acts ${acts} --only ${shortest.join(',')}`,
    );
  }
  outcomes = [await runSeed(asked, values.shrink ? null : write, addCpuMs)];
}
if (values.seeds !== undefined || values.seed === undefined) report(outcomes, performance.now() - startedAt);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(outcomes, null, 2)}\n`);
process.exitCode = outcomes.some(({ failures }) => failures.length > 0) ? 1 : 0;
