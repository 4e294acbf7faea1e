/** What the suite of durable jobs needs of one kind, and of a program with one job of it. */
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

/** One program on the folder of the world, and its only job. */
export interface Program {
  readonly life: Life;
  readonly leases: LeaseTable;
  begin(startAtMs: number | null): Promise<unknown>;
  recover(continues: boolean): unknown;
  view(): JobView | undefined;
  /** As it is on the disk. */
  stored(): unknown;
  control(action: Action, startAtMs?: number): Promise<unknown>;
  decide(decision: Decision): Promise<unknown>;
  wake(): void;
}

/** Acts that a kind may lack. */
export type OwnAct = 'pause' | 'resume' | 'cancel' | 'unknown' | 'decide';
interface Lack {
  why: string;
  /** Is it so? Asked while the job is being sent. */
  holds: (program: Program) => boolean | Promise<boolean>;
}

export interface Kind {
  name: string;
  /** What it sends, in order; so many at once. */
  parts: readonly string[];
  atOnce: number;
  /** It changes nothing at the service: what got no answer is asked for again by itself. */
  isRepeated?: true;
  lacks: Partial<Record<OwnAct, Lack>>;
  states: {
    sending: string;
    planned: string;
    calledOff: string;
    over: string;
    /** After the network was lost, after the answer was lost, after a kill, after the token was refused, cancelled. */
    offline: string;
    lost: string;
    killed: string;
    refused: string;
    limited: string;
    full: string;
    /** Where another process took it over while this one stood still, and the refusal of its request came then. */
    takenOver: string;
    paused: string;
    cancelled: string;
  };
  /** What becomes of one that was begun by hand where too much was sent. */
  whenLimited: 'waits' | 'ends';
  /** A program that does not send it is shown what the other one does, and looks after it when that one is gone. */
  isWatched: boolean;
  open(world: World, pid: number): Program;
}

/** Those that most kinds have; each kind says where its own differ. */
export const MOST_STATES: Kind['states'] = {
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

/** The channel takes other wishes of this kind, and not this one. */
export const hasNoAction = (kind: JobKindId, action: 'pause' | 'resume' | 'cancel') => () =>
  takes('jobs:control', { kind, action: 'start' }) && !takes('jobs:control', { kind, action });

export const hasNoDecision = (kind: JobKindId) => () =>
  takes('jobs:decide', { kind: 'upload', part: 0, decision: 'stored' }) &&
  !takes('jobs:decide', { kind, part: 0, decision: 'stored' });

export const hasNoUnknown = (kind: JobKindId) => () =>
  takes('jobs:parts', { kind, states: null, offset: 0, limit: 1 }) &&
  !takes('jobs:parts', { kind, states: ['unknown'], offset: 0, limit: 1 });

export const none: () => Promise<never> = () => Promise.reject(new Error('This kind has no such act.'));

/** What an act that goes on for long answers is not waited for. */
export function begun(act: Promise<unknown>): void {
  act.catch(() => undefined);
}
