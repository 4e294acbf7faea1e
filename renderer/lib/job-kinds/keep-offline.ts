/** Jobs that keep data for offline use, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { formatCount, formatNumber } from '../format.ts';
import { type Mark, PAUSABLE, type ShownKind, unlessPlanned } from './shown-kind.ts';

const MARKS = {
  running: { look: 'running', word: 'Reading' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  done: { look: 'done', word: 'Kept' },
} as const satisfies Record<OwnOf<'keep-offline'>['state'], Mark>;

export const keepOffline: ShownKind<'keep-offline'> = {
  name: 'Keep offline',
  lead: 'Keep offline:',
  isReading: true,
  badge: (own) => unlessPlanned(own, MARKS[own.state]),
  progress: ({ counts: { questions, rows } }, { done }) =>
    `${formatNumber(done)} of ${formatCount(questions, 'list')}, ${formatCount(rows, 'row')}`,
  actions: PAUSABLE,
};
