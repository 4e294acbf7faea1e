/** Jobs that change many records, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { plannedRequests } from '../../../electron/shared/job-kinds/bulk.ts';
import { formatCount, formatNumber } from '../format.ts';
import { type Mark, PLANNED, type ShownKind } from './shown-kind.ts';

const MARKS = {
  scheduled: { look: 'planned', word: 'Starts later' },
  running: { look: 'running', word: 'Running' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  stopped: { look: 'cancelled', word: 'Stopped' },
  done: { look: 'done', word: 'Done' },
} as const satisfies Record<OwnOf<'bulk'>['state'], Mark>;

export const bulk: ShownKind<'bulk'> = {
  name: 'Change of records',
  lead: '',
  warning: 'You cannot undo a deletion.',
  verbs: { cancel: 'Stop', forget: 'Dismiss' },
  badge: ({ state }) => MARKS[state],
  progress: ({ total, words }, { done }) =>
    `${formatNumber(done)} of ${formatCount(total, words.noun, words.nouns)}`,
  actions: {
    planned: PLANNED,
    ready: PLANNED,
    running: ['pause', 'cancel'],
    paused: ['resume', 'schedule', 'cancel'],
    over: ['retry', 'forget'],
  },
  isRetried: ({ counts: { failed, changed, left, unknown } }) => failed + changed + left + unknown > 0,
  requests: (own) =>
    plannedRequests(own).map(({ operation, count }) => ({ operation, count: Math.max(1, count) })),
};
