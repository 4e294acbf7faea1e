/** The interface of a kind of job for the suite of durable jobs, and of a program with one job of that kind. */
import type { LeaseTable } from '../../electron/core/jobs/lease.ts';
import { CONTRACT } from '../../electron/shared/contract.ts';
import type { JobKindId } from '../../electron/shared/job-contract.ts';
import type { Life, World } from './jobs-world.ts';

export const ID = '7f1f2a38-9f7e-4c6e-8f0a-2f4f0a2b9c12';

type Action = 'start' | 'schedule' | 'call-off' | 'pause' | 'resume' | 'cancel';
export type Decision = 'stored' | 'resend' | 'give-up';

export interface JobView {
  id: string;
  state: string;
  startAtMs: number | null;
  error: { code: string } | null;
}

/** A program on the folder of the world, with its only job. */
export interface Program {
  readonly life: Life;
  readonly leases: LeaseTable;
  begin(startAtMs: number | null): Promise<unknown>;
  recover(continues: boolean): unknown;
  view(): JobView | undefined;
  /** The state of the job on disk. */
  stored(): unknown;
  control(action: Action, startAtMs?: number): Promise<unknown>;
  decide(decision: Decision): Promise<unknown>;
  wake(): void;
}

/** Actions that a kind may lack. */
export type OwnAct = 'pause' | 'resume' | 'cancel' | 'unknown' | 'decide';
interface Lack {
  reason: string;
  /** Whether the reason is true. Checked while the job is being sent. */
  holds: (program: Program) => boolean | Promise<boolean>;
}

export interface Kind {
  name: string;
  /** The parts that the job sends, in order. The next field is the number of parts sent at once. */
  parts: readonly string[];
  atOnce: number;
  /** Set if the kind changes nothing at the service, so that an unanswered request is repeated automatically. */
  isRepeated?: true;
  /** Set if the user cannot resume the job, but the window resumes it after a restart. */
  isResumedByWindow?: true;
  lacks: Partial<Record<OwnAct, Lack>>;
  states: {
    sending: string;
    planned: string;
    calledOff: string;
    over: string;
    /** States after a lost network, a lost answer, a kill, a rejected token, a cancel. */
    offline: string;
    lost: string;
    killed: string;
    refused: string;
    limited: string;
    full: string;
    /** The state if another process took over the job while this one was suspended, and then rejected its request. */
    takenOver: string;
    paused: string;
    cancelled: string;
  };
  /** The outcome of a job that was started by hand beyond the limit. */
  whenLimited: 'waits' | 'ends';
  open(world: World, pid: number): Program;
}

/** The states of most kinds. Each kind overrides those that differ. */
export const MAX_STATES: Kind['states'] = {
  sending: 'running',
  planned: 'ready',
  calledOff: 'ready',
  over: 'done',
  offline: 'waiting',
  limited: 'waiting',
  lost: 'needs-decision',
  killed: 'paused',
  takenOver: 'paused',
  refused: 'paused',
  full: 'paused',
  paused: 'paused',
  cancelled: 'cancelled',
};

const takes = (channel: 'jobs:control' | 'jobs:decide' | 'jobs:parts', argument: object): boolean =>
  CONTRACT[channel].safeParse({ connectionId: ID, id: 'a', ...argument }).success;

/** Reports that the channel accepts other actions of this kind, but not this one. */
export const hasNoAction = (kind: JobKindId, action: 'pause' | 'resume' | 'cancel') => () =>
  takes('jobs:control', { kind, action: 'start' }) && !takes('jobs:control', { kind, action });

export const hasNoDecision = (kind: JobKindId) => () =>
  takes('jobs:decide', { kind: 'upload', part: 0, decision: 'stored' }) &&
  !takes('jobs:decide', { kind, part: 0, decision: 'stored' });

export const hasNoUnknown = (kind: JobKindId) => () =>
  takes('jobs:parts', { kind, states: null, offset: 0, limit: 1 }) &&
  !takes('jobs:parts', { kind, states: ['unknown'], offset: 0, limit: 1 });

export const none: () => Promise<never> = () => Promise.reject(new Error('This kind has no such act.'));

/** Starts a long action without waiting for its answer. */
export function begun(act: Promise<unknown>): void {
  act.catch(() => undefined);
}
