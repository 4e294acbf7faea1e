/** Files that are sent raw. Pure. */
import type { WholeFile, WholeFileState } from '../whole-file-contract.ts';
import * as z from '../zod.ts';
import {
  ifPlanned,
  type JobKind,
  type JobOf,
  type JobPhase,
  PLANNED,
  type PlannedRequest,
  WRITES,
} from './job-kind.ts';

const envText = z.string().max(500);

export const fileKind = {
  id: 'file',
  storedAs: 'file',
  damaged: { noun: 'file sent as is', goes: 'with its sending state' },
  /** Creates a job for a file offered by `uploads:choose-files` or `uploads:offer-files`. */
  plan: z.strictObject({
    fileId: z.string().max(100),
    modelId: z.uuid().nullable(),
    envType: envText,
    envName: envText.nullable(),
    publishes: z.boolean(),
    /** The stored preparation of the file, which ends when the job is created. */
    preparationId: z.string().max(100).nullish(),
  }),
  noRepeat: WRITES,
  actions: [...PLANNED, 'cancel', 'retry'],
} as const satisfies JobKind;

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
  paused: 'paused',
  cancelled: 'cancelled',
};

/** The file as a job. `requests` returns the requests that are needed for sending the file. */
export function fileAsJob(own: WholeFile, requests: () => PlannedRequest[]): JobOf<'file', WholeFile> {
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
