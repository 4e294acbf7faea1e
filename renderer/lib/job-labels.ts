/** State of a job of each kind as a word and a mark, for all lists. Pure. */
import type { Job, JobKindId, OwnOf } from '../../electron/shared/job-contract.ts';
import { BUILD_WORDS } from './build-words.ts';
import { formatCount, formatNumber } from './format.ts';
import { RUN_WORDS, runCounts } from './score-words.ts';
import { countText, deletionOutcome, JOB_WORDS } from './upload-words.ts';
import { WHOLE_FILE_WORDS } from './whole-file-words.ts';

export type JobBadge =
  | 'prepared'
  | 'planned'
  | 'running'
  | 'followed'
  | 'waiting'
  | 'paused'
  | 'decide'
  | 'unknown'
  | 'done'
  | 'cancelled'
  | 'interrupted'
  | 'failed';

const UPLOAD_LOOKS = {
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

const FILE_LOOKS = {
  scheduled: 'planned',
  sending: 'running',
  uploaded: 'done',
  publishing: 'running',
  following: 'followed',
  done: 'done',
  failed: 'failed',
  unknown: 'unknown',
  interrupted: 'interrupted',
  cancelled: 'cancelled',
} as const satisfies Record<OwnOf<'file'>['state'], JobBadge>;

const DELETIONS = {
  scheduled: { look: 'planned', word: 'Starts later' },
  'going-on': { look: 'followed', word: 'Running' },
  deleted: { look: 'done', word: 'Deleted' },
  accepted: { look: 'followed', word: 'Accepted' },
  failed: { look: 'failed', word: 'Failed' },
  unknown: { look: 'unknown', word: 'Unknown' },
  cancelled: { look: 'cancelled', word: 'Cancelled' },
} as const;

const BUILD_LOOKS = {
  editing: 'prepared',
  committing: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'failed',
  'needs-decision': 'decide',
  done: 'done',
  cancelled: 'cancelled',
} as const satisfies Record<OwnOf<'build'>['state'], JobBadge>;

const RUN_LOOKS = {
  reading: 'running',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'failed',
  done: 'done',
} as const satisfies Record<OwnOf<'scores'>['state'], JobBadge>;

const ITEMS = {
  ready: { look: 'prepared', word: 'Ready' },
  running: { look: 'running', word: 'Adding' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  'needs-decision': { look: 'decide', word: 'Needs a decision' },
  done: { look: 'done', word: 'Done' },
  cancelled: { look: 'cancelled', word: 'Cancelled' },
  failed: { look: 'failed', word: 'Failed' },
} as const satisfies Record<OwnOf<'items'>['state'], { look: JobBadge; word: string }>;

const BULK = {
  scheduled: { look: 'planned', word: 'Starts later' },
  running: { look: 'running', word: 'Running' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  stopped: { look: 'cancelled', word: 'Stopped' },
  done: { look: 'done', word: 'Done' },
} as const satisfies Record<OwnOf<'bulk'>['state'], { look: JobBadge; word: string }>;

const KEEP = {
  running: { look: 'running', word: 'Reading' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  done: { look: 'done', word: 'Kept' },
} as const satisfies Record<OwnOf<'keep-offline'>['state'], { look: JobBadge; word: string }>;

const OUTBOX = {
  ready: { look: 'prepared', word: 'Waits in the outbox' },
  running: { look: 'running', word: 'Sending' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Not sent' },
  'needs-decision': { look: 'decide', word: 'Needs a decision' },
  failed: { look: 'failed', word: 'Refused' },
  done: { look: 'done', word: 'Sent' },
  cancelled: { look: 'cancelled', word: 'Discarded' },
} as const satisfies Record<OwnOf<'outbox'>['state'], { look: JobBadge; word: string }>;

const EXPORT = {
  draft: { look: 'prepared', word: 'No file chosen' },
  ready: { look: 'prepared', word: 'In preparation' },
  running: { look: 'running', word: 'Exporting' },
  waiting: { look: 'waiting', word: 'Waiting' },
  paused: { look: 'paused', word: 'Paused' },
  done: { look: 'done', word: 'Exported' },
  cancelled: { look: 'cancelled', word: 'Cancelled' },
} as const satisfies Record<OwnOf<'export'>['state'], { look: JobBadge; word: string }>;

const STARTS_LATER = { look: 'planned', word: 'Starts later' } as const;
interface Mark {
  look: JobBadge;
  word: string;
}
type Marks = { [K in JobKindId]: (own: OwnOf<K>) => Mark };

const MARKS: Marks = {
  upload: ({ state }) => ({ look: UPLOAD_LOOKS[state], word: JOB_WORDS[state] }),
  file: ({ state }) => ({ look: FILE_LOOKS[state], word: WHOLE_FILE_WORDS[state] }),
  deletion: (own) => DELETIONS[deletionOutcome(own)],
  build: ({ state, startAtMs }) =>
    startAtMs === null ? { look: BUILD_LOOKS[state], word: BUILD_WORDS[state] } : STARTS_LATER,
  scores: ({ state, startAtMs, counts }) =>
    startAtMs === null
      ? inPart(
          { look: RUN_LOOKS[state], word: RUN_WORDS[state] },
          counts.scored,
          counts.skipped + counts.failed,
        )
      : STARTS_LATER,
  items: ({ state, startAtMs }) => (startAtMs === null ? ITEMS[state] : STARTS_LATER),
  bulk: ({ state }) => BULK[state],
  outbox: ({ state, startAtMs }) => (startAtMs === null ? OUTBOX[state] : STARTS_LATER),
  'keep-offline': ({ state, startAtMs }) => (startAtMs === null ? KEEP[state] : STARTS_LATER),
  export: ({ state, startAtMs, rows, missingRows }) =>
    startAtMs === null ? inPart(EXPORT[state], rows, missingRows === undefined ? 0 : 1) : STARTS_LATER,
};

/** A job that ended without all of its parts is not done: `Done in part`, or `None done` if no part succeeded. */
function inPart(mark: Mark, succeeded: number, without: number): Mark {
  if (mark.look !== 'done' || without === 0) return mark;
  return succeeded === 0
    ? { look: 'failed', word: `None ${mark.word.toLowerCase()}` }
    : { look: 'interrupted', word: `${mark.word} in part` };
}

export function badgeOf<K extends JobKindId>(kind: K, own: OwnOf<K>): Mark {
  return MARKS[kind](own);
}

interface KindLabel {
  /** Name of the kind in lists. */
  name: string;
  /** Text before the title in a sentence: `Upload of churn.csv`. */
  lead: string;
  /** Confirmation before a planned job starts at once, if its effect cannot be undone. */
  warning?: string;
  /** Button texts of this kind that differ from the default. */
  verbs?: { cancel: string; forget: string };
  /** Changes nothing at the service, so a read-only connection allows it. */
  isReading?: true;
}

export const JOB_KIND_LABELS: Readonly<Record<JobKindId, KindLabel>> = {
  upload: { name: 'Upload', lead: 'Upload of' },
  file: { name: 'File sent as is', lead: 'File sent as is:' },
  deletion: {
    name: 'Deletion of events',
    lead: 'Deletion:',
    warning: 'You cannot undo a deletion of events.',
  },
  build: { name: 'Dataset from spans', lead: 'Dataset from spans:' },
  scores: { name: 'Scores', lead: 'Scores by', isReading: true },
  items: { name: 'Items from a file', lead: 'Items from' },
  bulk: {
    name: 'Change of records',
    lead: '',
    warning: 'You cannot undo a deletion.',
    verbs: { cancel: 'Stop', forget: 'Dismiss' },
  },
  outbox: { name: 'Change in the outbox', lead: '' },
  'keep-offline': { name: 'Keep offline', lead: 'Keep offline:', isReading: true },
  export: { name: 'Export', lead: 'Export of', isReading: true },
};

/** Progress in the words of its kind; empty if there is nothing to show. */
export function progressOfJob(job: Job): string {
  switch (job.kind) {
    case 'upload':
      return countText(job.own.counts);
    case 'scores':
      return runCounts(job.own);
    case 'build':
      return `${formatNumber(job.own.counts.acknowledged)} of ${formatCount(job.progress.total ?? 0, 'item')} added`;
    case 'items':
      return itemsProgress(job.own);
    case 'bulk':
      return `${formatNumber(job.progress.done)} of ${formatCount(job.own.total, job.own.words.noun, job.own.words.nouns)}`;
    case 'file':
      return `${formatNumber(job.own.partsSent)} of ${formatCount(job.own.parts, 'part')} sent`;
    case 'keep-offline':
      return `${formatNumber(job.progress.done)} of ${formatCount(job.own.counts.questions, 'list')}, ${formatCount(job.own.counts.rows, 'row')}`;
    case 'export':
      return exportProgress(job.own);
    case 'outbox':
      return '';
    case 'deletion':
      return job.own.progress === null ? '' : `${formatNumber(job.own.progress)} %`;
  }
}

function itemsProgress({ counts }: OwnOf<'items'>): string {
  const { rows, badRows, added } = counts;
  const of = rows === null ? '' : ` of ${formatCount(rows - badRows, 'item')}`;
  return rows === null && added === 0 ? '' : `${formatNumber(added)}${of} added`;
}

function exportProgress({ state, step, rows, totalRows, file, missingRows }: OwnOf<'export'>): string {
  if (state === 'done') {
    const name = file?.split(/[\\/]/).at(-1) ?? '';
    if (missingRows !== undefined) return missingText(rows, missingRows, name);
    const skipped = (totalRows ?? rows) - rows;
    const left = skipped > 0 ? `, ${formatNumber(skipped)} skipped: the manifest says why` : '';
    return `${formatCount(rows, 'row')} written to ${name}${left}`;
  }
  if (rows === 0 && totalRows === null) return '';
  const of =
    totalRows === null
      ? formatCount(rows, 'row')
      : `${formatNumber(rows)} of ${formatCount(totalRows, 'row')}`;
  return `${of} ${step === 'reading' ? 'read' : 'written'}`;
}

/** `735 of 1,000 rows written to list.csv; 265 are missing. …` */
function missingText(rows: number, missing: number | null, file: string): string {
  const next = 'Export it again, or a part of it such as a shorter time range.';
  if (missing === null) return `${formatCount(rows, 'row')} written to ${file}; rows are missing. ${next}`;
  const are = `${formatNumber(missing)} ${missing === 1 ? 'is' : 'are'} missing`;
  return `${formatNumber(rows)} of ${formatCount(rows + missing, 'row')} written to ${file}; ${are}. ${next}`;
}

export const JOB_GROUPS = ['decide', 'running', 'planned', 'resting', 'over'] as const;
export type JobGroup = (typeof JOB_GROUPS)[number];
export const JOB_GROUP_WORDS: Readonly<Record<JobGroup, string>> = {
  decide: 'Need a decision',
  running: 'Running',
  planned: 'Start later',
  resting: 'Paused or in preparation',
  over: 'Ended',
};

/** Its group in the list of all jobs: jobs that need the user come first. */
export function groupOfJob({
  kind,
  state,
  error,
  startAtMs,
}: Pick<Job, 'kind' | 'state' | 'error' | 'startAtMs'>): JobGroup {
  if (state === 'needs-decision') return 'decide';
  // A build that is paused by a question.
  if (state === 'paused' && error?.code === 'NEEDS_DECISION') return 'decide';
  // A refused change stays in the outbox until it is corrected or discarded.
  if (kind === 'outbox' && state === 'failed') return 'decide';
  if (startAtMs !== null) return 'planned';
  switch (state) {
    case 'running':
    case 'waiting':
      return 'running';
    case 'draft':
    case 'ready':
    case 'paused':
      return 'resting';
    default:
      return 'over';
  }
}
