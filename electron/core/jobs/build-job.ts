/**
 * States of a build and of its spans. A build changes only through `transition`; what is countable follows from the
 * number of its spans in each state, so the counts agree at every instant. Pure.
 */
import type { BuildCounts, BuildState, SpanState } from '../../shared/dataset-model.ts';
import { SPAN_STATES } from '../../shared/dataset-model.ts';
import { AppError, type WireError } from '../../shared/errors.ts';
import { notNow } from './not-now.ts';
import { futureStart, lateStartOf, NO_START, type StartPlan } from './start-plan.ts';

export type SpanTallies = Readonly<Record<SpanState, number>>;

/** Planned to begin, or go on, by itself only while it is edited, paused or stopped. */
export interface BuildCore extends StartPlan {
  state: BuildState;
  /** Why it is where it is, in words; empty where that is plain. */
  reason: string;
  error: WireError | null;
  tallies: SpanTallies;
}

export type BuildEvent =
  | { type: 'picked'; as: 'unsent' | 'added'; count: number }
  | { type: 'unpicked'; from: SpanState; count: number }
  | { type: 'move'; from: SpanState; to: SpanState; count: number }
  | { type: 'commit' }
  /** Begins, or goes on, by itself at `startAtMs`, which is to be in the future. */
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  | { type: 'unschedule' }
  /** Is it time? Before, nothing changes. */
  | { type: 'due'; nowMs: number }
  /** Its time came and something stood in the way that only a person can change. */
  | { type: 'miss'; error: WireError }
  | { type: 'resume' }
  | { type: 'pause'; reason: string; error: WireError | null }
  /** The service cannot be reached: goes on by itself. */
  | { type: 'wait'; reason: string; error: WireError | null }
  | { type: 'wake' }
  /** The service refused a call: a person has to look. */
  | { type: 'stop'; reason: string; error: WireError | null }
  /** The process that was sending it is gone. */
  | { type: 'interrupt'; reason: string }
  /** Nothing is on its way: is anything left to do? */
  | { type: 'settle' };

export const NO_SPANS: SpanTallies = {
  unsent: 0,
  excluded: 0,
  added: 0,
  unresolved: 0,
  sending: 0,
  unknown: 0,
  acknowledged: 0,
  'given-up': 0,
};

export const NEW_BUILD: BuildCore = {
  state: 'editing',
  reason: '',
  error: null,
  tallies: NO_SPANS,
  ...NO_START,
};

/** Where a span can go. A person decides between unsent and excluded; only an answer leads to acknowledged. */
const NEXT: Readonly<Record<SpanState, readonly SpanState[]>> = {
  unsent: ['excluded', 'added', 'sending'],
  excluded: ['unsent', 'added'],
  added: ['unsent', 'excluded'],
  unresolved: ['unsent', 'excluded'],
  sending: ['acknowledged', 'unsent', 'unresolved', 'excluded', 'unknown'],
  // Only a person or evidence leads out of unknown.
  unknown: ['acknowledged', 'unsent', 'given-up'],
  acknowledged: [],
  'given-up': [],
};

export function canSpanMove(from: SpanState, to: SpanState): boolean {
  return NEXT[from].includes(to);
}

/** Is a person free to change it: is nothing on its way? */
export function isIdle(state: BuildState): boolean {
  return state !== 'committing' && state !== 'waiting';
}

export function countsOf(tallies: SpanTallies, withoutRecord: number): BuildCounts {
  const { excluded, added, unsent, unresolved, sending, unknown, acknowledged } = tallies;
  return {
    picked: pickedOf(tallies),
    excluded,
    added,
    unsent,
    unresolved,
    sending,
    unknown,
    acknowledged,
    givenUp: tallies['given-up'],
    withoutRecord,
  };
}

export function pickedOf(tallies: SpanTallies): number {
  return SPAN_STATES.reduce((sum, state) => sum + tallies[state], 0);
}

function refuse({ state }: BuildCore, action: string): never {
  throw notNow(action, 'this build', state);
}

const PLANNABLE: ReadonlySet<BuildState> = new Set(['editing', 'paused', 'stopped']);

/** Can it begin, or go on, by itself later? */
export function isPlannable(state: BuildState): boolean {
  return PLANNABLE.has(state);
}

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the build's state. */
export function transition(build: BuildCore, event: BuildEvent): BuildCore {
  const next = step(build, event);
  return next.startAtMs === null || isPlannable(next.state) ? next : { ...next, startAtMs: null };
}

function step(build: BuildCore, event: BuildEvent): BuildCore {
  switch (event.type) {
    case 'picked':
      if (build.state !== 'editing') return refuse(build, 'add spans');
      return { ...build, tallies: added(build.tallies, event.as, event.count) };
    case 'unpicked':
      if (build.state !== 'editing') return refuse(build, 'remove spans');
      return { ...build, tallies: added(build.tallies, event.from, -event.count) };
    case 'move':
      return move(build, event.from, event.to, event.count);
    case 'commit':
      return build.state === 'editing' ? run(build) : refuse(build, 'send');
    case 'schedule':
      if (!isPlannable(build.state)) return refuse(build, 'start later');
      return schedule(build, futureStart(event.startAtMs, event.nowMs));
    case 'unschedule':
      return build.startAtMs === null ? refuse(build, 'cancel the start') : { ...build, startAtMs: null };
    case 'due':
      return due(build, event.nowMs);
    case 'miss':
      if (build.startAtMs === null) return refuse(build, 'start at the planned time');
      return { ...build, startAtMs: null, reason: event.error.message, error: event.error };
    case 'resume':
      return isIdle(build.state) && build.state !== 'editing' && build.state !== 'done'
        ? run(build)
        : refuse(build, 'resume');
    case 'wake':
      return build.state === 'waiting' ? run(build) : refuse(build, 'continue');
    case 'pause':
    case 'stop':
    case 'wait':
    case 'interrupt':
      return halt(build, event);
    case 'settle':
      return settle(build);
  }
}

/** Why it was halted is still worth reading; what kept an earlier start from coming about is not. */
function schedule(build: BuildCore, startAtMs: number): BuildCore {
  return build.state === 'editing'
    ? { ...build, startAtMs, reason: '', error: null }
    : { ...build, startAtMs };
}

function due(build: BuildCore, nowMs: number): BuildCore {
  const { startAtMs } = build;
  if (startAtMs === null) return refuse(build, 'start at the planned time');
  if (nowMs < startAtMs) return build;
  return { ...run(build), lateStart: lateStartOf(startAtMs, nowMs) };
}

function run(build: BuildCore): BuildCore {
  return { ...build, state: 'committing', reason: '', error: null };
}

const HALTS = {
  pause: { state: 'paused', action: 'pause' },
  stop: { state: 'stopped', action: 'stop' },
  wait: { state: 'waiting', action: 'wait' },
  interrupt: { state: 'paused', action: 'interrupt' },
} as const;

function halt(build: BuildCore, event: Extract<BuildEvent, { type: keyof typeof HALTS }>): BuildCore {
  const { state, action } = HALTS[event.type];
  if (isIdle(build.state)) return refuse(build, action);
  return { ...build, state, reason: event.reason, error: event.type === 'interrupt' ? null : event.error };
}

function added(tallies: SpanTallies, state: SpanState, count: number): SpanTallies {
  const now = tallies[state] + count;
  if (now < 0) throw new AppError('INTERNAL', `There are not so many spans that are ${state}.`);
  return { ...tallies, [state]: now };
}

function move(build: BuildCore, from: SpanState, to: SpanState, count: number): BuildCore {
  if (!canSpanMove(from, to)) {
    throw new AppError('INVALID_ARGUMENT', `A span that is ${from} cannot become ${to}.`);
  }
  if (build.state === 'done') return refuse(build, 'change');
  if (to === 'sending' && build.state !== 'committing') return refuse(build, 'send');
  return { ...build, tallies: added(added(build.tallies, from, -count), to, count) };
}

function settle(build: BuildCore): BuildCore {
  const { unsent, sending, unresolved, unknown } = build.tallies;
  if (sending > 0 || unsent > 0 || build.state === 'editing' || build.state === 'done') return build;
  if (unresolved > 0) {
    return { ...build, state: 'stopped', reason: unresolvedText(unresolved), error: build.error };
  }
  if (unknown > 0) return { ...build, state: 'needs-decision', reason: unknownText(unknown), error: null };
  return { ...build, state: 'done', reason: '', error: null };
}

export function unresolvedText(count: number): string {
  return count === 1
    ? 'The service could not find one span. Nothing of its call was written.'
    : `The service could not find ${count} spans. Nothing of their call was written.`;
}

function unknownText(count: number): string {
  return `The answer to ${count === 1 ? 'a call with one span' : `calls with ${count} spans`} was lost. Decide for each call whether it was stored.`;
}
