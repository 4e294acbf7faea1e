/** What the page of an upload says of taking it back. Pure. */
import type { RowCount, UndoPlan, UploadJob } from '../../electron/shared/upload-model.ts';
import type { CountPart, CountSum } from './count-words.ts';
import { formatCount, formatMoment, formatNumber } from './format.ts';
import { countSum } from './upload-words.ts';

/** Rows of an upload whose deletion the service confirmed, at most those it acknowledged. */
export function undoneRows({ deletions, counts }: Pick<UploadJob, 'deletions' | 'counts'>): number {
  const done = deletions.filter(({ outcome }) => outcome === 'deleted');
  return Math.min(
    done.reduce((rows, each) => rows + each.rows, 0),
    counts.acknowledged,
  );
}

/** Rows of an upload that are gone, or that the service accepted to delete. */
export function takenRows({ deletions, counts }: Pick<UploadJob, 'deletions' | 'counts'>): number {
  const taken = deletions.filter(({ outcome }) => outcome === 'deleted' || outcome === 'accepted');
  return Math.min(
    taken.reduce((rows, each) => rows + each.rows, 0),
    counts.acknowledged,
  );
}

/** How the undo of an upload ended, in a word or three; null before it did. */
export function undoneWord(job: Pick<UploadJob, 'deletions' | 'counts'>): string | null {
  const { deletions, counts } = job;
  const outcomes = new Set(deletions.map(({ outcome }) => outcome));
  if (outcomes.has('going-on')) return null;
  if (outcomes.has('accepted')) return 'Accepted for deletion';
  if (!outcomes.has('deleted')) return null;
  return undoneRows(job) === counts.acknowledged ? 'Undone' : 'Partly undone';
}

/** `Undone 14:05, 9,998 of 9,998` once nothing of it goes on, or how much is only accepted; null before. */
export function undoneText(job: Pick<UploadJob, 'deletions' | 'counts'>, nowMs: number): string | null {
  const { deletions, counts } = job;
  const word = undoneWord(job);
  const accepted = deletions.find(({ outcome }) => outcome === 'accepted');
  const newest = accepted ?? deletions.find(({ outcome }) => outcome === 'deleted');
  if (newest === undefined || word === null) return null;
  const rows = accepted === undefined ? undoneRows(job) : takenRows(job);
  return `${word} ${formatMoment(newest.atMs, nowMs)}, ${formatNumber(rows)} of ${formatNumber(counts.acknowledged)}`;
}

/** The sum of an upload with the acknowledged rows that are gone again beside those that are there. */
export function sumWithUndone(job: Pick<UploadJob, 'deletions' | 'counts'>): CountSum {
  const sum = countSum(job.counts);
  const undone = undoneRows(job);
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

/** What the service counted, in the order of time. */
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

/** What these counts say of the deletions, and no more than that. */
export function undoProof({ rowCounts, deletions }: Pick<UploadJob, 'rowCounts' | 'deletions'>): {
  text: string;
  tone: 'ok' | 'warn' | 'plain';
} {
  const { beforeUpload, beforeUndo, afterUndo } = rowCounts;
  if (afterUndo === null || beforeUndo === null)
    return { text: 'Counted again once all deletions are through.', tone: 'plain' };
  const untold = [beforeUndo, afterUndo].find(({ rowCount }) => rowCount === null);
  if (untold !== undefined)
    return { text: `The counts prove nothing: ${untold.why}.`.replace(/\.\.$/, '.'), tone: 'plain' };
  const gone = deletions
    .filter(({ outcome, atMs }) => outcome === 'deleted' && atMs >= beforeUndo.atMs)
    .reduce((rows, each) => rows + each.rows, 0);
  const fewer = (beforeUndo.rowCount ?? 0) - (afterUndo.rowCount ?? 0);
  const change = `${formatCount(Math.abs(fewer), 'row')} ${fewer < 0 ? 'more' : 'fewer'}`;
  if (deletions.some(({ outcome }) => outcome === 'going-on'))
    return {
      text: `${change} so far. The service has not said yet that all deletions are through.`,
      tone: 'plain',
    };
  if (deletions.some(({ outcome }) => outcome === 'accepted'))
    return {
      text: `${change} so far. The service accepted the deletions and does not say when they are through: rows are counted again now and then, for an hour.`,
      tone: 'plain',
    };
  if (fewer !== gone) {
    const text = `${change} than before the undo, and ${formatNumber(gone)} were deleted. Other writers, rows with the same event id, or a count that is behind may be why.`;
    return { text, tone: 'warn' };
  }
  const isAsBefore = beforeUpload?.rowCount === afterUndo.rowCount;
  const asBefore = isAsBefore ? ' The environment has as many as before the upload.' : '';
  return { text: `${formatCount(gone, 'row')} fewer, as many as were deleted.${asBefore}`, tone: 'ok' };
}

/** What stays, a sentence for each reason. */
export function staysTexts({ left }: Pick<UndoPlan, 'left'>): string[] {
  const all: [number, string][] = [
    [left.unknown, 'of unknown outcome'],
    [left.withoutId, 'without an event id'],
    [left.shared, 'whose event ids other uploads use too'],
  ];
  return all.filter(([count]) => count > 0).map(([count, why]) => `${formatCount(count, 'row')} ${why}`);
}

/** One thing that an undo does, and why it takes exactly what it should. */
interface UndoStep {
  what: string;
  proof: string;
  /** Events that go with it; null where none do. */
  events: number | null;
  /** When it is done. */
  when: string;
}

/** When deletions start that start together. `isAway`: nothing can be sent now. */
const startText = (isNow: boolean, atMs: number, nowMs: number, isAway: boolean): string =>
  isNow ? (isAway ? 'once online' : 'now') : `from ${formatMoment(atMs, nowMs)}`;

/** The deletions by the time at which they start, and how they are followed. */
export function undoSteps(
  { deletions, why }: Pick<UndoPlan, 'deletions' | 'why'>,
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
      return { what, proof: `Nothing else lies there. ${why}`, events, when };
    }
    const proof =
      at === 0 ? `These ids stand in the receipts of this upload and of no other. ${why}`.trim() : '';
    return { what: `By event ids, ${formatCount(of.length, 'deletion')}`, proof, events, when };
  });
  const proof =
    'Each deletion is followed as far as the service tells of it. Its row count is read before and after: this upload then says how many rows are undone.';
  return [...steps, { what: 'Followed to the end', proof, events: null, when: '' }];
}

/** `2 now · 28 from 24 Nov 00:05`: how many deletions start when. */
export function daysText({ deletions }: Pick<UndoPlan, 'deletions'>, nowMs: number, isAway: boolean): string {
  return [...Map.groupBy(deletions, ({ startAtMs }) => startAtMs)]
    .map(([atMs, of]) => {
      const start = startText(of[0]?.isNow === true, atMs, nowMs, isAway);
      return `${formatNumber(of.length)} ${start}`;
    })
    .join(' · ');
}

/** Each deletion of the day: used before, needed now, or left. A service may allow very many. */
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
