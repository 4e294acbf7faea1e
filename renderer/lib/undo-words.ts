/** Texts about undoing an upload, for its view. Pure. */
import { deletedRows, takenRows } from '../../electron/shared/upload-deletions.ts';
import type { RowCount, UndoPlan, UploadJob } from '../../electron/shared/upload-model.ts';
import type { CountPart, CountSum } from './count-words.ts';
import { formatCount, formatMoment, formatNumber } from './format.ts';
import { countSum } from './upload-words.ts';

/** Outcome of undoing an upload, in at most three words; null until it has ended. */
export function undoneWord(job: Pick<UploadJob, 'deletions' | 'counts'>): string | null {
  const { deletions, counts } = job;
  const outcomes = new Set(deletions.map(({ outcome }) => outcome));
  if (outcomes.has('going-on')) return null;
  if (outcomes.has('accepted')) return 'Accepted for deletion';
  if (!outcomes.has('deleted')) return null;
  return deletedRows(job) === counts.acknowledged ? 'Undone' : 'Partly undone';
}

/** `Undone 14:05, 9,998 of 9,998`, or how many deletions are only accepted; null until the undo has ended. */
export function undoneText(job: Pick<UploadJob, 'deletions' | 'counts'>, nowMs: number): string | null {
  const { deletions, counts } = job;
  const word = undoneWord(job);
  const accepted = deletions.find(({ outcome }) => outcome === 'accepted');
  const newest = accepted ?? deletions.find(({ outcome }) => outcome === 'deleted');
  if (newest === undefined || word === null) return null;
  const rows = accepted === undefined ? deletedRows(job) : takenRows(job);
  return `${word} ${formatMoment(newest.atMs, nowMs)}, ${formatNumber(rows)} of ${formatNumber(counts.acknowledged)}`;
}

/** The parts of an upload, with deleted rows counted separately from acknowledged ones. */
export function sumWithUndone(job: Pick<UploadJob, 'deletions' | 'counts'>): CountSum {
  const sum = countSum(job.counts);
  const undone = deletedRows(job);
  const parts = sum.parts.flatMap((part): CountPart[] => {
    if (part.look !== 'acknowledged' || undone === 0) return [part];
    const gone = { look: 'undone', word: 'undone', meaning: 'Deleted again by an undo.' } as const;
    return [
      { ...part, count: part.count - undone },
      { ...gone, count: undone },
    ];
  });
  return { ...sum, parts };
}

/** Row counts of the service, in chronological order. */
export function undoCountLines({ rowCounts }: Pick<UploadJob, 'rowCounts'>): {
  label: string;
  count: RowCount;
}[] {
  const { beforeUpload, beforeUndo, afterUndo } = rowCounts;
  const all = [
    ['Before the upload', beforeUpload],
    ['Before the undo', beforeUndo],
    ['After the undo', afterUndo],
  ] as const;
  return all.flatMap(([label, count]) => (count === null ? [] : [{ label, count }]));
}

/**
 * The conclusion about the deletions that the row counts allow. There is none about a deletion without an answer:
 * others may have changed the count too.
 */
export function undoProof({ rowCounts, deletions }: Pick<UploadJob, 'rowCounts' | 'deletions'>): {
  text: string;
  tone: 'ok' | 'warn' | 'plain';
} {
  const { beforeUpload, beforeUndo, afterUndo } = rowCounts;
  if (afterUndo === null || beforeUndo === null)
    return { text: 'Counted again once all deletions are done.', tone: 'plain' };
  const missing = [beforeUndo, afterUndo].find(({ rowCount }) => rowCount === null);
  if (missing !== undefined)
    return { text: `The counts prove nothing: ${missing.reason}.`.replace(/\.\.$/, '.'), tone: 'plain' };
  const gone = deletions
    .filter(({ outcome, atMs }) => outcome === 'deleted' && atMs >= beforeUndo.atMs)
    .reduce((rows, each) => rows + each.rows, 0);
  const fewer = (beforeUndo.rowCount ?? 0) - (afterUndo.rowCount ?? 0);
  const change = `${formatCount(Math.abs(fewer), 'row')} ${fewer < 0 ? 'more' : 'fewer'}`;
  if (deletions.some(({ outcome }) => outcome === 'going-on'))
    return {
      text: `${change} so far. The service has not reported yet that all deletions are done.`,
      tone: 'plain',
    };
  if (deletions.some(({ outcome }) => outcome === 'accepted'))
    return {
      text: `${change} so far. The service accepted the deletions and does not report when they are done: rows are counted again now and then, for an hour.`,
      tone: 'plain',
    };
  const unanswered = deletions
    .filter(({ outcome }) => outcome === 'unknown')
    .reduce((rows, each) => rows + each.rows, 0);
  if (fewer !== gone && unanswered > 0) {
    const text = `${change} than before the undo; ${formatNumber(gone)} were deleted, and deletions of ${formatNumber(unanswered)} have no answer: these may be deleted or not.`;
    return { text, tone: 'warn' };
  }
  if (fewer !== gone) {
    const text = `${change} than before the undo, and ${formatNumber(gone)} were deleted. Other writers, rows with the same event id, or a count that is behind may be why.`;
    return { text, tone: 'warn' };
  }
  const isAsBefore = beforeUpload?.rowCount === afterUndo.rowCount;
  const asBefore = isAsBefore ? ' The environment has as many as before the upload.' : '';
  return { text: `${formatCount(gone, 'row')} fewer, as many as were deleted.${asBefore}`, tone: 'ok' };
}

/** Reasons why rows remain, with the number of rows for each. */
export function staysTexts({ left }: Pick<UndoPlan, 'left'>): string[] {
  const all: [number, string][] = [
    [left.unknown, 'of unknown outcome'],
    [left.withoutId, 'without an event id'],
    [left.shared, 'whose event ids other uploads use too'],
  ];
  return all
    .filter(([count]) => count > 0)
    .map(([count, reason]) => `${formatCount(count, 'row')} ${reason}`);
}

/** A sentence about rows of an earlier deletion that got no answer; empty if there are none. */
export const againText = ({ maybeDeleted }: Pick<UndoPlan, 'maybeDeleted'>): string =>
  maybeDeleted === 0
    ? ''
    : `An earlier deletion of ${formatCount(maybeDeleted, 'row')} has no answer: they may be deleted already.`;

/** One step of an undo, and why it deletes exactly the right rows. */
interface UndoStep {
  what: string;
  proof: string;
  /** Number of events that the step deletes; null if it deletes none. */
  events: number | null;
  /** When the step takes place, as text. */
  when: string;
}

/** When a group of deletions starts. `isAway`: nothing can be sent at present. */
const startText = (isNow: boolean, atMs: number, nowMs: number, isAway: boolean): string =>
  isNow ? (isAway ? 'once online' : 'now') : `from ${formatMoment(atMs, nowMs)}`;

/** The steps of an undo: deletions by start time, and how their effect is checked. */
export function undoSteps(
  { deletions, reason }: Pick<UndoPlan, 'deletions' | 'reason'>,
  nowMs: number,
  isAway: boolean,
): UndoStep[] {
  const byStart = [...Map.groupBy(deletions, ({ startAtMs }) => startAtMs)];
  const steps = byStart.map(([atMs, of], at): UndoStep => {
    const events = of.reduce((sum, each) => sum + each.events, 0);
    const when = startText(of[0]?.isNow === true, atMs, nowMs, isAway);
    const range = of.find((each) => each.range !== null)?.range ?? null;
    if (range !== null) {
      const what = `By time: ${range.startTime} up to ${range.endTime}`;
      return { what, proof: `Nothing else lies there. ${reason}`, events, when };
    }
    const proof = at === 0 ? `Only the receipts of this upload have these ids. ${reason}`.trim() : '';
    return { what: `By event ids, ${formatCount(of.length, 'deletion')}`, proof, events, when };
  });
  const proof =
    'The rows are counted before and after each deletion, as far as the service shows them. This upload then says how many are undone.';
  return [...steps, { what: 'Verification', proof, events: null, when: '' }];
}

/** `2 now · 28 from 24 Nov 00:05`: number of deletions per start time. */
export function daysText({ deletions }: Pick<UndoPlan, 'deletions'>, nowMs: number, isAway: boolean): string {
  return [...Map.groupBy(deletions, ({ startAtMs }) => startAtMs)]
    .map(([atMs, of]) => {
      const start = startText(of[0]?.isNow === true, atMs, nowMs, isAway);
      return `${formatNumber(of.length)} ${start}`;
    })
    .join(' · ');
}

/**
 * One mark for each deletion allowed per day: used, needed now, or left. Limited in number, as the service's limit can
 * be very large.
 */
export function budgetTicks(
  { deletions, budget }: Pick<UndoPlan, 'deletions' | 'budget'>,
  most: number,
): ('used' | 'now' | 'free')[] {
  const { limit, usedToday } = budget;
  const now = deletions.filter(({ isNow }) => isNow).length;
  return Array.from({ length: Math.min(limit, most) }, (_, at) =>
    at < usedToday ? 'used' : at < usedToday + now ? 'now' : 'free',
  );
}
