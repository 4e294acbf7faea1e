/** Jobs that have no parts: score runs, exports, offline entries, changes in the outbox. */
import { type ExportCore, exportTransition, mirrorTransition } from '../../electron/core/jobs/export.ts';
import type { JobEvent } from '../../electron/core/jobs/job.ts';
import { type KeepCore, keepTransition } from '../../electron/core/jobs/keep-offline.ts';
import {
  NEW_ENTRY,
  type OutboxCore,
  type OutboxEvent,
  outboxTransition,
} from '../../electron/core/jobs/outbox.ts';
import { type RunCore, runTransition } from '../../electron/core/jobs/score-run.ts';
import { NO_START } from '../../electron/core/jobs/start-plan.ts';
import { RUN_STATES } from '../../electron/shared/job-kinds/scores.ts';
import type { Machine, Step } from './explore.ts';
import { attempt, type LifeRules, type Lived, lifeKey, lifeProblem, lifeSteps } from './life.ts';

const NEW = { ...NO_START, reason: '', error: null } as const;

const RUN_RULES: LifeRules<RunCore['state']> = {
  phases: RUN_STATES,
  resumable: ['paused', 'failed', 'done'],
  plannable: ['draft', 'ready', 'paused', 'failed'],
};

export const scoreRunMachine: Machine<Lived<RunCore>> = {
  name: 'a score run',
  starts: [{ core: { ...NEW, state: 'paused', isReading: true }, nowMs: 0 }],
  steps: (state) => {
    const { core, nowMs } = state;
    const isOver = core.state === 'done';
    return [
      ...lifeSteps(state, RUN_RULES, runTransition),
      {
        name: 'all items are read',
        isPossible: core.state === 'reading',
        apply: () => {
          const after = attempt(() => runTransition(core, { type: 'read' }));
          return after === null ? null : { core: after, nowMs };
        },
        check: ({ core: after }) =>
          after.state === 'running' && !after.isReading ? null : 'It is still reading.',
      },
      {
        name: 'settle',
        isPossible: true,
        apply: () => ({ core: runTransition(core, { type: 'settle' }), nowMs }),
        check: ({ core: after }) => {
          const wanted = !isOver && core.state === 'running' && !core.isReading ? 'done' : core.state;
          return after.state === wanted ? null : `It settled as ${after.state}, expected ${wanted}.`;
        },
      },
    ];
  },
  key: (state) => `${lifeKey(state)}|${String(state.core.isReading)}`,
  problem: (state) => {
    const { state: at, isReading } = state.core;
    if (at === 'reading' && !isReading) return 'It reads, and has everything.';
    if ((at === 'running' || at === 'done') && isReading) return `It is ${at} before its items are read.`;
    return lifeProblem(state, RUN_RULES);
  },
  isEnd: ({ core }) => core.state === 'done',
};

const EXPORT_RULES: LifeRules<ExportCore['state']> = {
  phases: {
    ...{ draft: 'draft', ready: 'ready', running: 'running', waiting: 'waiting' },
    ...{ paused: 'paused', done: 'done', cancelled: 'cancelled' },
  },
  resumable: ['paused'],
  plannable: ['ready', 'paused'],
  isReadyWhenPlanned: true,
};

const KEEP_RULES: LifeRules<KeepCore['state']> = {
  phases: { running: 'running', waiting: 'waiting', paused: 'paused', done: 'done' },
  resumable: ['paused', 'done'],
  plannable: ['paused', 'done'],
};

/** A job without parts, which ends when it settles while running. */
function plainMachine<State extends string, Core extends ExportCore | KeepCore>(
  name: string,
  starts: readonly Core[],
  rules: LifeRules<Core['state'] & State>,
  transition: (core: Core, event: JobEvent) => Core,
): Machine<Lived<Core>> {
  const settle = ({ core, nowMs }: Lived<Core>): Step<Lived<Core>> => ({
    name: 'settle',
    isPossible: true,
    apply: () => ({ core: transition(core, { type: 'settle' }), nowMs }),
    check: ({ core: after }) => {
      const wanted = core.state === 'running' ? 'done' : core.state;
      return after.state === wanted ? null : `It settled as ${after.state}, expected ${wanted}.`;
    },
  });
  return {
    name,
    starts: starts.map((core) => ({ core, nowMs: 0 })),
    steps: (state) => [...lifeSteps<string, Core>(state, rules, transition), settle(state)],
    key: lifeKey,
    problem: (state) => lifeProblem<string>(state, rules),
    isEnd: ({ core }) => core.state === 'done' || core.state === 'cancelled',
  };
}

const FILE_STARTS: readonly ExportCore[] = [
  { ...NEW, state: 'draft' },
  { ...NEW, state: 'ready' },
];
export const exportMachine = plainMachine<ExportCore['state'], ExportCore>(
  'an export',
  FILE_STARTS,
  EXPORT_RULES,
  exportTransition,
);
export const mirrorMachine = plainMachine<ExportCore['state'], ExportCore>(
  'a mirror',
  FILE_STARTS,
  EXPORT_RULES,
  mirrorTransition,
);

export const keepMachine = plainMachine<KeepCore['state'], KeepCore>(
  'a job that keeps offline',
  [{ ...NEW, state: 'paused' }],
  KEEP_RULES,
  keepTransition,
);

const OUTBOX_RULES: LifeRules<OutboxCore['state']> = {
  phases: {
    ...{ ready: 'ready', running: 'running', waiting: 'waiting', paused: 'paused' },
    ...{ 'needs-decision': 'needs-decision', failed: 'failed', done: 'done', cancelled: 'cancelled' },
  },
  resumable: ['paused', 'failed', 'needs-decision'],
  plannable: ['draft', 'ready', 'paused', 'failed'],
  isReadyWhenPlanned: true,
  // A request in flight cannot be cancelled.
  cancellable: ['ready', 'waiting', 'paused', 'needs-decision', 'failed'],
};

export const outboxMachine: Machine<Lived<OutboxCore>> = {
  name: 'a change of the outbox',
  starts: [{ core: NEW_ENTRY, nowMs: 0 }],
  steps: (state) => {
    const { core, nowMs } = state;
    const { state: at } = core;
    const isUnderWay = at === 'running' || at === 'waiting';
    const step = (name: string, event: OutboxEvent, isPossible: boolean, to: OutboxCore['state']) => ({
      name,
      isPossible,
      apply: () => {
        const after = attempt(() => outboxTransition(core, event));
        return after === null ? null : { core: after, nowMs };
      },
      check: ({ core: after }: Lived<OutboxCore>) => {
        if (after.state !== to) return `${name}: it is ${after.state}, expected ${to}.`;
        const isPlanned = after.startAtMs !== null && to !== 'ready';
        return isPlanned ? `${name}: it is planned.` : null;
      },
    });
    return [
      ...lifeSteps(state, OUTBOX_RULES, outboxTransition),
      step('the service has it', { type: 'succeed' }, true, 'done'),
      step('a person has to decide', { type: 'ask', reason: 'q' }, isUnderWay, 'needs-decision'),
      step('edit', { type: 'edit' }, !isUnderWay && at !== 'done' && at !== 'cancelled', 'ready'),
      step('restore', { type: 'restore' }, at === 'cancelled', 'ready'),
      step('settle', { type: 'settle' }, true, at),
    ];
  },
  key: lifeKey,
  problem: (state) => lifeProblem(state, OUTBOX_RULES),
  isEnd: ({ core }) => core.state === 'done' || core.state === 'cancelled',
};
