/**
 * The life cycle of a durable job: its states and transitions. The rules of a kind name its states and determine what
 * remains to be done. Also counts the parts of a job by state. Pure.
 */
import { AppError, type WireError } from '../../shared/errors.ts';
import type { JobPhase } from '../../shared/job-kinds/job-kind.ts';
import { notNow } from './not-now.ts';
import { futureStart, lateStartOf, type StartPlan } from './start-plan.ts';

export interface JobCore<State extends string> extends StartPlan {
  /** The state under the kind's own name, as stored. */
  state: State;
  /** The reason for the state, as a text; empty if it is obvious. */
  reason: string;
  error: WireError | null;
}

export type JobEvent =
  | { type: 'start' }
  | { type: 'resume' }
  /** Schedules an automatic start or continuation at `startAtMs`, which must be in the future. */
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  /** `reason`: replaces the current reason. */
  | { type: 'unschedule'; reason?: string }
  /** Starts the job if its planned time has come; otherwise nothing changes. */
  | { type: 'due'; nowMs: number }
  /** At the planned time, the job could not start because of an obstacle that only a person can remove. */
  | { type: 'miss'; error: WireError }
  /** After `wait` the job continues automatically. After `fail` a person has to act. */
  | { type: 'pause' | 'wait' | 'fail'; reason: string; error: WireError | null }
  | { type: 'wake' }
  /** The process that was working on the job has ended. */
  | { type: 'interrupt'; reason?: string }
  | { type: 'cancel' }
  /** Nothing is in flight any more. Checks whether anything is left to do. */
  | { type: 'settle' };

/** The rules by which a kind extends the life cycle of a job. */
export interface JobRules<State extends string, Core extends JobCore<State>> {
  /** Name of the job in messages, e.g. `this build`. */
  subject: string;
  /** Names of actions in messages, if they differ from the usual ones. */
  actions?: Partial<typeof ACTIONS>;
  /**
   * The phase of each state. If several states have the same phase, an event that leads to this phase sets the last of
   * them.
   */
  phases: Readonly<Record<State, JobPhase>>;
  /** Phases in which a person can resume the job. */
  resumable: readonly JobPhase[];
  /** Phases in which a start can be scheduled; default: `PLANNABLE`. */
  plannable?: readonly JobPhase[];
  /** Phases other than running in which the job can be paused, or can fail. */
  pausable?: readonly JobPhase[];
  /** True if scheduling sets the job to `ready` from any state; otherwise it keeps its state. */
  isReadyWhenPlanned?: boolean;
  /** The work that remains when nothing is in flight: something to send, nothing, or a problem for a person. */
  left(core: Core): 'something' | 'nothing' | { state: 'failed' | 'needs-decision'; reason: string };
}

const INTERRUPTED = 'It was interrupted: the program ended.';
const HALTED = { pause: 'paused', wait: 'waiting', fail: 'failed' } as const;
const ACTIONS: Record<JobEvent['type'], string> = {
  start: 'start',
  resume: 'resume',
  schedule: 'start later',
  unschedule: 'cancel the start',
  due: 'start at the planned time',
  miss: 'start at the planned time',
  pause: 'pause',
  wait: 'wait',
  fail: 'stop',
  wake: 'continue',
  interrupt: 'interrupt',
  cancel: 'stop',
  settle: 'end',
};

const PLANNABLE: readonly JobPhase[] = ['draft', 'ready', 'paused', 'failed'];
const IS_OVER: ReadonlySet<JobPhase> = new Set(['done', 'cancelled']);

/**
 * Returns the state after an event; the same object if nothing changes. Throws INVALID_ARGUMENT if the job's state does
 * not allow the event.
 */
export function transition<State extends string, Core extends JobCore<State>>(
  rules: JobRules<State, Core>,
  core: Core,
  event: JobEvent,
): Core {
  const change = step(rules, core, event) ?? refuse(rules, core, event);
  if (change === SAME) return core;
  const { plannable = PLANNABLE } = rules;
  const next = change.state ?? phaseOf(rules, core);
  const state = change.state === undefined ? core.state : nameOf(rules, next);
  const startAtMs = plannable.includes(next) ? core.startAtMs : null;
  return { ...core, startAtMs, ...change, state: state ?? refuse(rules, core, event) };
}

type Change = Partial<Omit<JobCore<string>, 'state'>> & { state?: JobPhase };
const SAME: Change = {};
const RUNNING: Change = { state: 'running', reason: '', error: null, startAtMs: null };

/** The changed fields of the job; null if the event is not allowed. */
function step<State extends string, Core extends JobCore<State>>(
  rules: JobRules<State, Core>,
  core: Core,
  event: JobEvent,
): Change | null {
  const state = phaseOf(rules, core);
  const isUnderWay = state === 'running' || state === 'waiting';
  const { plannable = PLANNABLE, pausable = [] } = rules;
  const { startAtMs } = core;
  switch (event.type) {
    case 'start':
      return state === 'draft' || state === 'ready' ? RUNNING : null;
    case 'resume':
      return rules.resumable.includes(state) ? RUNNING : null;
    case 'wake':
      return state === 'waiting' ? RUNNING : null;
    case 'schedule':
      return plannable.includes(state)
        ? planned(rules, state, futureStart(event.startAtMs, event.nowMs))
        : null;
    case 'unschedule':
      if (startAtMs === null) return null;
      return {
        startAtMs: null,
        ...(event.reason === undefined ? {} : { reason: event.reason, error: null }),
      };
    case 'due':
      if (startAtMs === null) return null;
      return event.nowMs < startAtMs ? SAME : { ...RUNNING, lateStart: lateStartOf(startAtMs, event.nowMs) };
    case 'miss':
      if (startAtMs === null) return null;
      return { startAtMs: null, reason: event.error.message, error: event.error };
    case 'pause':
    case 'wait':
    case 'fail': {
      const { type, reason, error } = event;
      const isPossible = isUnderWay || (type !== 'wait' && pausable.includes(state));
      return isPossible ? { state: HALTED[type], reason, error, startAtMs: null } : null;
    }
    case 'interrupt':
      return isUnderWay ? { state: 'paused', reason: event.reason ?? INTERRUPTED, error: null } : null;
    case 'cancel': {
      if (state === 'draft' || IS_OVER.has(state)) return null;
      return { state: 'cancelled', reason: state === 'ready' ? 'Cancelled.' : 'Stopped.', error: null };
    }
    case 'settle':
      return state === 'draft' || IS_OVER.has(state) ? SAME : settled(rules, core);
  }
}

/** Keeps the reason of a pause, but not the reason why an earlier start failed. */
function planned<State extends string, Core extends JobCore<State>>(
  { isReadyWhenPlanned = false }: JobRules<State, Core>,
  state: JobPhase,
  startAtMs: number,
): Change {
  if (isReadyWhenPlanned) return { state: 'ready', startAtMs, reason: '', error: null };
  return state === 'draft' ? { startAtMs, reason: '', error: null } : { startAtMs };
}

function settled<State extends string, Core extends JobCore<State>>(
  rules: JobRules<State, Core>,
  core: Core,
): Change {
  const left = rules.left(core);
  if (left === 'something') return SAME;
  if (left === 'nothing') return { state: 'done', reason: '', error: null };
  // Keeps the service's error of a failed job.
  return { ...left, error: left.state === 'failed' ? core.error : null };
}

const phaseOf = <State extends string, Core extends JobCore<State>>(
  { phases }: JobRules<State, Core>,
  { state }: Core,
): JobPhase => phases[state];

/** The kind's state for a phase; null if it has none. */
function nameOf<State extends string, Core extends JobCore<State>>(
  { phases }: JobRules<State, Core>,
  phase: JobPhase,
): State | null {
  let name: State | null = null;
  for (const own in phases) if (phases[own] === phase) name = own;
  return name;
}

function refuse<State extends string, Core extends JobCore<State>>(
  { subject, actions }: JobRules<State, Core>,
  { state }: Core,
  { type }: JobEvent,
): never {
  throw notNow(actions?.[type] ?? ACTIONS[type], subject, state);
}

/** The states that a part may change to, for each state. */
export type PartMoves<Part extends string> = Readonly<Record<Part, readonly Part[]>>;

/**
 * The tallies after this many parts changed their state. Throws if the change is not allowed, or if there are not that
 * many parts.
 */
export function moveParts<Part extends string>(
  moves: PartMoves<Part>,
  tallies: Readonly<Record<Part, number>>,
  { from, to, count }: { from: Part; to: Part; count: number },
): Readonly<Record<Part, number>> {
  if (!moves[from].includes(to) || count < 0 || tallies[from] < count) {
    throw new AppError(
      'INTERNAL',
      `${count} of ${tallies[from]} parts that are ${from} cannot become ${to}.`,
    );
  }
  return { ...tallies, [from]: tallies[from] - count, [to]: tallies[to] + count };
}
