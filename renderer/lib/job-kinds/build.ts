/** Jobs that make datasets from spans, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { BUILD_WORDS } from '../build-words.ts';
import { formatCount, formatNumber } from '../format.ts';
import { type JobBadge, PLANNED, type ShownKind, unlessPlanned } from './shown-kind.ts';

const LOOKS = {
  editing: 'prepared',
  committing: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'failed',
  'needs-decision': 'decide',
  done: 'done',
  cancelled: 'cancelled',
} as const satisfies Record<OwnOf<'build'>['state'], JobBadge>;

export const build: ShownKind<'build'> = {
  name: 'Dataset from spans',
  lead: 'Dataset from spans:',
  badge: (own) => unlessPlanned(own, { look: LOOKS[own.state], word: BUILD_WORDS[own.state] }),
  progress: ({ counts }, { total }) =>
    `${formatNumber(counts.acknowledged)} of ${formatCount(total ?? 0, 'item')} added`,
  // Resuming a failed build retries the part it stopped at.
  actions: {
    planned: PLANNED,
    running: ['pause', 'cancel'],
    paused: ['resume', 'cancel'],
    failed: ['resume', 'cancel'],
  },
};
