/** Changes in the outbox, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { type Mark, PLANNED, type ShownKind, unlessPlanned } from './shown-kind.ts';

const MARKS = {
  ready: { look: 'prepared', word: 'Waits in the outbox' },
  running: { look: 'running', word: 'Sending' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Not sent' },
  'needs-decision': { look: 'decide', word: 'Needs a decision' },
  failed: { look: 'failed', word: 'Refused' },
  done: { look: 'done', word: 'Sent' },
  cancelled: { look: 'cancelled', word: 'Discarded' },
} as const satisfies Record<OwnOf<'outbox'>['state'], Mark>;

export const outbox: ShownKind<'outbox'> = {
  name: 'Change in the outbox',
  lead: '',
  needsDecisionIfFailed: true,
  badge: (own) => unlessPlanned(own, MARKS[own.state]),
  progress: () => '',
  actions: { planned: PLANNED },
};
