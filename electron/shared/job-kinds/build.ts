/** Datasets from spans: items of a dataset, made from spans. Pure. */
import type { DatasetBuild } from '../dataset-model.ts';
import * as z from '../zod.ts';
import {
  ifPlanned,
  type JobKind,
  type JobOf,
  type JobPhase,
  jobId,
  type PlannedRequest,
  RUNNING,
  WRITES,
} from './job-kind.ts';

export const buildKind = {
  id: 'build',
  storedAs: 'build',
  damaged: { noun: 'draft of a dataset', goes: 'with its selected spans and receipts' },
  plan: z.union([
    z.strictObject({
      applicationId: z.uuid(),
      applicationName: z.string().max(500),
      name: z.string().max(200),
    }),
    /** Creates an unsent build in `editing` with the same spans, mapping and target. */
    z.strictObject({ copyOf: jobId }),
  ]),
  noRepeat: WRITES,
  actions: [...RUNNING, 'cancel', 'gather-evidence', 'verify', 'stop-picking', 'restore'],
  parts: ['sending', 'acknowledged', 'refused', 'unsent', 'unknown', 'given-up'],
  files: ['receipts', 'unresolved', 'items', 'review', 'spans', 'verdicts'],
} as const satisfies JobKind;

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

/** The build as a job. `requests`: the requests that remain to be sent. */
export function buildAsJob(
  own: DatasetBuild,
  requests: () => PlannedRequest[],
): JobOf<'build', DatasetBuild> {
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
