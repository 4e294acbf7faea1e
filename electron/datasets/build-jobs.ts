/** Builds as a kind of durable job. */
import { isIdle } from '../core/jobs/build-job.ts';
import { Jobs } from '../jobs/jobs.ts';
import { AppError } from '../shared/errors.ts';
import { type BuildLedger, type BuildLedgers, obstacleOf } from './build-ledger.ts';
import { BuildRunner } from './build-runner.ts';
import type { DatasetOptions, DatasetsDeps } from './types.ts';

export interface BuildDeps extends DatasetsDeps {
  options: DatasetOptions;
  ledgers: BuildLedgers;
}

export type BuildJobs = Jobs<BuildLedger>;

export function createBuildJobs(deps: BuildDeps): BuildJobs {
  const { store, ledgers, isReadOnly } = deps;
  return new Jobs(deps, {
    what: 'build',
    rows: store.builds,
    load: (buildId) => ledgers.get(buildId),
    run: (ledger) => new BuildRunner(deps, ledger),
    interrupt: (ledger) => interrupt(deps, ledger),
    resume: (ledger) => ledger.apply([{ type: 'resume' }]),
    isOpen: (state) => state === 'committing' || state === 'waiting',
    due: (ledger, nowMs) => {
      const obstacle = obstacleOf(ledger, isReadOnly());
      ledger.apply([obstacle === null ? { type: 'due', nowMs } : { type: 'miss', error: obstacle.toWire() }]);
    },
  });
}

/** Calls that were in flight when a process ended have an unknown outcome. */
function interrupt({ store }: BuildDeps, ledger: BuildLedger): boolean {
  const left = store.batches.list(ledger.id, ['sending'], 0, 1_000);
  const { state, tallies } = ledger.core;
  const isInterrupted = !isIdle(state);
  const { fill, ask, nextPosition } = ledger.stored;
  const isAtWork = fill?.phase === 'running' || ask?.phase === 'running';
  if (left.length === 0 && !isInterrupted && !isAtWork) return false;
  const error = new AppError('CONNECTION_LOST', 'The program ended before the answer came.', {
    outcome: 'unknown',
  }).toWire();
  const reason = 'It was interrupted: the program that was sending it ended.';
  ledger.apply(
    [
      { type: 'move', from: 'sending', to: 'unknown', count: tallies.sending },
      ...(isInterrupted ? [{ type: 'interrupt' as const, reason }] : []),
    ],
    {
      ...(fill?.phase === 'running' ? { fill: { ...fill, phase: 'interrupted' } } : {}),
      ...(ask?.phase === 'running' ? { ask: { ...ask, phase: 'due' } } : {}),
    },
    () => {
      for (const batch of left) store.batches.save(ledger.id, { ...batch, state: 'unknown', error });
      store.spans.move(ledger.id, { from: 'sending', to: 'unknown' }, 0, nextPosition);
    },
  );
  return true;
}
