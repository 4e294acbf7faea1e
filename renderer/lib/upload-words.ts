/** Texts of the upload views about jobs, batches, checks and deletions. Pure. */
import { constantWords } from '../../electron/shared/constant-words.ts';
import type { ParsedIds } from '../../electron/shared/receipts-file.ts';
import { policyText } from '../../electron/shared/row-policy.ts';
import { isModelUnread } from '../../electron/shared/upload-columns.ts';
import type {
  BatchState,
  DeletionBudget,
  DryRun,
  EventDeletion,
  FilePreview,
  JobState,
  UploadCounts,
  UploadJob,
  UploadPlan,
} from '../../electron/shared/upload-model.ts';
import type { UploadStep } from '../../electron/shared/upload-preparation.ts';
import type { WholeFile } from '../../electron/shared/whole-file-contract.ts';
import type { CountPart, CountSum } from './count-words.ts';
import {
  formatCount,
  formatDuration,
  formatFull,
  formatMoment,
  formatNumber,
  formatStamp,
} from './format.ts';
import { WHOLE_FILE_WORDS } from './whole-file-words.ts';

/** Titles of the steps of an upload in preparation. */
export const STEP_TITLES: Readonly<Record<UploadStep, string>> = {
  file: 'File',
  mapping: 'Columns and rows',
  send: 'Send',
};

/**
 * The notes of the preview. Notes of doubt about a column's type are left out if the user chose another type for it.
 */
export function notesOf(
  { notes, columns }: Pick<FilePreview, 'notes' | 'columns'>,
  typeOf: (source: string) => string | undefined,
): string[] {
  const settled = columns.flatMap(({ name, type, notes: own = [] }) =>
    (typeOf(name) ?? type) === type
      ? []
      : own.filter(({ about }) => about === 'type').map(({ text }) => text),
  );
  return notes.filter((note) => !settled.includes(note));
}

/** Number of questions and kinds of problems that a check found. */
export function findingsOf({ problems = [], questions = [] }: DryRun): number {
  return problems.length + questions.length;
}

/** Whether a check shows anything besides good rows that are sent unchanged. */
export function isWorthALook(run: DryRun): boolean {
  const { badRows, proposed = [], notes = [], otherReading = null, ledger } = run;
  const changes =
    (ledger?.changes.length ?? 0) + (ledger?.leftOut.length ?? 0) + (ledger?.decisions.length ?? 0);
  return findingsOf(run) + badRows + proposed.length + notes.length + changes > 0 || otherReading !== null;
}

/** Values that are sent changed: `57 values, by 2 rules`; null if there are none. */
export function changedText({ ledger }: DryRun): string | null {
  const changes = ledger?.changes ?? [];
  if (changes.length === 0) return null;
  const values = changes.reduce((sum, { count }) => sum + count, 0);
  return `${formatCount(values, 'value')}, by ${formatCount(new Set(changes.map(({ rule }) => rule)).size, 'rule')}`;
}

export const JOB_WORDS: Readonly<Record<JobState, string>> = {
  ready: 'Ready',
  scheduled: 'Starts later',
  running: 'Sending',
  paused: 'Paused',
  waiting: 'Waiting',
  'needs-decision': 'Decision needed',
  done: 'Done',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

/**
 * Whether every word of a search occurs in an upload: in its file name, model, environment, mapping, state or creation
 * date (`2026-05-01`, or in the display format).
 */
export function isUploadFound({ fileName, plan, state, createdAtMs }: UploadJob, search: string): boolean {
  const { modelName, envType, envName, preset = '' } = plan;
  return hasWords(
    [fileName, modelName, envType, envName ?? '', preset, JOB_WORDS[state]],
    createdAtMs,
    search,
  );
}

/** Whether every word of a search occurs in a file that is sent unchanged. */
export function isFileFound(file: WholeFile, modelName: string | null, search: string): boolean {
  const { name, envType, envName, state, startedAtMs } = file;
  return hasWords(
    [name, modelName ?? '', envType, envName ?? '', WHOLE_FILE_WORDS[state]],
    startedAtMs,
    search,
  );
}

function hasWords(texts: readonly string[], atMs: number, search: string): boolean {
  const day = formatStamp(atMs).slice(0, 10);
  const all = [...texts, day, formatFull(atMs)].join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** `3 of 10 batches acknowledged`; `no batches yet` before the first one is made. */
export function acknowledgedText(
  { total, acknowledged }: { total: number; acknowledged: number },
  one: string,
  many: string,
): string {
  return total === 0
    ? `no ${many} yet`
    : `${formatNumber(acknowledged)} of ${formatCount(total, one, many)} acknowledged`;
}

export const BATCH_WORDS: Readonly<Record<BatchState, string>> = {
  pending: 'not sent',
  sending: 'sending',
  acknowledged: 'acknowledged',
  refused: 'refused',
  unknown: 'unknown',
  cancelled: 'not sent',
};

const COUNT_PARTS: readonly (Omit<CountPart, 'count'> & { look: Exclude<CountPart['look'], 'undone'> })[] = [
  { look: 'acknowledged', word: 'acknowledged', meaning: 'The service confirmed that it stored them.' },
  { look: 'refused', word: 'refused', meaning: 'The service refused them and did not store them.' },
  {
    look: 'unknown',
    word: 'unknown',
    meaning: 'Sent, but no answer came: they may or may not be stored.',
  },
  { look: 'rejected', word: 'bad', meaning: 'Not valid for the model. Skipped, never sent.' },
  { look: 'unsent', word: 'not sent', meaning: 'Not sent yet.' },
];

/** The rows of a job and their parts. */
export function countSum(counts: UploadCounts): CountSum {
  const parts = COUNT_PARTS.map((part) => ({ ...part, count: counts[part.look] }));
  return { whole: counts.rows, noun: 'row', wholeWord: 'rows', parts };
}

/** An estimate, marked as one: `about 300,000 rows`. */
export function aboutRows(estimate: number): string {
  return `about ${formatCount(Number(estimate.toPrecision(3)), 'row')}`;
}

/** One line for a list: `3,000 of 10,000 rows · 1,000 unknown`. */
export function countText(counts: UploadCounts): string {
  const others = countSum(counts).parts.filter(
    ({ look, count }) => look !== 'acknowledged' && look !== 'unsent' && count > 0,
  );
  return [
    `${formatNumber(counts.acknowledged)} of ${formatCount(counts.rows, 'row')}`,
    ...others.map(({ count, word }) => `${formatNumber(count)} ${word}`),
  ].join(' · ');
}

/** `1,000 with a doubtful receipt`; null if no receipt is doubtful. */
export function doubtText({ rows }: UploadJob['doubtful']): string | null {
  return rows === 0 ? null : `${formatNumber(rows)} with a doubtful receipt`;
}

const DELETED = {
  'going-on': 'being deleted since',
  deleted: 'deleted',
  accepted: 'accepted for deletion',
  unknown: 'may be deleted, requested',
} as const;

/** Deletions of an upload's events by id, with their outcomes: `10,000 deleted 12:28`. */
export function deletedTexts(
  { deletions, counts }: Pick<UploadJob, 'deletions' | 'counts'>,
  nowMs: number,
): string[] {
  // Deletions of the same minute are combined.
  const same = Map.groupBy(
    deletions,
    ({ outcome, atMs }) => `${DELETED[outcome]} ${formatMoment(atMs, nowMs)}`,
  );
  return [...same].map(([words, of]) => {
    const rows = of.reduce((sum, each) => sum + each.rows, 0);
    return `${formatNumber(Math.min(rows, counts.acknowledged))} ${words}`;
  });
}

/** `Sent 3,000 of 10,000 rows. 1 batch has no answer: it may or may not be stored.` */
export function progressSentence({ counts, batches }: Pick<UploadJob, 'counts' | 'batches'>): string {
  const sentences = [`Sent ${formatNumber(counts.acknowledged)} of ${formatCount(counts.rows, 'row')}.`];
  if (batches.unknown > 0) {
    const many = batches.unknown === 1 ? 'has no answer: it' : 'have no answer: they';
    sentences.push(`${formatCount(batches.unknown, 'batch', 'batches')} ${many} may or may not be stored.`);
  }
  if (counts.refused > 0) sentences.push(`${formatCount(counts.refused, 'row')} refused.`);
  if (counts.rejected > 0) sentences.push(`${formatCount(counts.rejected, 'bad row')} skipped.`);
  return sentences.join(' ');
}

export function rateText(job: Pick<UploadJob, 'rowsPerSecond' | 'state'>): string | null {
  if (job.rowsPerSecond === null || job.state !== 'running') return null;
  const rate = job.rowsPerSecond;
  const perSecond = rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
  return `${formatNumber(perSecond)} rows/s`;
}

/** A predicted duration, rounded up to seconds because it is not precise. */
export function roughly(ms: number): string {
  return formatDuration(Math.max(1, Math.ceil(ms / 1_000)) * 1_000).replace(/\.0 s$/, ' s');
}

export function leftText(job: Pick<UploadJob, 'etaMs' | 'state'>): string | null {
  if (job.etaMs === null || (job.state !== 'running' && job.state !== 'waiting')) return null;
  return `${roughly(job.etaMs)} left`;
}

/** `10,000 event ids from receipts in churn-receipts.csv · 2 rows without an event id · 3 duplicates` */
export function parsedIdsText({ ids, doubles, receipts }: ParsedIds, fileName: string | null): string {
  const from = fileName === null ? ' from pasted receipts' : ` from receipts in ${fileName}`;
  const withoutId = receipts?.withoutId ?? 0;
  return [
    `${formatCount(ids.length, 'event id')}${receipts === null ? '' : from}`,
    ...(withoutId > 0 ? [`${formatCount(withoutId, 'row')} without an event id`] : []),
    ...(doubles > 0 ? [formatCount(doubles, 'duplicate')] : []),
  ].join(' · ');
}

/** How much of the daily limit of deletions is used: `3 of 30 deletions today`. */
export function budgetText({ usedToday, limit }: DeletionBudget): string {
  return `${formatNumber(usedToday)} of ${formatNumber(limit)} deletions today`;
}

const STAMP = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** The reason why this is not a time in the format that the service documents, or null. */
export function stampProblem(text: string): string | null {
  if (STAMP.test(text) && !Number.isNaN(Date.parse(`${text.replace(' ', 'T')}Z`))) return null;
  return 'Expected a date and time like 2026-03-12 14:00:00.';
}

type DeletionOutcome =
  | 'scheduled'
  | 'going-on'
  | 'deleted'
  | 'accepted'
  | 'paused'
  | 'failed'
  | 'unknown'
  | 'cancelled';

/** The outcome of a deletion by the state of its job; unknown if the response was lost. */
export function deletionOutcome(
  deletion: Pick<EventDeletion, 'status' | 'error' | 'jobId'>,
): DeletionOutcome {
  const status = deletion.status.toUpperCase();
  if (status === 'UNKNOWN' || deletion.error?.details.outcome === 'unknown') return 'unknown';
  if (status === 'SCHEDULED') return 'scheduled';
  if (status === 'PAUSED') return 'paused';
  if (status === 'CANCELLED') return 'cancelled';
  if (status === 'ACCEPTED') return 'accepted';
  if (status === 'SUCCESS') return 'deleted';
  if (deletion.error !== null || ['FAILURE', 'REVOKED', 'REFUSED', 'NOT-SENT'].includes(status))
    return 'failed';
  return 'going-on';
}

/**
 * Says which columns of the model the file fills, so that rows are not called good too early; null if it fills all. If
 * the model could not be read, the notes of the check name the reason.
 */
export function coverageText(run: Pick<DryRun, 'modelColumns' | 'notes'>, modelName: string): string | null {
  if (isModelUnread(run.notes ?? []))
    return `The schema of ${modelName} could not be read, so rows were read but not checked against it.`;
  if (run.modelColumns === null || run.modelColumns === undefined)
    return `The service does not provide the schema of ${modelName}, so rows were read but not checked against it.`;
  const { filled, total } = run.modelColumns;
  if (filled >= total) return null;
  return `This file fills ${formatNumber(filled)} of the ${formatCount(total, 'column')} of ${modelName}; the others stay empty in every row.`;
}

/**
 * The word for rows without an error. They are called good only if every column of the model was filled and checked.
 */
export function rowsWord({ modelColumns }: Pick<DryRun, 'modelColumns'>): 'good' | 'readable' {
  return modelColumns && modelColumns.filled >= modelColumns.total ? 'good' : 'readable';
}

/** The result of a finished check in one sentence. */
export function checkVerdict({
  rows,
  badRows,
  unusualRows = 0,
  modelColumns,
}: Pick<DryRun, 'rows' | 'badRows' | 'unusualRows' | 'modelColumns'>) {
  if (rows === 0) return 'The file has a header but no rows. There is nothing to send.';
  if (badRows > 0) return `${formatCount(badRows, 'row')} would not be accepted.`;
  if (modelColumns === null || modelColumns === undefined) return 'Every row can be read.';
  if (unusualRows > 0) return 'No row is bad. Unusual rows are sent as they are.';
  const { filled, total } = modelColumns;
  return filled < total ? 'No bad rows in the columns that this file fills.' : 'Every row is good.';
}

/** `production / eu-west`: known environments in words, other names unchanged. */
export const environmentText = ({
  envType,
  envName,
}: Pick<UploadPlan, 'envType'> & { envName: string | null }): string =>
  [constantWords(envType.trim()), envName?.trim() ?? ''].filter((part) => part !== '').join(' / ');

/** `New events in production · 1,000 rows a request · stops at bad rows` */
export function optionsText({
  mode,
  envType,
  envName,
  batchRows,
  onBadRow,
}: Pick<UploadPlan, 'mode' | 'envType' | 'batchRows' | 'onBadRow'> & { envName: string }): string {
  const place = environmentText({ envType, envName });
  return [
    `${mode === 'publish' ? 'New events' : 'Updates of events'}${place === '' ? '' : ` in ${place}`}`,
    ...(Number.isInteger(batchRows) ? [`${formatCount(batchRows, 'row')} a request`] : []),
    policyText(onBadRow),
  ].join(' · ');
}
