/** Datasets from spans, and scores of their items, for one connection. */
import { STOP_GRACE_MS } from '../jobs/types.ts';
import { BuildControl } from './build-control.ts';
import { createBuildJobs } from './build-jobs.ts';
import { BuildLedgers } from './build-ledger.ts';
import { createBuilds } from './builds.ts';
import { createItemJobs } from './items-jobs.ts';
import { buildSource } from './job-sources.ts';
import { createPresets } from './presets.ts';
import { createComparisons } from './run-comparisons.ts';
import { createScores } from './scores.ts';
import { Sweeper } from './sweeper.ts';
import type { DatasetOptions, Datasets, DatasetsDeps } from './types.ts';

/** Maximum number of score requests of one run in flight. */
export const MAX_SCORING = 4;
const DEFAULTS: DatasetOptions = { evidenceSettleMs: 30_000, pageRows: 500, maxScoring: MAX_SCORING };

/** Builds the parts for datasets and scores. Reads and sends nothing until it is used. */
export function createDatasets(given: DatasetsDeps): Datasets {
  const options = { ...DEFAULTS, ...given.options };
  const sweeper = new Sweeper(given);
  const closing = new AbortController();
  const deps = {
    ...{ ...given, options, ledgers: new BuildLedgers(given), tidyUp: () => sweeper.run() },
    closing: closing.signal,
  };
  const jobs = createBuildJobs(deps);
  const control = new BuildControl(deps, jobs);
  const builds = createBuilds(deps, jobs, control);
  const { scores, ...scoring } = createScores(deps);
  const { items, ...adding } = createItemJobs(deps);
  return {
    builds,
    scores,
    comparisons: createComparisons({
      scoreRun: (runId) => scores.get(runId),
      experiment: deps.experimentHere,
      ask: deps.askComparison,
    }),
    presets: createPresets(given),
    items,
    measureCoverage: (query) => given.measureCoverage(query, closing.signal),
    damaged: given.store.damaged,
    sources: [buildSource(builds, jobs), scoring.source, adding.source],
    recover: ({ continues }) => {
      jobs.recover(continues);
      scoring.recover(continues);
      adding.recover(continues);
      sweeper.run();
    },
    wake: () => {
      jobs.wake();
      scoring.wake();
      adding.wake();
    },
    stop: async (graceMs = STOP_GRACE_MS) => {
      closing.abort();
      await Promise.all([jobs.stop(graceMs), scoring.stop(graceMs), adding.stop(graceMs), sweeper.stop()]);
      deps.ledgers.stop();
    },
  };
}
