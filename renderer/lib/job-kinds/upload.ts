/** Uploads, as the window shows them. Pure. */
import type { OwnOf } from '../../../electron/shared/job-contract.ts';
import { formatCount } from '../format.ts';
import { countText, JOB_WORDS } from '../upload-words.ts';
import type { Action, JobBadge, JobQuestion, ShownKind } from './shown-kind.ts';

const LOOKS = {
  ready: 'prepared',
  scheduled: 'planned',
  running: 'running',
  paused: 'paused',
  waiting: 'waiting',
  'needs-decision': 'decide',
  done: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
} as const satisfies Record<OwnOf<'upload'>['state'], JobBadge>;

export const upload: ShownKind<'upload'> = {
  name: 'Upload',
  lead: 'Upload of',
  badge: ({ state }) => ({ look: LOOKS[state], word: JOB_WORDS[state] }),
  progress: ({ counts }) => countText(counts),
  actions: {
    planned: ['start', 'schedule', 'cancel'],
    ready: ['start', 'schedule', 'cancel'],
    running: ['pause', 'cancel'],
    paused: ['resume', 'schedule', 'cancel'],
    decide: ['cancel'],
    failed: ['forget'],
    over: ['forget'],
  },
  question,
  requests: ({ plan, counts }) => {
    const operation = plan.mode === 'publish' ? 'events.publish' : 'events.update';
    return [{ operation, count: Math.ceil((counts.unsent || counts.rows) / plan.batchRows) }];
  },
};

function question({ counts, fileName }: OwnOf<'upload'>, action: Action): JobQuestion | null {
  if (action === 'cancel') {
    return {
      title: `Cancel the upload of ${fileName}`,
      verb: 'Cancel upload',
      keepText: 'Keep uploading',
      text: `${formatCount(counts.acknowledged, 'row')} acknowledged by the service stay stored there. ${formatCount(counts.unsent, 'row')} will not be sent. A request already sent may still be stored. You cannot resume a cancelled upload, but you can upload the file again.`,
    };
  }
  if (action !== 'forget') return null;
  return {
    title: `Remove the upload of ${fileName}`,
    verb: 'Remove upload',
    text: 'Its receipts (which row became which event id), refused rows and bad rows are removed from this computer. You cannot undo this. Nothing is deleted at the service. To keep the receipts, save them as a file first.',
  };
}
