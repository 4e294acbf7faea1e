/** Jobs of all kinds, computed from the fake uploads, deletions, builds and changes. */
import type { InvokeResults, ParsedArgs } from '../../../electron/shared/contract.ts';
import type { BuildChange } from '../../../electron/shared/dataset-contract.ts';
import type { DatasetBuild } from '../../../electron/shared/dataset-model.ts';
import type { Job, JobKindId, JobPage } from '../../../electron/shared/job-contract.ts';
import { buildAsJob } from '../../../electron/shared/job-kinds/build.ts';
import { bulkAsJob } from '../../../electron/shared/job-kinds/bulk.ts';
import { deletionAsJob } from '../../../electron/shared/job-kinds/deletion.ts';
import { exportAsJob } from '../../../electron/shared/job-kinds/export.ts';
import { itemsAsJob } from '../../../electron/shared/job-kinds/items.ts';
import { keepAsJob } from '../../../electron/shared/job-kinds/keep-offline.ts';
import { mirrorAsJob } from '../../../electron/shared/job-kinds/mirror.ts';
import { outboxAsJob } from '../../../electron/shared/job-kinds/outbox.ts';
import { scoresAsJob } from '../../../electron/shared/job-kinds/scores.ts';
import { uploadAsJob } from '../../../electron/shared/job-kinds/upload.ts';
import * as builds from './builds.ts';
import * as bulk from './bulk.ts';
import * as exports from './exports.ts';
import * as items from './items.ts';
import * as kept from './kept.ts';
import { UNREACHABLE } from './lists.ts';
import * as mirrors from './mirrors.ts';
import * as outbox from './outbox.ts';
import { scenario } from './scenario.ts';
import * as scores from './scores.ts';
import { checkTold } from './sent-before.ts';
import * as uploads from './uploads.ts';

const all = (): Job[] => [
  ...uploads.listJobs().map(uploadAsJob),
  ...uploads.listDeletions().map(deletionAsJob),
  ...builds.list().map((build) => buildAsJob(build, () => builds.plan(build.buildId).requests)),
  ...bulk.list().map(bulkAsJob),
  ...outbox.list().map(outboxAsJob),
  ...kept.all().map(keepAsJob),
  ...exports.all().map(exportAsJob),
  ...mirrors.all().map(mirrorAsJob),
  ...items.all().map(itemsAsJob),
  ...scores.all().map(scoresAsJob),
];

export function list({ kinds, states, offset, limit }: ParsedArgs<'jobs:list'>): JobPage {
  const jobs = all()
    .filter(({ kind }) => kinds === null || kinds.includes(kind))
    .filter(({ state }) => states === null || states.includes(state));
  const failures: JobPage['failures'] =
    scenario.kept === 'failed' ? [{ kind: 'keep-offline', error: UNREACHABLE }] : [];
  return { jobs: jobs.slice(offset, offset + limit), total: jobs.length, failures };
}

/** Throws if there is no such job. */
function find(kind: JobKindId, id: string): Job {
  const found = all().find((job) => job.kind === kind && job.id === id);
  if (found === undefined) throw new Error(`There is no ${kind} ${id}.`);
  return found;
}

export function plan(asked: ParsedArgs<'jobs:plan'>): InvokeResults['jobs:plan'] {
  if (asked.kind === 'build') return builds.plan(asked.id);
  if (asked.kind === 'deletion') return uploads.planUndo(asked.uploadId, asked.startAtMs ?? null);
  if (asked.kind === 'items') return items.check(asked.plan);
  if (asked.kind === 'keep-offline') return kept.estimate(asked.plan);
  return items.lookAtWhole();
}

export function create(given: ParsedArgs<'jobs:create'>): Job {
  if (given.kind === 'bulk') return bulkAsJob(bulk.create(given.plan, given.startAtMs ?? null));
  if (given.kind === 'keep-offline') return keepAsJob(kept.create(given.plan));
  if (given.kind === 'items') {
    checkTold(given.plan.told);
    return itemsAsJob(items.create(given.plan.items, given.startAtMs ?? null));
  }
  if (given.kind === 'upload') {
    checkTold(given.plan.told);
    return find('upload', 'job-1');
  }
  if (given.kind === 'mirror') return mirrorAsJob(mirrors.create(given.plan));
  if (given.kind === 'export') return exportAsJob(exports.create(given.plan));
  if (given.kind === 'outbox') return outboxAsJob(outbox.put(given.plan));
  if (given.kind === 'build' && 'name' in given.plan) {
    return find('build', builds.create(given.plan).buildId);
  }
  throw new Error(`No made-up ${given.kind} can be created.`);
}

export function change(asked: ParsedArgs<'jobs:change'>): InvokeResults['jobs:change'] {
  switch (asked.kind) {
    case 'build':
      changeBuild(asked.id, asked.change);
      break;
    case 'outbox':
      outbox.edit(asked.id, asked.change.body);
      break;
    case 'keep-offline':
      kept.setRefresh(asked.id, asked.change.refreshHours);
  }
  return find(asked.kind, asked.id) as InvokeResults['jobs:change'];
}

function changeBuild(id: string, change: BuildChange): unknown {
  switch (change.type) {
    case 'settings':
      return builds.change(id, change.patch as Partial<DatasetBuild>);
    case 'pick-all':
      return builds.pickAll(id, change.source);
    case 'pick-of':
      return builds.pickOf(id, change.fromId, change.positions);
    case 'ask':
      return builds.change(id, {});
    case 'unpick':
      return builds.unpick(id, change.spans);
    case 'step':
      return builds.step(id, change.direction);
    case 'exclude':
      return builds.exclude(id, change.positions, change.isExcluded);
    case 'find-near-duplicates':
      return builds.findNearDuplicates(id, change.threshold, change.skips);
    case 'settle-unresolved':
      return builds.change(id, {});
    case 'review':
      return builds.addReview(id, change.seq, change.events);
  }
}

export function control({ kind, id, action, startAtMs = null }: ParsedArgs<'jobs:control'>): Job {
  if (kind === 'upload') uploads.control(id, action, startAtMs);
  if (kind === 'deletion') uploads.controlDeletion(id, action, startAtMs);
  if (kind === 'build') builds.control(id, action, startAtMs);
  if (kind === 'outbox') outbox.control(id, action, startAtMs);
  if (kind === 'bulk') bulk.control(id, action, startAtMs);
  if (kind === 'keep-offline') kept.control(id, action);
  if (kind === 'export') exports.control(id, action);
  if (kind === 'mirror') mirrors.control(id, action);
  if (kind === 'items') items.control(action);
  return find(kind, id);
}

export function repeat({ kind, id, change }: ParsedArgs<'jobs:repeat'>): Job {
  if (kind !== 'mirror') throw new Error(`No made-up ${kind} repeats.`);
  return mirrorAsJob(mirrors.repeat(id, change));
}

export function decide({ kind, id, decision }: ParsedArgs<'jobs:decide'>): Job {
  if (kind === 'outbox') outbox.decide(id, decision);
  return find(kind, id);
}

export function parts(asked: ParsedArgs<'jobs:parts'>): InvokeResults['jobs:parts'] {
  if (asked.kind === 'upload') return uploads.listBatches(asked.id, asked.offset, asked.limit);
  if (asked.kind === 'scores') return scores.results(asked.states);
  return asked.kind === 'bulk' ? bulk.listItems(asked.id, asked) : { parts: [], total: 0 };
}

export function forget({ kind, id }: ParsedArgs<'jobs:forget'>): null {
  if (kind === 'keep-offline') kept.forget(id);
  else if (kind === 'export') exports.forget(id);
  else if (kind === 'mirror') mirrors.forget(id);
  else if (kind === 'build') builds.forget(id);
  else bulk.forget(id);
  return null;
}

export function save({ kind, id }: ParsedArgs<'jobs:save'>): {
  fileName: string;
  rows: number;
  notes?: string[];
} {
  if (kind === 'export') return exports.save(id);
  if (kind === 'mirror') return mirrors.save(id);
  if (kind === 'scores') return { fileName: 'results.jsonl', rows: 60, notes: ['2 items not scored yet.'] };
  throw new Error(`No file of a made-up ${kind} is saved.`);
}

/** All jobs that have changed, in the form of an event of the main process. */
export function changesSince(before: readonly Job[]): { kind: JobKindId; id: string; job: Job | null }[] {
  const keyOf = ({ kind, id }: Job) => `${kind} ${id}`;
  const known = new Map(before.map((job) => [keyOf(job), JSON.stringify(job)]));
  const jobs = all();
  const present = new Set(jobs.map(keyOf));
  const changed = jobs.filter((job) => known.get(keyOf(job)) !== JSON.stringify(job));
  const gone = before.filter((job) => !present.has(keyOf(job)));
  return [
    ...gone.map(({ kind, id }) => ({ kind, id, job: null })),
    ...changed.map((job) => ({ kind: job.kind, id: job.id, job })),
  ];
}

export const now = (): Job[] => structuredClone(all());
