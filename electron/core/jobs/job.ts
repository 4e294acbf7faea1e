/**
 * The life cycle of a durable job: its states and transitions. The rules of a kind name its states and say what is left
 * to do; state changes of its parts are tallied here too. Pure.
 */
import { AppError, type WireError } from '../../shared/errors.ts';
import type { JobPhase } from '../../shared/job-kinds/job-kind.ts';
import { notNow } from './not-now.ts';
import { futureStart, lateStartOf, type StartPlan } from './start-plan.ts';

export interface JobCore<State extends string> extends StartPlan {
  /** The kind's name for it, as stored. */
  state: State;
  /** Reason for the state, as text; empty if it is obvious. */
  reason: string;
  error: WireError | null;
}

export type JobEvent =
  | { type: 'start' }
  | { type: 'resume' }
  /** Schedules an automatic start or continuation at `startAtMs`, which must be in the future. */
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  /** `reason`: replaces the present reason. */
  | { type: 'unschedule'; reason?: string }
  /** Checks whether the planned time has come; otherwise nothing changes. */
  | { type: 'due'; nowMs: number }
  /** At the planned time there was an obstacle that only a person can remove. */
  | { type: 'miss'; error: WireError }
  /** `wait`: continues automatically. `fail`: a person has to look. */
  | { type: 'pause' | 'wait' | 'fail'; reason: string; error: WireError | null }
  | { type: 'wake' }
  /** The process that was working on it has ended. */
  | { type: 'interrupt'; reason?: string }
  | { type: 'cancel' }
  /** Nothing is in flight: checks whether anything is left to do. */
  | { type: 'settle' };

/** The additions of a kind to the life cycle of a job. */
export interface JobRules<State extends string, Core extends JobCore<State>> {
  /** Its name in messages, e.g. `this build`. */
  subject: string;
  /** Names of actions in messages, if the kind uses its own. */
  actions?: Partial<typeof ACTIONS>;
  /** The phase of each state; if two states have the same phase, an event leads to the last. */
  phases: Readonly<Record<State, JobPhase>>;
  /** Phases in which a person can resume it. */
  resumable: readonly JobPhase[];
  /** Phases in which a start can be scheduled; default: `PLANNABLE`. */
  plannable?: readonly JobPhase[];
  /** Phases in which it can be paused, or fail, besides running ones. */
  pausable?: readonly JobPhase[];
  /** Scheduling sets it to `ready`, whatever its state; otherwise the state stays. */
  isReadyWhenPlanned?: boolean;
  /** The remaining work when nothing is in flight: something to send, nothing, or a problem for a person. */
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

/** The changed fields; null if the event is not allowed. */
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

/** The reason of a pause stays; the reason why an earlier start failed does not. */
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
  // The service's error of a failed job is kept.
  return { ...left, error: left.state === 'failed' ? core.error : null };
}

const phaseOf = <State extends string, Core extends JobCore<State>>(
  { phases }: JobRules<State, Core>,
  { state }: Core,
): JobPhase => phases[state];

/** Null if the kind has no such state. */
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

/** Allowed state changes of a part. */
export type PartMoves<Part extends string> = Readonly<Record<Part, readonly Part[]>>;

/** Tallies after this many parts changed state. Throws if the change is not allowed, or there are not that many. */
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
