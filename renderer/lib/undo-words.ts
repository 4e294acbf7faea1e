/** What the page of an upload says of taking it back. Pure. */
import type { UndoPlan, UploadJob } from '../../electron/shared/upload-model.ts';
import { formatCount, formatMoment, formatNumber } from './format.ts';

/** Rows of an upload whose deletion the service confirmed, at most those it acknowledged. */
export function undoneRows({ deletions, counts }: Pick<UploadJob, 'deletions' | 'counts'>): number {
  const done = deletions.filter(({ outcome }) => outcome === 'deleted');
  return Math.min(
    done.reduce((rows, each) => rows + each.rows, 0),
    counts.acknowledged,
  );
}

/** `Undone 14:05, 9,998 of 9,998` once nothing of it goes on; null before. */
export function undoneText(job: Pick<UploadJob, 'deletions' | 'counts'>, nowMs: number): string | null {
  const { deletions, counts } = job;
  const newest = deletions.find(({ outcome }) => outcome === 'deleted');
  if (newest === undefined || deletions.some(({ outcome }) => outcome === 'going-on')) return null;
  const rows = undoneRows(job);
  const word = rows === counts.acknowledged ? 'Undone' : 'Partly undone';
  return `${word} ${formatMoment(newest.atMs, nowMs)}, ${formatNumber(rows)} of ${formatNumber(counts.acknowledged)}`;
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

/** `2 of 30 now · 5 on 24 Nov 00:05`: the deletions by the time at which they start. */
export function daysText(
  { deletions, budget }: Pick<UndoPlan, 'deletions' | 'budget'>,
  nowMs: number,
): string {
  return [...Map.groupBy(deletions, ({ startAtMs }) => startAtMs)]
    .map(([atMs, of]) => {
      const many = formatNumber(of.length);
      return of[0]?.isNow === true
        ? `${many} of ${formatNumber(budget.limit)} now`
        : `${many} from ${formatMoment(atMs, nowMs)}`;
    })
    .join(' · ');
}
