/**
 * Jobs that send items of a dataset, from a file or a version of another dataset, or results of an experiment, as the
 * window shows them. Pure.
 */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { formatCount, formatNumber } from '../format.ts';
import { type Mark, type ShownKind, unlessPlanned } from './shown-kind.ts';

const MARKS = {
  ready: { look: 'prepared', word: 'Ready' },
  running: { look: 'running', word: 'Adding' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  'needs-decision': { look: 'decide', word: 'Needs a decision' },
  done: { look: 'done', word: 'Done' },
  cancelled: { look: 'cancelled', word: 'Cancelled' },
  failed: { look: 'failed', word: 'Failed' },
} as const satisfies Record<OwnOf<'items'>['state'], Mark>;

export const items: ShownKind<'items'> = {
  name: 'Items of a dataset',
  lead: 'Items from',
  // A copy of a version has words of its own, because it reads no file of the user.
  words: ({ plan }) => {
    if (plan.experiment !== undefined) return { name: 'Results of an experiment', lead: 'Results from' };
    return plan.copyOf === undefined ? null : { name: 'Copy of a dataset', lead: 'New dataset:' };
  },
  badge: (own) => unlessPlanned(own, MARKS[own.state]),
  progress: ({ plan, counts: { rows, badRows, added, doubtful = 0 } }) => {
    const noun = plan.experiment === undefined ? 'item' : 'result';
    const of = rows === null ? '' : ` of ${formatCount(rows - badRows, noun)}`;
    const doubt = doubtful === 0 ? '' : ` · ${formatNumber(doubtful)} with a doubtful receipt`;
    return rows === null && added === 0 ? '' : `${formatNumber(added)}${of} added${doubt}`;
  },
  actions: {
    planned: ['start', 'schedule', 'cancel'],
    ready: ['start', 'schedule', 'cancel'],
    running: ['pause', 'cancel'],
    paused: ['resume', 'schedule', 'cancel'],
    decide: ['resume', 'cancel'],
    failed: ['resume', 'forget'],
    over: ['forget'],
  },
};
