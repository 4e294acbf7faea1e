/** Which events of an upload an undo deletes, in the fewest deletions, and on which days. Pure. */
import { DAY_MS } from '../limits/limits.ts';

/** Deletions of a later day start this much after a whole day: what was sent today may have waited a little. */
const LATER_BY_MS = 600_000;

/** What became of one acknowledged batch: null ids where the answer is no receipt of the rows. */
interface AcknowledgedBatch {
  rows: number;
  eventIds: readonly string[] | null;
  answeredAtMs: number | null;
}

/** A deletion by ids that deleted them, or will; `atMs` is infinite for one that is still to be sent. */
export interface NamedIds {
  atMs: number;
  ids: Pick<ReadonlySet<string>, 'has'>;
}

/** Every deletion that was asked for after the batch was stored took these events away, or will. */
export function isDeleted(
  id: string,
  { answeredAtMs }: Pick<AcknowledgedBatch, 'answeredAtMs'>,
  deletions: readonly NamedIds[],
): boolean {
  return deletions.some(({ atMs, ids }) => atMs >= (answeredAtMs ?? 0) && ids.has(id));
}

/** The events of one upload, gathered batch by batch. */
export class UndoRows {
  /** Rows by the id of their event. */
  readonly events = new Map<string, number>();
  /** Rows whose events have no known id. */
  withoutId = 0;
  /** Rows that earlier deletions took back, or will. */
  deleted = 0;
  /** Rows whose event id belongs to events of other uploads as well. */
  shared = 0;

  add(batch: AcknowledgedBatch, deletions: readonly NamedIds[]): void {
    for (let row = 0; row < batch.rows; row += 1) {
      const id = batch.eventIds?.[row]?.trim() ?? '';
      if (id === '') this.withoutId += 1;
      else if (isDeleted(id, batch, deletions)) this.deleted += 1;
      else this.events.set(id, (this.events.get(id) ?? 0) + 1);
    }
  }

  /** A deletion by id would take the events of the other upload as well. Answers how many of its rows no deletion took. */
  keepShared({ eventIds, ...batch }: AcknowledgedBatch, deletions: readonly NamedIds[]): number {
    let stored = batch.rows;
    for (const given of eventIds ?? []) {
      const id = given.trim();
      if (id !== '' && isDeleted(id, batch, deletions)) {
        stored -= 1;
        continue;
      }
      const rows = this.events.get(id);
      if (rows === undefined) continue;
      this.shared += rows;
      this.events.delete(id);
    }
    return stored;
  }

  get rows(): number {
    let rows = 0;
    for (const each of this.events.values()) rows += each;
    return rows;
  }
}

interface DaysToUse {
  nowMs: number;
  /** Deletions left today. */
  left: number;
  /** Deletions of a whole day. */
  limit: number;
  /** Start times of deletions that are planned already: they take of their days. */
  planned: readonly number[];
}

/** When each of `count` deletions starts. No 24 hours get more than their rest, wherever they begin. */
function undoStarts(count: number, { nowMs, left, limit, planned }: DaysToUse): number[] {
  const starts: number[] = [];
  for (let day = 0; starts.length < count; day += 1) {
    const startAtMs = day === 0 ? nowMs : nowMs + day * (DAY_MS + LATER_BY_MS);
    const taken = planned.filter((atMs) => Math.abs(atMs - startAtMs) < DAY_MS + LATER_BY_MS).length;
    const room = Math.max(0, (day === 0 ? left : Math.max(1, limit)) - taken);
    for (let each = 0; each < room && starts.length < count; each += 1) starts.push(startAtMs);
  }
  return starts;
}

/** The first day of deletions that begin at `beginMs`; null: now. What is used today counts for a whole day. */
export function firstDay(
  { nowMs, left, limit }: Omit<DaysToUse, 'planned'>,
  beginMs: number | null,
): Omit<DaysToUse, 'planned'> {
  if (beginMs === null) return { nowMs, left, limit };
  const isFresh = beginMs - nowMs >= DAY_MS + LATER_BY_MS;
  return { nowMs: beginMs, left: isFresh ? Math.max(1, limit) : left, limit };
}

export interface UndoDeletion {
  ids: string[];
  startAtMs: number;
}

/** The fewest deletions that name every id once, those of the first day first. */
export function planUndo(ids: ReadonlySet<string>, days: DaysToUse, perDeletion: number): UndoDeletion[] {
  const all = [...ids];
  const count = Math.ceil(all.length / perDeletion);
  return undoStarts(count, days).map((startAtMs, at) => ({
    ids: all.slice(at * perDeletion, (at + 1) * perDeletion),
    startAtMs,
  }));
}

/** From the first event of an upload to the last, times without a zone taken as UTC. */
export interface EventTimes {
  fromMs: number;
  toMs: number;
}

/** More than any two zones are apart: in which zone the service reads times without one is not known. */
const ZONES_MS = DAY_MS;
const LAST_YEAR_MS = Date.UTC(9999, 0, 1);

/** Whole days that hold all of these times, in whatever zone; null where others lie near, or the days cannot be written. */
export function rangeAround(
  { fromMs, toMs }: EventTimes,
  others: readonly EventTimes[],
): { startTime: string; endTime: string } | null {
  const startMs = Math.floor((fromMs - ZONES_MS) / DAY_MS) * DAY_MS;
  const endMs = Math.ceil((toMs + ZONES_MS + 1) / DAY_MS) * DAY_MS;
  const isAlone = others.every((each) => each.toMs < startMs - ZONES_MS || each.fromMs >= endMs + ZONES_MS);
  if (!isAlone || startMs < 0 || endMs > LAST_YEAR_MS) return null;
  const [startTime, endTime] = [startMs, endMs].map((ms) =>
    new Date(ms).toISOString().slice(0, 19).replace('T', ' '),
  );
  return startTime === undefined || endTime === undefined ? null : { startTime, endTime };
}
