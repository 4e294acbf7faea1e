/** Builds and score runs as jobs, behind the channels `jobs:*`. */
import { type JobSource, type Listing, ownAction } from '../jobs/source.ts';
import type { BuildChange } from '../shared/dataset-contract.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { buildAsJob } from '../shared/job-kinds/build.ts';
import { scoresAsJob } from '../shared/job-kinds/scores.ts';
import type { Builds, Scores } from './types.ts';

const RUN_ACTIONS = {
  start: 'resume',
  pause: 'pause',
  resume: 'resume',
  retry: 'retry',
  schedule: 'schedule',
  // The job keeps its state and waits for a person.
  unschedule: 'unschedule',
} as const;

export function scoreSource(scores: Scores, jobs: Listing): JobSource<'scores'> {
  return {
    kind: 'scores',
    jobs,
    get: (id) => scoresAsJob(scores.get(id)),
    create: async ({ scores: plan, expectedItems }, startAtMs) =>
      scoresAsJob(await scores.create(plan, { startAtMs, expectedItems: expectedItems ?? null })),
    control: (id, action, startAtMs) =>
      scoresAsJob(scores.control(id, ownAction(RUN_ACTIONS, action), startAtMs)),
    parts: (id, { states, offset, limit }) => {
      const { results: parts, total } = scores.listResults(id, { show: states?.[0] ?? 'all', offset, limit });
      return { parts, total };
    },
    whenRest: (id) => scores.whenIdle(id),
    forget: (id) => scores.forget(id),
    fileName: (_id, what) => (what === 'experiment' ? 'results.jsonl' : 'scores.csv'),
    writeFile: (id, what, path) =>
      what === 'experiment' ? scores.writeResults(id, path) : scores.writeFile(id, path),
  };
}

const BUILD_FILES = {
  receipts: 'receipts.csv',
  unresolved: 'spans-not-found.csv',
  items: 'items.jsonl',
  review: 'review.csv',
  spans: 'spans-to-review.jsonl',
  verdicts: 'verdicts.jsonl',
} as const;

const BUILD_ACTIONS = {
  pause: 'pause',
  resume: 'resume',
  cancel: 'cancel',
  schedule: 'schedule',
  unschedule: 'unschedule',
  'gather-evidence': 'gather-evidence',
  verify: 'verify',
} as const;

export function buildSource(builds: Builds, jobs: Listing): JobSource<'build'> {
  const asJob = (build: DatasetBuild) => buildAsJob(build, () => builds.plan(build.buildId).requests);
  return {
    kind: 'build',
    jobs,
    get: (id) => asJob(builds.get(id)),
    plan: ({ id }) => builds.plan(id),
    create: async (plan) => asJob('copyOf' in plan ? await builds.copy(plan.copyOf) : builds.create(plan)),
    change: (id, change) => changeBuild(builds, id, change),
    control: async (id, action, startAtMs) => {
      if (action === 'stop-picking') return asJob(builds.stopPicking(id));
      if (action === 'restore') return asJob(builds.restore(id));
      if (action !== 'start')
        return asJob(await builds.control(id, ownAction(BUILD_ACTIONS, action), startAtMs));
      const first = builds.get(id).state === 'editing' ? 'commit' : 'resume';
      return asJob(await builds.control(id, first));
    },
    decide: async (id, part, decision) => asJob(await builds.decideBatch(id, part, decision)),
    parts: (id, { states, offset, limit }) => {
      const { batches: parts, total } = builds.listBatches(id, offset, limit, states);
      return { parts, total };
    },
    whenRest: (id) => builds.whenIdle(id),
    forget: (id) => builds.softDelete(id),
    fileName: (_id, what) => BUILD_FILES[what],
    writeFile: (id, what, path) => builds.writeFile(id, what, path),
  };
}

function changeBuild(builds: Builds, buildId: string, change: BuildChange): unknown {
  switch (change.type) {
    case 'settings':
      return builds.change(buildId, change.patch);
    case 'pick-all':
      return builds.pickAll(buildId, change.source);
    case 'ask':
      return builds.ask(buildId);
    case 'pick-of':
      return builds.pickOf(buildId, change.fromId, change.positions);
    case 'unpick':
      return builds.unpick(buildId, change.spans, change.continues);
    case 'step':
      return builds.step(buildId, change.direction);
    case 'exclude':
      return builds.exclude(buildId, change.positions, change.isExcluded);
    case 'find-near-duplicates':
      return builds.findNearDuplicates(buildId, change.threshold, change.skips);
    case 'settle-unresolved':
      return builds.settleUnresolved(buildId, change.action, change.marginMs);
    case 'review':
      return builds.addReview(buildId, change.seq, change.events);
  }
}
