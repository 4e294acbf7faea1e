/** The actions that a job of any kind allows in its current state, with their names and confirmations. Pure. */
import type { Job, JobKindId, OwnOf } from '../../electron/shared/job-contract.ts';
import type { PlannedRequest } from '../../electron/shared/job-kinds/job-kind.ts';
import { activeRepeat } from '../../electron/shared/repeat-model.ts';
import { SHOWN_KINDS } from './job-kinds/kinds.ts';
import { type Action, type JobQuestion, PLANNED, type Standing } from './job-kinds/shown-kind.ts';

export interface JobControl {
  action: Action;
  /** Whether the action starts work at the service, now or later. Read-only connections forbid that. */
  begins: boolean;
}

/** The actions for a repeated job between two runs: those for the next start, and those for the repeat itself. */
function repeatControls(job: Job): Action[] | null {
  const repeat = activeRepeat(job);
  if (repeat === null) return null;
  if (job.state !== 'ready') return null;
  return ['start', 'schedule', repeat.isPaused ? 'resume-repeat' : 'pause-repeat', 'end-repeat'];
}

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

const BEGINS: ReadonlySet<Action> = new Set(['start', 'resume', 'retry', 'schedule', 'resume-repeat']);

const asControl = (action: Action): JobControl => ({ action, begins: BEGINS.has(action) });

/** All actions that are available now. */
export function controlsOf(job: Job): JobControl[] {
  const actions = repeatControls(job) ?? SHOWN_KINDS[job.kind].actions[standingOf(job)] ?? [];
  return actions.filter((action) => action !== 'retry' || isRetried(job)).map(asControl);
}

/** Actions shown in lists of all kinds: the start controls, pause and resume. */
export function lineControlsOf(job: Job): JobControl[] {
  if (repeatControls(job) !== null) return controlsOf(job);
  if (job.startAtMs !== null) return PLANNED.map(asControl);
  return controlsOf(job).filter(({ action }) => action === 'pause' || action === 'resume');
}

const isRetried = <K extends JobKindId>({ kind, own }: { kind: K; own: OwnOf<K> }): boolean =>
  SHOWN_KINDS[kind].isRetried?.(own) ?? true;

/** Text of the button. `isHeld`: the start time has passed, but the job waits for the computer. */
export function controlText(job: Job, action: Action, isHeld = false): string {
  const { kind, startAtMs, state } = job;
  const { verbs } = SHOWN_KINDS[kind];
  switch (action) {
    case 'start':
      if (isHeld) return 'Start now anyway';
      return startAtMs === null && activeRepeat(job) === null ? 'Start' : 'Start now';
    case 'pause':
      return 'Pause';
    case 'resume':
      return 'Resume';
    case 'schedule':
      if (activeRepeat(job) !== null) return 'Change the repeat…';
      if (startAtMs !== null) return 'Change the start…';
      return state === 'paused' ? 'Resume later…' : 'Start later…';
    case 'unschedule':
      return 'Cancel start';
    case 'cancel':
      return verbs?.cancel ?? 'Cancel';
    case 'retry':
      return 'Retry these';
    case 'pause-repeat':
      return 'Pause the repeat';
    case 'resume-repeat':
      return 'Resume the repeat';
    case 'end-repeat':
      return 'End the repeat';
    case 'forget':
      return verbs?.forget ?? 'Remove';
  }
}

/** Label of an icon button in a list; it includes the name of the job. */
export function controlLabel(job: Job, action: Action, isHeld = false): string {
  const { title, startAtMs } = job;
  switch (action) {
    case 'start':
      if (isHeld) return `Start ${title} now anyway`;
      return startAtMs === null ? `Start ${title}` : `Start ${title} now`;
    case 'schedule':
      if (activeRepeat(job) !== null) return `Change the repeat of ${title}`;
      return startAtMs === null ? `Start ${title} later` : `Change the start of ${title}`;
    case 'unschedule':
      return `Cancel the start of ${title}`;
    case 'pause-repeat':
    case 'resume-repeat':
    case 'end-repeat':
      return `${controlText(job, action)} of ${title}`;
    default:
      return `${controlText(job, action)} ${title}`;
  }
}

/** The confirmation to show first; null if none is needed. */
export function questionOf(job: Job, action: Action): JobQuestion | null {
  const { warning } = SHOWN_KINDS[job.kind];
  if (action === 'start' && warning !== undefined)
    return { title: 'Start this now', verb: 'Start now', text: `${job.title}. ${warning}` };
  return ownQuestion(job, action);
}

const ownQuestion = <K extends JobKindId>({ kind, own }: { kind: K; own: OwnOf<K> }, action: Action) =>
  SHOWN_KINDS[kind].question?.(own, action) ?? null;

/** The requests that the job would send if it started at the chosen time. */
export function requestsOf(job: Job): PlannedRequest[] {
  return ownRequests(job) ?? job.requests;
}

const ownRequests = <K extends JobKindId>({ kind, own }: { kind: K; own: OwnOf<K> }) =>
  SHOWN_KINDS[kind].requests?.(own);
