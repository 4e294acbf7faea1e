/**
 * The life of a durable job: its states, and what follows from an event. A kind says in its rules what it calls its
 * states and what is left to do; the moves of its parts are tallied here as well. Pure.
 */
import { AppError, type WireError } from '../../shared/errors.ts';
import type { JobPhase } from '../../shared/job-contract.ts';
import { notNow } from './not-now.ts';
import { futureStart, lateStartOf, type StartPlan } from './start-plan.ts';

export interface JobCore<State extends string> extends StartPlan {
  /** As the kind calls it, and as it is stored. */
  state: State;
  /** Why it is where it is, in words; empty where that is plain. */
  reason: string;
  error: WireError | null;
}

export type JobEvent =
  | { type: 'start' }
  | { type: 'resume' }
  /** Begins, or goes on, by itself at `startAtMs`, which is to be in the future. */
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  /** `reason`: said in place of the one it rests for. */
  | { type: 'unschedule'; reason?: string }
  /** Is it time? Before, nothing changes. */
  | { type: 'due'; nowMs: number }
  /** Its time came and something stood in the way that only a person can change. */
  | { type: 'miss'; error: WireError }
  /** `wait`: goes on by itself. `fail`: a person has to look. */
  | { type: 'pause' | 'wait' | 'fail'; reason: string; error: WireError | null }
  | { type: 'wake' }
  /** The process that was at work on it is gone. */
  | { type: 'interrupt'; reason?: string }
  | { type: 'cancel' }
  /** Nothing is on its way: is anything left to do? */
  | { type: 'settle' };

/** What a kind adds to the life of a job. */
export interface JobRules<State extends string, Core extends JobCore<State>> {
  /** As messages name one, e.g. `this build`. */
  subject: string;
  /** What an action is called in messages, where the kind has a word of its own for it. */
  actions?: Partial<typeof ACTIONS>;
  /** What the kind calls its states; where two are of one phase, the last is the one that follows an event. */
  phases: Readonly<Record<State, JobPhase>>;
  /** Where a person can make it go on from. */
  resumable: readonly JobPhase[];
  /** Where it can begin, or go on, by itself later: `PLANNABLE` where the kind says nothing. */
  plannable?: readonly JobPhase[];
  /** Where it can be paused, or fail, beside under way. */
  pausable?: readonly JobPhase[];
  /** A planned one is `ready`, whatever it was before; else it stays what it is. */
  isReadyWhenPlanned?: boolean;
  /** What is left once nothing is on its way: something to send, nothing, or what a person has to look at. */
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
 * What follows from an event; the job itself where nothing does. Throws INVALID_ARGUMENT where the event is not possible
 * in the job's state.
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

/** What changes; null where the event is not possible. */
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

/** Why it was halted is still worth reading; what kept an earlier start from coming about is not. */
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
  // What the service said to a failed one stays readable.
  return { ...left, error: left.state === 'failed' ? core.error : null };
}

const phaseOf = <State extends string, Core extends JobCore<State>>(
  { phases }: JobRules<State, Core>,
  { state }: Core,
): JobPhase => phases[state];

/** Null where the kind has no such state. */
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

/** Where a part may go from where it is. */
export type PartMoves<Part extends string> = Readonly<Record<Part, readonly Part[]>>;

/** Tallies after so many parts went from one state to another. Throws where they cannot, or are not so many. */
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
