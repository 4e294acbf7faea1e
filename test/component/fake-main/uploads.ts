/** Planned uploads and deletions as the scenario requires, with their controls. */
import type { JobAction } from '../../../electron/shared/job-kinds/job-kind.ts';
import type {
  DeletionBudget,
  EventDeletion,
  UndoPlan,
  UploadBatch,
  UploadJob,
} from '../../../electron/shared/upload-model.ts';
import { CONNECTION_ID, NOW, scenario, uuid } from './scenario.ts';

const HOUR = 3_600_000;
const REFUSED = {
  code: 'UNAUTHORIZED',
  title: 'Token not accepted',
  retry: 'never',
  message: 'POST /v3/events/delete was answered with status 401. The access token was not accepted.',
  details: { status: 401, nextStep: 'Enter a valid access token for this connection.' },
} as const;

function job(index: number, changes: Partial<UploadJob>): UploadJob {
  return {
    jobId: `job-${index}`,
    connectionId: CONNECTION_ID,
    fileName: `churn_${index}.csv`,
    sizeBytes: 812_000,
    plan: {
      fileId: `file-${index}`,
      dialect: {
        format: 'csv',
        encoding: 'utf-8',
        delimiter: ',',
        quote: '"',
        hasHeader: true,
        nullWords: [],
      },
      columns: [{ source: 'id', target: 'id', type: 'str' }],
      modelId: uuid(70),
      modelName: 'Bank churn',
      envType: 'PRODUCTION',
      envName: null,
      mode: 'publish',
      batchRows: 1_000,
      maxBatchBytes: 8_000_000,
      onBadRow: 'stop',
    },
    state: 'running',
    reason: '',
    error: null,
    counts: { rows: 10_000, rejected: 0, acknowledged: 0, refused: 0, unknown: 0, unsent: 10_000 },
    batches: { total: 10, acknowledged: 0, refused: 0, unknown: 0 },
    doubtful: { batches: 0, rows: 0 },
    deletions: [],
    rowCounts: { beforeUpload: null, beforeUndo: null, afterUndo: null },
    requests: 0,
    rowsPerSecond: null,
    etaMs: null,
    createdAtMs: NOW - 60_000,
    endedAtMs: null,
    startAtMs: null,
    lateStart: null,
    ...changes,
  };
}

const SENT: Partial<UploadJob> = {
  state: 'done',
  counts: { rows: 10_000, rejected: 0, acknowledged: 9_998, refused: 0, unknown: 2, unsent: 0 },
  batches: { total: 10, acknowledged: 10, refused: 0, unknown: 0 },
};

const jobs: UploadJob[] = scenario.hasPlans
  ? [
      job(1, { state: 'scheduled', startAtMs: NOW + 8 * HOUR }),
      job(2, {}),
      job(3, { ...SENT, lateStart: { plannedAtMs: NOW - 9 * HOUR, startedAtMs: NOW - HOUR } }),
      job(4, {
        ...SENT,
        deletions: [{ deletionId: uuid(90), rows: 9_998, atMs: NOW - 60_000, outcome: 'deleted' }],
        rowCounts: {
          beforeUpload: { rowCount: 4_210, reason: '', atMs: NOW - HOUR },
          beforeUndo: { rowCount: 14_208, reason: '', atMs: NOW - 61_000 },
          afterUndo: { rowCount: 4_210, reason: '', atMs: NOW - 50_000 },
        },
      }),
    ]
  : [];

const deletions: EventDeletion[] = scenario.hasPlans
  ? [
      {
        deletionId: 'deletion-1',
        modelId: uuid(70),
        what: '3 events by id',
        atMs: NOW - 60_000,
        startAtMs: NOW + 12 * HOUR,
        lateStart: null,
        jobId: null,
        uploads: [],
        status: 'scheduled',
        progress: null,
        error: null,
      },
    ]
  : [];

if (scenario.hasPausedUndo)
  deletions.unshift(
    ...[1, 2].map(
      (number): EventDeletion => ({
        deletionId: `paused-${number}`,
        modelId: uuid(70),
        what: `Undo of churn_3.csv, ${number} of 2: 4,999 events`,
        atMs: NOW - number * 60_000,
        startAtMs: null,
        lateStart: null,
        jobId: null,
        uploads: [{ jobId: 'job-3', fileName: 'churn_3.csv', rows: 4_999 }],
        status: 'paused',
        progress: null,
        error: REFUSED,
      }),
    ),
  );

export const listJobs = (): UploadJob[] => jobs;

/** Ten batches of the running upload. The first ones are acknowledged. */
export function listBatches(
  jobId: string,
  offset: number,
  limit: number,
): { parts: UploadBatch[]; total: number } {
  const total = jobs.find((each) => each.jobId === jobId)?.state === 'running' ? 10 : 0;
  const batches = Array.from({ length: total }, (_, batch): UploadBatch => {
    const rows = { firstRow: batch * 1_000 + 1, lastRow: (batch + 1) * 1_000, rows: 1_000 };
    const nothing = {
      attempts: 0,
      sentAtMs: null,
      answeredAtMs: null,
      requestId: null,
      error: null,
      evidence: null,
    };
    if (batch > 0) return { batch, ...rows, state: 'pending', ...nothing };
    const sent = {
      attempts: 1,
      sentAtMs: NOW - 1_000,
      answeredAtMs: NOW,
      requestId: uuid(3_000),
      error: null,
      evidence: null,
    };
    return { batch, ...rows, state: 'acknowledged', ...sent };
  });
  return { parts: batches.slice(offset, offset + limit), total };
}

const AFTER: Partial<Record<JobAction, UploadJob['state']>> = {
  cancel: 'cancelled',
  unschedule: 'cancelled',
  pause: 'paused',
};

export function control(jobId: string, action: JobAction, startAtMs: number | null): UploadJob {
  const at = jobs.findIndex((each) => each.jobId === jobId);
  const found = jobs[at] ?? job(0, {});
  const changed: UploadJob =
    action === 'schedule'
      ? { ...found, state: 'scheduled', startAtMs }
      : {
          ...found,
          state: AFTER[action] ?? 'running',
          startAtMs: null,
        };
  jobs[at] = changed;
  return changed;
}

export const listDeletions = (): EventDeletion[] => deletions;
export const budget = (): DeletionBudget => ({ usedToday: 3, limit: 30, resetsAtMs: null });

export function controlDeletion(
  deletionId: string,
  action: JobAction,
  startAtMs: number | null,
): EventDeletion {
  const at = deletions.findIndex((each) => each.deletionId === deletionId);
  const found = deletions[at];
  if (found === undefined) throw new Error(`There is no ${deletionId}.`);
  const changed: EventDeletion =
    action === 'schedule'
      ? { ...found, startAtMs }
      : { ...found, status: action === 'unschedule' ? 'cancelled' : 'STARTED', startAtMs: null };
  deletions[at] = changed;
  return changed;
}

/** Only 27 deletions are left today, so the last of the 28 starts tomorrow. A later start has enough for all. */
export function planUndo(jobId: string, beginMs: number | null = null): UndoPlan {
  const deletions = Array.from({ length: 28 }, (_, at) => {
    const isFirst = at < 27 || beginMs !== null;
    const startAtMs = isFirst ? (beginMs ?? NOW) : NOW + 24 * HOUR;
    return { events: at === 27 ? 278 : 360, startAtMs, isNow: startAtMs <= NOW, range: null };
  });
  const left = { unknown: 2, withoutId: 0, shared: 0 };
  return {
    jobId,
    problem: '',
    rows: 9_998,
    events: 9_998,
    deletions,
    reason: '',
    left,
    deleted: 0,
    maybeDeleted: 0,
    budget: budget(),
  };
}

/** All deletions except the last one end immediately. */
export function undo(jobId: string): { deletionIds: string[] } {
  const parts = planUndo(jobId).deletions.map(({ events, startAtMs, isNow }, at): EventDeletion => {
    return {
      deletionId: `undo-${at}`,
      modelId: uuid(70),
      what: `Undo of churn_3.csv, ${at + 1} of 28: ${events} events`,
      atMs: NOW,
      startAtMs: isNow ? null : startAtMs,
      lateStart: null,
      jobId: isNow ? `task-${at}` : null,
      uploads: [{ jobId, fileName: 'churn_3.csv', rows: events }],
      status: isNow ? 'SUCCESS' : 'scheduled',
      progress: null,
      error: null,
    };
  });
  deletions.unshift(...parts);
  return { deletionIds: parts.map(({ deletionId }) => deletionId) };
}
