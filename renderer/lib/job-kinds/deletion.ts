/** Jobs that delete events, as the window shows them. Pure. */
import { formatNumber } from '../format.ts';
import { deletionOutcome } from '../upload-words.ts';
import { PLANNED, type ShownKind } from './shown-kind.ts';

const MARKS = {
  scheduled: { look: 'planned', word: 'Starts later' },
  'going-on': { look: 'followed', word: 'Running' },
  deleted: { look: 'done', word: 'Deleted' },
  accepted: { look: 'followed', word: 'Accepted' },
  paused: { look: 'paused', word: 'Paused' },
  failed: { look: 'failed', word: 'Failed' },
  unknown: { look: 'unknown', word: 'Unknown' },
  cancelled: { look: 'cancelled', word: 'Cancelled' },
} as const;

export const deletion: ShownKind<'deletion'> = {
  name: 'Deletion of events',
  lead: 'Deletion:',
  warning: 'You cannot undo a deletion of events.',
  badge: (own) => MARKS[deletionOutcome(own)],
  progress: ({ progress }) => (progress === null ? '' : `${formatNumber(progress)} %`),
  actions: { planned: PLANNED, paused: ['resume', 'cancel'] },
};
