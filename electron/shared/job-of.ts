/** The state of a job of each kind, in the common terms of all jobs. Pure. */
import type { BulkAct } from './bulk-contract.ts';
import type { DatasetBuild } from './dataset-model.ts';
import type { ExportJob } from './export-model.ts';
import { type ItemsJob, itemsTitle } from './items-model.ts';
import type { Job, JobHead, JobKindId, JobPhase, PlannedRequest } from './job-contract.ts';
import { hasJobSucceeded, isJobOver } from './job-status.ts';
import type { Kept } from './keep-model.ts';
import type { OutboxEntry } from './outbox-model.ts';
import type { ScoreRun } from './score-model.ts';
import type { EventDeletion, UploadJob } from './upload-model.ts';
import type { WholeFile, WholeFileState } from './whole-file-contract.ts';

type Planned = Pick<JobHead<JobKindId>, 'startAtMs'>;

/** The requests matter only for an automatic start. */
const ifPlanned = ({ startAtMs }: Planned, requests: () => PlannedRequest[]): PlannedRequest[] =>
  startAtMs === null ? [] : requests();

export const UPLOAD_STATES: Readonly<Record<UploadJob['state'], JobPhase>> = {
  ready: 'ready',
  scheduled: 'ready',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  'needs-decision': 'needs-decision',
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
};

export function uploadAsJob(own: UploadJob): Job<'upload'> {
  const { jobId: id, fileName: title, state, reason, error, counts, batches, plan } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  const operation = plan.mode === 'publish' ? 'events.publish' : 'events.update';
  // Rows are counted only after the file has been read; smaller batches after a rejection are not predicted.
  const count = () => Math.max(1, Math.ceil((counts.unsent || counts.rows) / plan.batchRows));
  return {
    ...{ kind: 'upload', id, title, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    state: UPLOAD_STATES[state],
    progress: { done: counts.rows - counts.unsent, total: counts.rows === 0 ? null : counts.rows },
    unknown: batches.unknown,
    requests: ifPlanned(own, () => [{ operation, count: count() }]),
    of: null,
  };
}

export const FILE_STATES: Readonly<Record<WholeFileState, JobPhase>> = {
  scheduled: 'ready',
  following: 'running',
  publishing: 'running',
  sending: 'running',
  uploaded: 'done',
  done: 'done',
  unknown: 'failed',
  failed: 'failed',
  interrupted: 'paused',
  cancelled: 'cancelled',
};

/** `requests`: the requests needed for sending it. */
export function fileAsJob(own: WholeFile, requests: () => PlannedRequest[]): Job<'file'> {
  const { id, name: title, state, error, startAtMs, lateStart, startedAtMs, endedAtMs } = own;
  return {
    ...{ kind: 'file', id, title, error, startAtMs, lateStart, endedAtMs, own },
    state: FILE_STATES[state],
    reason: '',
    progress: { done: own.partsSent, total: own.parts },
    unknown: state === 'unknown' ? 1 : 0,
    requests: ifPlanned(own, requests),
    of: null,
    createdAtMs: startedAtMs,
  };
}

/** States of this application; all others show the status of the service's task. */
export const DELETION_STATES = {
  scheduled: 'ready',
  sending: 'running',
  'not-sent': 'failed',
  refused: 'failed',
  unknown: 'failed',
  /** The service accepted it and does not report its job. */
  accepted: 'done',
  cancelled: 'cancelled',
} as const satisfies Record<string, JobPhase>;

export function isOwnDeletionState(status: string): status is keyof typeof DELETION_STATES {
  return Object.hasOwn(DELETION_STATES, status);
}

export function deletionAsJob(own: EventDeletion): Job<'deletion'> {
  const { deletionId: id, what: title, status, progress, error, atMs, startAtMs, lateStart } = own;
  const ended: JobPhase = hasJobSucceeded(status) ? 'done' : 'failed';
  const taskState: JobPhase = isJobOver(status) ? ended : 'running';
  return {
    ...{ kind: 'deletion', id, title, error, startAtMs, lateStart, own },
    state: isOwnDeletionState(status) ? DELETION_STATES[status] : taskState,
    reason: '',
    progress: { done: progress ?? 0, total: progress === null ? null : 100 },
    unknown: status === 'unknown' ? 1 : 0,
    requests: ifPlanned(own, () => [{ operation: 'events.delete', count: 1 }]),
    of: null,
    createdAtMs: atMs,
    endedAtMs: null,
  };
}

export const BUILD_STATES: Readonly<Record<DatasetBuild['state'], JobPhase>> = {
  editing: 'draft',
  committing: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'failed',
  'needs-decision': 'needs-decision',
  done: 'done',
  cancelled: 'cancelled',
};

/** `requests`: its remaining requests. */
export function buildAsJob(own: DatasetBuild, requests: () => PlannedRequest[]): Job<'build'> {
  const { buildId: id, name: title, state, reason, error, counts, batches } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  const total = counts.picked - counts.excluded - counts.added;
  return {
    ...{ kind: 'build', id, title, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    state: BUILD_STATES[state],
    progress: { done: counts.acknowledged + counts.givenUp, total },
    unknown: batches.unknown,
    requests: ifPlanned(own, requests),
    of: null,
  };
}

export const RUN_STATES: Readonly<Record<ScoreRun['state'], JobPhase>> = {
  reading: 'running',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'failed',
  done: 'done',
};

export function scoresAsJob(own: ScoreRun): Job<'scores'> {
  const { runId: id, plan, state, reason, error, counts, expectedItems } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  // Reading the items takes one request for each page, which is few compared with one for each item.
  const count = () => counts.unscored || (expectedItems ?? 1);
  return {
    ...{ kind: 'scores', id, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: own.name,
    state: RUN_STATES[state],
    progress: { done: counts.items - counts.unscored, total: counts.items === 0 ? null : counts.items },
    unknown: 0,
    requests: ifPlanned(own, () => [{ operation: 'evaluators.score', count: count() }]),
    of: { id: plan.datasetId, name: plan.datasetName },
  };
}

export const BULK_STATES: Readonly<Record<BulkAct['state'], JobPhase>> = {
  scheduled: 'ready',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'cancelled',
  done: 'done',
};

export function bulkAsJob(own: BulkAct): Job<'bulk'> {
  const { bulkId: id, words, state, reason, error, counts, total, operation, requestsLeft } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  return {
    ...{ kind: 'bulk', id, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: words.title,
    state: BULK_STATES[state],
    progress: { done: counts.done + counts.failed + counts.unknown + counts.left, total },
    unknown: counts.unknown,
    requests: ifPlanned(own, () => [{ operation, count: requestsLeft }]),
    of: null,
  };
}

export function keepAsJob(own: Kept): Job<'keep-offline'> {
  const { keptId: id, plan, state, reason, error, counts } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  return {
    ...{ kind: 'keep-offline', id, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: plan.name,
    state,
    progress: { done: counts.read + counts.failed, total: counts.questions },
    unknown: 0,
    requests: [],
    of: { id: plan.id, name: plan.name },
  };
}

export function outboxAsJob(own: OutboxEntry): Job<'outbox'> {
  const { entryId: id, title, state, reason, error, request, sentAtMs } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  return {
    ...{ kind: 'outbox', id, title, state, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    progress: { done: state === 'done' ? 1 : 0, total: 1 },
    unknown: sentAtMs === null || state === 'running' ? 0 : 1,
    requests: ifPlanned(own, () => [{ operation: request.operation, count: 1 }]),
    of: null,
  };
}

export function exportAsJob(own: ExportJob): Job<'export'> {
  const { exportId: id, plan, state, reason, error, rows, totalRows } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  return {
    ...{ kind: 'export', id, state, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: plan.name,
    progress: { done: rows, total: totalRows },
    unknown: 0,
    // The number of missing pages is known only when it reads.
    requests: [],
    of: null,
  };
}

export function itemsAsJob(own: ItemsJob): Job<'items'> {
  const { itemsId: id, plan, state, reason, error, counts } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  const { rows, badRows, added, refused, unknown, givenUp } = counts;
  return {
    ...{ kind: 'items', id, state, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: itemsTitle(plan),
    progress: { done: badRows + added + refused + givenUp, total: rows },
    unknown,
    requests: ifPlanned(own, () => [{ operation: 'datasets.add-items', count: own.requests }]),
    of: plan.datasetId === '' ? null : { id: plan.datasetId, name: plan.datasetName },
  };
}
