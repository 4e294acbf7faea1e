/** Plans an undo: the events of an upload to delete, in the fewest deletions, and their days. Pure. */
import { DAY_MS } from '../limits/limits.ts';

/**
 * Deletions for a later day start this much after a full day, because today's deletions may have been delayed a little.
 */
const LATER_BY_MS = 600_000;

/** The result of one acknowledged batch. The ids are null if the answer is not a valid receipt of the rows. */
interface AcknowledgedBatch {
  rows: number;
  eventIds: readonly string[] | null;
  answeredAtMs: number | null;
}

/** A deletion by ids, sent or planned. `atMs` is infinite if it is still to be sent. */
export interface NamedIds {
  atMs: number;
  ids: Pick<ReadonlySet<string>, 'has'>;
}

/** True if a deletion that was requested after the batch was stored names this event. */
export function isDeleted(
  id: string,
  { answeredAtMs }: Pick<AcknowledgedBatch, 'answeredAtMs'>,
  deletions: readonly NamedIds[],
): boolean {
  return deletions.some(({ atMs, ids }) => atMs >= (answeredAtMs ?? 0) && ids.has(id));
}

/** Collects the events of one upload, batch by batch. */
export class UndoRows {
  /** Number of rows by the id of their event. */
  readonly events = new Map<string, number>();
  /** Number of rows whose events have no known id. */
  withoutId = 0;
  /** Number of rows whose events earlier deletions have removed or will remove. */
  deleted = 0;
  /** Events named in a deletion that got no answer. */
  readonly #unanswered = new Set<string>();
  /** Number of rows whose event id is also used by other uploads. */
  shared = 0;

  /** `unanswered`: deletions that may have deleted the events they name. */
  add(batch: AcknowledgedBatch, deletions: readonly NamedIds[], unanswered: readonly NamedIds[] = []): void {
    for (let row = 0; row < batch.rows; row += 1) {
      const id = batch.eventIds?.[row]?.trim() ?? '';
      if (id === '') this.withoutId += 1;
      else if (isDeleted(id, batch, deletions)) this.deleted += 1;
      else {
        this.events.set(id, (this.events.get(id) ?? 0) + 1);
        if (isDeleted(id, batch, unanswered)) this.#unanswered.add(id);
      }
    }
  }

  /**
   * Keeps the events whose ids another upload also uses, because a deletion by id would delete that upload's events
   * too. Returns the number of rows of the other batch that no deletion has removed.
   */
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

  /** Number of rows to delete whose events may be deleted already. */
  get maybeDeleted(): number {
    let rows = 0;
    for (const id of this.#unanswered) rows += this.events.get(id) ?? 0;
    return rows;
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
  /** Deletions allowed in a full day. */
  limit: number;
  /** Start times of deletions that are already planned; they count against the budget of their days. */
  planned: readonly number[];
}

/**
 * The start time of each of `count` deletions. No 24-hour period has more deletions than the limit allows, wherever it
 * begins.
 */
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

/**
 * The start and the budget of the first day of deletions that begin at `beginMs` (null: now). Deletions used today
 * count until a full day has passed.
 */
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

/** The smallest number of deletions that name every id once, those of the first day first. */
export function planUndo(ids: ReadonlySet<string>, days: DaysToUse, perDeletion: number): UndoDeletion[] {
  const all = [...ids];
  const count = Math.ceil(all.length / perDeletion);
  return undoStarts(count, days).map((startAtMs, at) => ({
    ids: all.slice(at * perDeletion, (at + 1) * perDeletion),
    startAtMs,
  }));
}

/** Times of the first and the last event of an upload. Times without a zone are read as UTC. */
export interface EventTimes {
  fromMs: number;
  toMs: number;
}

/**
 * More than the difference between any two zones. Needed because it is unknown in which zone the service reads times
 * without one.
 */
const ZONES_MS = DAY_MS;
const LAST_YEAR_MS = Date.UTC(9999, 0, 1);

/**
 * Full days that contain all these times in any zone; null if events of other uploads are near, or the days cannot be
 * expressed.
 */
export function rangeAround(
  { fromMs, toMs }: EventTimes,
  others: readonly EventTimes[],
): { startTime: string; endTime: string } | null {
  const startMs = Math.floor((fromMs - ZONES_MS) / DAY_MS) * DAY_MS;
  const endMs = Math.ceil((toMs + ZONES_MS + 1) / DAY_MS) * DAY_MS;
  const isAlone = others.every((each) => each.toMs < startMs - ZONES_MS || each.fromMs >= endMs + ZONES_MS);
  if (!isAlone || startMs < 0 || endMs > LAST_YEAR_MS) return null;
  const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  return { startTime: textOf(startMs), endTime: textOf(endMs) };
}
