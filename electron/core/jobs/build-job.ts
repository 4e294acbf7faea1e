/**
 * States of a build and of its spans. A build changes only through `transition`. All counts are derived from the number
 * of its spans in each state, so they are always consistent. Pure.
 */

import type { BuildCounts, BuildState, SpanState } from '../../shared/dataset-model.ts';
import { SPAN_STATES } from '../../shared/dataset-model.ts';
import { AppError } from '../../shared/errors.ts';
import { BUILD_STATES } from '../../shared/job-kinds/build.ts';
import {
  type JobCore,
  type JobEvent,
  type JobRules,
  transition as jobTransition,
  moveParts,
  type PartMoves,
} from './job.ts';
import { notNow } from './not-now.ts';

export type SpanTallies = Readonly<Record<SpanState, number>>;

export interface BuildCore extends JobCore<BuildState> {
  tallies: SpanTallies;
}

export type BuildEvent =
  | JobEvent
  | { type: 'picked'; as: SpanState; count: number }
  | { type: 'unpicked'; from: SpanState; count: number }
  | { type: 'move'; from: SpanState; to: SpanState; count: number };

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

/**
 * Allowed state changes of a span. A person chooses between unsent and excluded; only an answer leads to acknowledged.
 */
const MOVES: PartMoves<SpanState> = {
  unsent: ['excluded', 'added', 'sending'],
  excluded: ['unsent', 'added'],
  added: ['unsent', 'excluded'],
  unresolved: ['unsent', 'excluded'],
  sending: ['acknowledged', 'unsent', 'unresolved', 'excluded', 'unknown'],
  // Only a person or evidence ends the unknown state.
  unknown: ['acknowledged', 'unsent', 'given-up'],
  acknowledged: [],
  'given-up': [],
};

/** Whether a person may change the build, because nothing is in flight. */
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

const RULES: JobRules<BuildState, BuildCore> = {
  subject: 'this build',
  phases: BUILD_STATES,
  resumable: ['paused', 'needs-decision', 'failed'],
  left: ({ tallies: { unsent, sending, unresolved, unknown } }) => {
    if (unsent + sending > 0) return 'something';
    if (unresolved > 0) return { state: 'failed', reason: unresolvedText(unresolved) };
    return unknown > 0 ? { state: 'needs-decision', reason: unknownText(unknown) } : 'nothing';
  },
};

/** Returns the state after an event. Throws INVALID_ARGUMENT if the build's state does not allow the event. */
export function transition(build: BuildCore, event: BuildEvent): BuildCore {
  const { state, tallies } = build;
  const refuse = (action: string) => notNow(action, RULES.subject, state);
  switch (event.type) {
    case 'picked':
      if (state !== 'editing') throw refuse('add spans');
      return { ...build, tallies: { ...tallies, [event.as]: tallies[event.as] + event.count } };
    case 'unpicked':
      if (state !== 'editing') throw refuse('remove spans');
      return { ...build, tallies: without(tallies, event.from, event.count) };
    case 'move':
      if (state === 'done') throw refuse('change');
      if (event.to === 'sending' && state !== 'committing') throw refuse('send');
      return { ...build, tallies: moveParts(MOVES, tallies, event) };
    default:
      return jobTransition(RULES, build, event);
  }
}

function without(tallies: SpanTallies, state: SpanState, count: number): SpanTallies {
  const left = tallies[state] - count;
  if (left < 0)
    throw new AppError(
      'INTERNAL',
      `Expected at least ${count} spans that are ${state}, got ${tallies[state]}.`,
    );
  return { ...tallies, [state]: left };
}

export function unresolvedText(count: number): string {
  return count === 1
    ? 'The service could not find one span. Nothing of its request was written.'
    : `The service could not find ${count} spans. Nothing of their request was written.`;
}

function unknownText(count: number): string {
  return `The answer to ${count === 1 ? 'a request with one span' : `requests with ${count} spans`} was lost. Decide for each request whether it was stored.`;
}
