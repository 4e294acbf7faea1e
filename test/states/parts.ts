/** Jobs with parts that are counted by state: builds of datasets, changes of many records, items from a file. */
import { type ItemsCore, itemsTransition } from '../../electron/core/jobs/add-items.ts';
import {
  type BuildCore,
  transition as buildTransition,
  NO_SPANS,
} from '../../electron/core/jobs/build-job.ts';
import { type BulkCore, bulkTransition, NEW_BULK, NO_ITEMS } from '../../electron/core/jobs/bulk-act.ts';
import type { JobCore, JobEvent } from '../../electron/core/jobs/job.ts';
import { NO_START } from '../../electron/core/jobs/start-plan.ts';
import type { BulkItemState } from '../../electron/shared/bulk-contract.ts';
import type { SpanState } from '../../electron/shared/dataset-model.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { BUILD_STATES } from '../../electron/shared/job-kinds/build.ts';
import { BULK_STATES } from '../../electron/shared/job-kinds/bulk.ts';
import type { JobPhase } from '../../electron/shared/job-kinds/job-kind.ts';
import type { Machine, Step } from './explore.ts';
import { attempt, type LifeRules, type Lived, lifeKey, lifeProblem, lifeSteps } from './life.ts';

type Moves<Part extends string> = Readonly<Record<Part, readonly Part[]>>;
type Counts<Part extends string> = Readonly<Record<Part, number>>;

interface PartsMachine<State extends string, Part extends string, Core extends JobCore<State>> {
  name: string;
  rules: LifeRules<State>;
  start: Core;
  parts: number;
  /** Allowed changes of a part's state, as documented in the help. */
  moves: Moves<Part>;
  countsOf: (core: Core) => Counts<Part>;
  transition: (core: Core, event: JobEvent) => Core;
  move: (core: Core, from: Part, to: Part, count: number) => Core;
  /** Whether a part may start to be sent, or change at all. */
  mayMove: (core: Core, to: Part) => boolean;
  /** The required phase after `settle`; `same` if it must not change. */
  settled: (core: Core, phase: JobPhase) => JobPhase | 'same';
  /** States in which the number of parts never decreases. */
  final: readonly Part[];
  more?: (state: Lived<Core>) => Step<Lived<Core>>[];
  problem: (core: Core) => string | null;
}

const sum = (counts: Counts<string>): number => Object.values(counts).reduce((all, count) => all + count, 0);

/** Tries to change the state of a part. A change that the product's table lacks is a program error there. */
function attemptMove<T>(work: () => T): T | null {
  try {
    return attempt(work);
  } catch (problem) {
    if (problem instanceof AppError && problem.message.includes('cannot become')) return null;
    throw problem;
  }
}

function partsMachine<State extends string, Part extends string, Core extends JobCore<State>>(
  spec: PartsMachine<State, Part, Core>,
): Machine<Lived<Core>> {
  const { rules, moves, countsOf, transition, move, mayMove, final } = spec;
  const states = Object.keys(moves) as Part[];
  const moveSteps = ({ core, nowMs }: Lived<Core>): Step<Lived<Core>>[] => {
    const counts = countsOf(core);
    return states.flatMap((from) =>
      counts[from] === 0
        ? []
        : states.map(
            (to): Step<Lived<Core>> => ({
              name: `${from} becomes ${to}`,
              isPossible: moves[from].includes(to) && mayMove(core, to),
              apply: () => {
                const after = attemptMove(() => move(core, from, to, 1));
                return after === null ? null : { core: after, nowMs };
              },
              check: ({ core: after }) => {
                const now = countsOf(after);
                if (now[from] !== counts[from] - 1 || now[to] !== counts[to] + 1)
                  return 'Another part moved.';
                return after.state === core.state ? null : 'A part that moves does not change the job.';
              },
            }),
          ),
    );
  };
  return {
    name: spec.name,
    starts: [{ core: spec.start, nowMs: 0 }],
    steps: (state) => [
      ...lifeSteps(state, rules, transition),
      ...moveSteps(state),
      settleStep(state, rules, transition, spec.settled),
      ...(spec.more?.(state) ?? []),
    ],
    key: (state) => `${lifeKey(state)}|${Object.values(countsOf(state.core)).join(',')}`,
    problem: (state, before) => {
      const life = lifeProblem(state, rules);
      if (life !== null) return life;
      const counts = countsOf(state.core);
      if (Object.values<number>(counts).some((count) => count < 0)) return 'A tally is below zero.';
      if (before !== null) {
        const earlier = countsOf(before.core);
        for (const part of final)
          if (counts[part] < earlier[part]) return `One that is ${part} is not any more.`;
      }
      if (sum(counts) > spec.parts) return 'There are more parts than there were.';
      return spec.problem(state.core);
    },
    isEnd: ({ core }) => ['done', 'cancelled'].includes(rules.phases[core.state]),
  };
}

/** A step at which, as far as the program knows, no request is in flight any more. `settled`: the required phase. */
function settleStep<State extends string, Core extends JobCore<State>>(
  { core, nowMs }: Lived<Core>,
  rules: LifeRules<State>,
  transition: (core: Core, event: JobEvent) => Core,
  settled: (core: Core, phase: JobPhase) => JobPhase | 'same',
): Step<Lived<Core>> {
  const wanted = settled(core, rules.phases[core.state]);
  return {
    name: 'settle',
    isPossible: true,
    apply: () => ({ core: transition(core, { type: 'settle' }), nowMs }),
    check: ({ core: after }) => {
      if (wanted === 'same') return after === core ? null : 'It settled with something left.';
      return rules.phases[after.state] === wanted
        ? null
        : `It settled as ${after.state}, expected ${wanted}.`;
    },
  };
}

const BUILD_RULES: LifeRules<BuildCore['state']> = {
  phases: BUILD_STATES,
  resumable: ['paused', 'needs-decision', 'failed'],
  plannable: ['draft', 'ready', 'paused', 'failed'],
};

const SPAN_MOVES: Moves<SpanState> = {
  unsent: ['excluded', 'added', 'sending'],
  excluded: ['unsent', 'added'],
  added: ['unsent', 'excluded'],
  unresolved: ['unsent', 'excluded'],
  sending: ['acknowledged', 'unsent', 'unresolved', 'excluded', 'unknown'],
  unknown: ['acknowledged', 'unsent', 'given-up'],
  acknowledged: [],
  'given-up': [],
};

/** Up to `spans` spans, which the user selects one by one, and which are then sent. */
export function buildMachine(spans: number): Machine<Lived<BuildCore>> {
  const pick = ({ core, nowMs }: Lived<BuildCore>): Step<Lived<BuildCore>>[] => {
    const isEditing = core.state === 'editing';
    const removed = core.tallies.unsent > 0;
    const step = (
      name: string,
      isPossible: boolean,
      work: () => BuildCore,
      by: number,
    ): Step<Lived<BuildCore>> => ({
      name,
      isPossible,
      apply: () => {
        const after = attempt(work);
        return after === null ? null : { core: after, nowMs };
      },
      check: ({ core: after }) =>
        after.tallies.unsent === core.tallies.unsent + by
          ? null
          : `${name}: ${after.tallies.unsent} are unsent.`,
    });
    const more = sum(core.tallies) < spans;
    return [
      ...(more
        ? [
            step(
              'pick',
              isEditing,
              () => buildTransition(core, { type: 'picked', as: 'unsent', count: 1 }),
              1,
            ),
          ]
        : []),
      ...(removed
        ? [
            step(
              'unpick',
              isEditing,
              () => buildTransition(core, { type: 'unpicked', from: 'unsent', count: 1 }),
              -1,
            ),
          ]
        : []),
    ];
  };
  return partsMachine<BuildCore['state'], SpanState, BuildCore>({
    name: `a build of ${spans} spans`,
    rules: BUILD_RULES,
    start: { ...NO_START, state: 'editing', reason: '', error: null, tallies: NO_SPANS },
    parts: spans,
    moves: SPAN_MOVES,
    countsOf: ({ tallies }) => tallies,
    transition: buildTransition,
    move: (core, from, to, count) => buildTransition(core, { type: 'move', from, to, count }),
    mayMove: ({ state }, to) => state !== 'done' && (to !== 'sending' || state === 'committing'),
    settled: ({ tallies: { unsent, sending, unresolved, unknown } }, phase) => {
      if (phase === 'draft' || phase === 'done' || phase === 'cancelled') return 'same';
      if (unsent > 0 || sending > 0) return 'same';
      if (unresolved > 0) return 'failed';
      return unknown > 0 ? 'needs-decision' : 'done';
    },
    final: ['acknowledged', 'given-up'],
    more: pick,
    problem: ({ state, tallies: { unsent, sending, unresolved, unknown } }) =>
      state === 'done' && unsent + sending + unresolved + unknown > 0
        ? 'It is done with something left.'
        : null,
  });
}

const BULK_RULES: LifeRules<BulkCore['state']> = {
  phases: BULK_STATES,
  resumable: ['paused', 'cancelled', 'done'],
  plannable: ['draft', 'ready', 'paused', 'failed'],
  isReadyWhenPlanned: true,
  never: ['unschedule', 'miss'],
};

const ITEM_MOVES: Moves<BulkItemState> = {
  waiting: ['sending', 'failed', 'changed', 'left'],
  sending: ['done', 'failed', 'unknown', 'waiting'],
  unknown: ['done', 'waiting'],
  failed: ['waiting'],
  changed: ['waiting'],
  left: ['waiting'],
  done: [],
};

/** A change of this number of records. */
export function bulkMachine(records: number): Machine<Lived<BulkCore>> {
  return partsMachine<BulkCore['state'], BulkItemState, BulkCore>({
    name: `a change of ${records} records`,
    rules: BULK_RULES,
    start: { ...NEW_BULK, counts: { ...NO_ITEMS, waiting: records } },
    parts: records,
    moves: ITEM_MOVES,
    countsOf: ({ counts }) => counts,
    transition: bulkTransition,
    move: (core, from, to, count) => bulkTransition(core, { type: 'move', from, to, count }),
    mayMove: () => true,
    settled: ({ state, counts: { waiting, sending } }) =>
      state === 'running' && waiting === 0 && sending === 0 ? 'done' : 'same',
    final: ['done'],
    problem: ({ counts }) => (sum(counts) === records ? null : 'A record is lost.'),
  });
}

const ITEMS_RULES: LifeRules<ItemsCore['state']> = {
  phases: {
    ready: 'ready',
    running: 'running',
    waiting: 'waiting',
    paused: 'paused',
    'needs-decision': 'needs-decision',
    done: 'done',
    cancelled: 'cancelled',
    failed: 'failed',
  },
  resumable: ['paused', 'failed', 'needs-decision'],
  plannable: ['ready', 'paused'],
  isReadyWhenPlanned: true,
};

/** Items of a file that is read while requests are sent. */
export function itemsMachine(requests: number): Machine<Lived<ItemsCore>> {
  return {
    name: `items in ${requests} requests`,
    starts: [
      {
        core: {
          ...{ ...NO_START, state: 'ready', reason: '', error: null },
          open: { pending: 0, sending: 0, unknown: 0, isRead: false },
        },
        nowMs: 0,
      },
    ],
    steps: (state) => {
      const { open } = state.core;
      return [
        ...lifeSteps(state, ITEMS_RULES, itemsTransition),
        ...requestSteps(state, requests),
        settleStep(state, ITEMS_RULES, itemsTransition, ({ state: at }, phase) => {
          if (phase === 'done' || phase === 'cancelled' || !open.isRead) return 'same';
          if (open.pending + open.sending > 0) return 'same';
          if (open.unknown > 0) return 'needs-decision';
          return at === 'running' || at === 'needs-decision' ? 'done' : 'same';
        }),
      ];
    },
    key: (state) => {
      const { pending, sending, unknown, isRead } = state.core.open;
      return `${lifeKey(state)}|${pending},${sending},${unknown},${String(isRead)}`;
    },
    problem: (state) => {
      const { pending, sending, unknown, isRead } = state.core.open;
      const isLeft = !isRead || pending + sending + unknown > 0;
      if (state.core.state === 'done' && isLeft) return 'It is done with something left.';
      return lifeProblem(state, ITEMS_RULES);
    },
    isEnd: ({ core }) => core.state === 'done' || core.state === 'cancelled',
  };
}

/** The outcomes of the file and of each request, as long as the job is not finished. */
function requestSteps({ core, nowMs }: Lived<ItemsCore>, most: number): Step<Lived<ItemsCore>>[] {
  if (core.state === 'done' || core.state === 'cancelled') return [];
  const { open } = core;
  const { pending, sending, unknown, isRead } = open;
  const to = (
    name: string,
    isThere: boolean,
    change: Partial<ItemsCore['open']>,
  ): Step<Lived<ItemsCore>>[] => {
    if (!isThere) return [];
    const step: Step<Lived<ItemsCore>> = {
      name,
      isPossible: true,
      apply: () => ({
        core: itemsTransition(core, { type: 'counted', open: { ...open, ...change } }),
        nowMs,
      }),
      check: ({ core: after }) => (after.state === core.state ? null : 'Counting changed the state.'),
    };
    return [step];
  };
  const hasRoom = !isRead && pending + sending + unknown < most;
  return [
    ...to('a request is cut', hasRoom, { pending: pending + 1 }),
    ...to('the file ends', !isRead, { isRead: true }),
    ...to('it leaves', pending > 0, { pending: pending - 1, sending: sending + 1 }),
    ...to('it is answered', sending > 0, { sending: sending - 1 }),
    ...to('its answer is lost', sending > 0, { sending: sending - 1, unknown: unknown + 1 }),
    ...to('it comes back unsent', sending > 0, { sending: sending - 1, pending: pending + 1 }),
    ...to('it was stored', unknown > 0, { unknown: unknown - 1 }),
    ...to('it is sent again', unknown > 0, { unknown: unknown - 1, pending: pending + 1 }),
  ];
}
