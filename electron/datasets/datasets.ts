/** Datasets from spans and scores of their items, for one connection. */
import { BuildControl } from './build-control.ts';
import { BuildLedgers } from './build-ledger.ts';
import { BuildWorks } from './build-works.ts';
import { createBuilds } from './builds.ts';
import { createScores } from './scores.ts';
import { Sweeper } from './sweeper.ts';
import type { DatasetOptions, Datasets, DatasetsDeps } from './types.ts';

/** Score requests of one run on their way at once. */
export const MOST_SCORING = 4;
const DEFAULTS: DatasetOptions = { evidenceSettleMs: 30_000, pageRows: 500, maxScoring: MOST_SCORING };
const STOP_GRACE_MS = 2_000;

/** Nothing is read or sent before it is asked for. */
export function createDatasets(given: DatasetsDeps): Datasets {
  const options = { ...DEFAULTS, ...given.options };
  const sweeper = new Sweeper(given);
  const deps = { ...given, options, ledgers: new BuildLedgers(given), tidyUp: () => sweeper.run() };
  const works = new BuildWorks(deps);
  const control = new BuildControl(deps, works);
  const builds = createBuilds(deps, works, control);
  const { scores, ...scoring } = createScores(deps);
  return {
    builds,
    scores,
    damaged: given.store.damaged,
    planned: [
      control.planned.source(
        (buildId, action, startAtMs) => control.act(buildId, action, startAtMs),
        (buildId) => builds.plan(buildId),
      ),
      scoring.planned,
    ],
    recover: ({ continues }) => {
      works.recover(continues);
      scoring.recover(continues);
      if (continues) control.planned.starts.lookAfterAll();
      sweeper.run();
    },
    wake: () => {
      works.wake();
      control.planned.starts.wake();
      scoring.wake();
    },
    stop: async (graceMs = STOP_GRACE_MS) => {
      control.planned.starts.stop();
      await Promise.all([works.stop(graceMs), scoring.stop(graceMs), sweeper.stop()]);
      deps.ledgers.stop();
    },
  };
}
