/** Available actions of a job of any kind in its current state, their names, and their confirmations. Pure. */
import type { ActionOf, Job, JobKindId, PlannedRequest } from '../../electron/shared/job-contract.ts';
import { formatCount } from './format.ts';
import { JOB_KIND_LABELS } from './job-labels.ts';

type Action =
  | Extract<
      ActionOf<JobKindId>,
      'start' | 'pause' | 'resume' | 'schedule' | 'unschedule' | 'cancel' | 'retry'
    >
  | 'forget';
export interface JobControl {
  action: Action;
  /** Whether the action starts work at the service, now or later; read-only connections forbid it. */
  begins: boolean;
}

type Standing = 'planned' | 'ready' | 'running' | 'paused' | 'decide' | 'failed' | 'over';
const PLANNED = ['start', 'schedule', 'unschedule'] as const;
const PAUSABLE = { planned: PLANNED, running: ['pause'], paused: ['resume'] } as const;

/** In the order of the buttons. Actions that only the view of one kind offers are defined in that view. */
const ACTIONS: Readonly<Record<JobKindId, Partial<Record<Standing, readonly Action[]>>>> = {
  upload: {
    planned: ['start', 'schedule', 'cancel'],
    ready: ['start', 'schedule', 'cancel'],
    running: ['pause', 'cancel'],
    paused: ['resume', 'schedule', 'cancel'],
    decide: ['cancel'],
    failed: ['forget'],
    over: ['forget'],
  },
  items: {
    planned: ['start', 'schedule', 'cancel'],
    ready: ['start', 'schedule', 'cancel'],
    running: ['pause', 'cancel'],
    paused: ['resume', 'schedule', 'cancel'],
    decide: ['resume', 'cancel'],
    failed: ['resume', 'forget'],
    over: ['forget'],
  },
  bulk: {
    planned: PLANNED,
    ready: PLANNED,
    running: ['pause', 'cancel'],
    paused: ['resume', 'schedule', 'cancel'],
    over: ['retry', 'forget'],
  },
  file: { planned: PLANNED },
  deletion: { planned: PLANNED },
  outbox: { planned: PLANNED },
  // Resuming a failed build retries the part it stopped at.
  build: {
    planned: PLANNED,
    running: ['pause', 'cancel'],
    paused: ['resume', 'cancel'],
    failed: ['resume', 'cancel'],
  },
  scores: { ...PAUSABLE, failed: ['resume'] },
  'keep-offline': PAUSABLE,
  export: PAUSABLE,
};

function standingOf({ state, startAtMs }: Pick<Job, 'state' | 'startAtMs'>): Standing {
  if (startAtMs !== null) return 'planned';
  switch (state) {
    case 'draft':
    case 'ready':
      return 'ready';
    case 'running':
    case 'waiting':
      return 'running';
    case 'needs-decision':
      return 'decide';
    case 'paused':
    case 'failed':
      return state;
    default:
      return 'over';
  }
}

const BEGINS: ReadonlySet<Action> = new Set(['start', 'resume', 'retry', 'schedule']);

const asControl = (action: Action): JobControl => ({ action, begins: BEGINS.has(action) });

/** All actions that are available now. */
export function controlsOf(job: Job): JobControl[] {
  const actions = ACTIONS[job.kind][standingOf(job)] ?? [];
  return actions.filter((action) => action !== 'retry' || isRetried(job)).map(asControl);
}

/** Actions in lists of all kinds: start controls, pause and resume. */
export function lineControlsOf(job: Job): JobControl[] {
  if (job.startAtMs !== null) return PLANNED.map(asControl);
  return controlsOf(job).filter(({ action }) => action === 'pause' || action === 'resume');
}

function isRetried(job: Job): boolean {
  if (job.kind !== 'bulk') return true;
  const { failed, left, unknown } = job.own.counts;
  return failed + left + unknown > 0;
}

/** Text of the button. */
export function controlText({ kind, startAtMs, state }: Job, action: Action): string {
  const { verbs } = JOB_KIND_LABELS[kind];
  switch (action) {
    case 'start':
      return startAtMs === null ? 'Start' : 'Start now';
    case 'pause':
      return 'Pause';
    case 'resume':
      return 'Resume';
    case 'schedule':
      if (startAtMs !== null) return 'Change the start…';
      return state === 'paused' ? 'Resume later…' : 'Start later…';
    case 'unschedule':
      return 'Cancel start';
    case 'cancel':
      return verbs?.cancel ?? 'Cancel';
    case 'retry':
      return 'Retry these';
    case 'forget':
      return verbs?.forget ?? 'Remove';
  }
}

/** Label of an icon button in a list; it includes the name of the job. */
export function controlLabel(job: Job, action: Action): string {
  const { title, startAtMs } = job;
  switch (action) {
    case 'start':
      return startAtMs === null ? `Start ${title}` : `Start ${title} now`;
    case 'schedule':
      return startAtMs === null ? `Start ${title} later` : `Change the start of ${title}`;
    case 'unschedule':
      return `Cancel the start of ${title}`;
    default:
      return `${controlText(job, action)} ${title}`;
  }
}

export interface JobQuestion {
  title: string;
  verb: string;
  keepText?: string;
  text: string;
}

/** The confirmation to show first; null if none is needed. */
export function questionOf(job: Job, action: Action): JobQuestion | null {
  const { warning } = JOB_KIND_LABELS[job.kind];
  if (action === 'start' && warning !== undefined)
    return { title: 'Start this now', verb: 'Start now', text: `${job.title}. ${warning}` };
  if (job.kind !== 'upload') return null;
  const { counts, fileName } = job.own;
  if (action === 'cancel') {
    return {
      title: `Cancel the upload of ${fileName}`,
      verb: 'Cancel upload',
      keepText: 'Keep uploading',
      text: `${formatCount(counts.acknowledged, 'row')} acknowledged by the service stay stored there. ${formatCount(counts.unsent, 'row')} will not be sent. A request already sent may still be stored. You cannot resume a cancelled upload, but you can upload the file again.`,
    };
  }
  if (action !== 'forget') return null;
  return {
    title: `Remove the upload of ${fileName}`,
    verb: 'Remove upload',
    text: 'Its receipts (which row became which event id), refused rows and bad rows are removed from this computer. You cannot undo this. Nothing is deleted at the service. To keep the receipts, save them as a file first.',
  };
}

/** The requests it would send if it started at the chosen time. */
export function requestsOf(job: Job): PlannedRequest[] {
  if (job.kind === 'upload') {
    const { plan, counts } = job.own;
    const operation = plan.mode === 'publish' ? 'events.publish' : 'events.update';
    return [{ operation, count: Math.ceil((counts.unsent || counts.rows) / plan.batchRows) }];
  }
  if (job.kind === 'bulk')
    return [{ operation: job.own.operation, count: Math.max(1, job.own.requestsLeft) }];
  return job.requests;
}
