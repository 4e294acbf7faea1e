/** Score runs, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { RUN_WORDS, runCounts } from '../score-words.ts';
import { inPart, type JobBadge, PAUSABLE, type ShownKind, unlessPlanned } from './shown-kind.ts';

const LOOKS = {
  reading: 'running',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'failed',
  done: 'done',
} as const satisfies Record<OwnOf<'scores'>['state'], JobBadge>;

export const scores: ShownKind<'scores'> = {
  name: 'Scores',
  lead: 'Scores by',
  isReading: true,
  badge: (own) => {
    const { state, counts } = own;
    const mark = { look: LOOKS[state], word: RUN_WORDS[state] };
    return unlessPlanned(own, inPart(mark, counts.scored, counts.skipped + counts.failed));
  },
  progress: (own) => runCounts(own),
  actions: { ...PAUSABLE, failed: ['resume'] },
};
