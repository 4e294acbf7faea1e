/** Jobs that send a file unchanged, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { formatCount, formatNumber } from '../format.ts';
import { WHOLE_FILE_WORDS } from '../whole-file-words.ts';
import { type JobBadge, PLANNED, type ShownKind } from './shown-kind.ts';

const LOOKS = {
  scheduled: 'planned',
  sending: 'running',
  uploaded: 'done',
  publishing: 'running',
  following: 'followed',
  done: 'done',
  failed: 'failed',
  unknown: 'unknown',
  interrupted: 'interrupted',
  paused: 'paused',
  cancelled: 'cancelled',
} as const satisfies Record<OwnOf<'file'>['state'], JobBadge>;

export const file: ShownKind<'file'> = {
  name: 'File sent as is',
  lead: 'File sent as is:',
  badge: ({ state }) => ({ look: LOOKS[state], word: WHOLE_FILE_WORDS[state] }),
  progress: ({ partsSent, parts }) => `${formatNumber(partsSent)} of ${formatCount(parts, 'part')} sent`,
  actions: { planned: PLANNED },
};
