/** With --offline: if nothing was read for a time range, finds the stored answer that covers most of it. */

import { isoOf, startMsOf } from '../core/spans/call-range.ts';
import { SPAN_ORDERING } from '../core/spans/span-rules.ts';
import type { Generation } from '../db/library-rows.ts';
import type { Session } from '../engine/session.ts';
import { missingRowsOf } from '../library/freshness.ts';
import { canonicalQuery } from '../library/list-query.ts';
import type { ColumnFilter } from '../shared/analysis-model.ts';
import { counted } from '../shared/count-text.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { goneAtOf } from '../shared/gone-field.ts';
import { momentText } from '../shared/local-time.ts';
import type { Freshness, ListQuery, ListRow, TimeRange } from '../shared/model.ts';
import { rangeOfQuery, textWithoutRange, timesOfQuery, withTimes } from '../shared/query-range.ts';
import type { CommandContext } from './context.ts';

interface StoredInstead {
  /** The query whose answer is stored. */
  query: ListQuery;
  /** Selects the rows of the requested range from the stored ones; null if the answer cannot be cut. */
  within: Extract<ColumnFilter, { kind: 'range' }> | null;
  /** The covered part of the range, and whether it is all of the range. */
  covered: Covered;
  /** The covered part is enough: no end was given, and only the time since the last reading is missing. */
  isEnough: boolean;
}
export interface Covered {
  from: string;
  to: string;
  complete: boolean;
}

interface Candidate {
  query: ListQuery;
  range: TimeRange;
  /** The range ends at the time at which it was read, so only later data is missing. */
  reachesReading: boolean;
  /** The list was read to its end, but some of its rows are missing. */
  lacksRows: boolean;
}

/** An end typed as "now" is up to this much earlier than the reading of the first page. */
const TYPED_BEFORE_READ_MS = 60_000;

/**
 * Fields that decide whether a row of an operation is in a range. Answers of other operations are sums over the range.
 */
const TIME_FIELDS: Readonly<Record<string, string>> = { 'spans.query': 'start_time' };
const MAX_NAMED = 5;
const UNITS = [
  [24 * 3_600_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/**
 * Finds a stored answer; null without --offline, and if the requested answer itself is stored. Prints a note about the
 * covered part. Throws NOT_STORED, with the stored ranges, if none of them covers a part.
 */
export async function storedInstead(
  context: CommandContext,
  session: Session,
  typed: ListQuery,
  form: 'list' | 'record',
): Promise<StoredInstead | null> {
  const missing = context.args.isOffline ? await missingOf(session, typed, form) : null;
  if (missing === null) return null;
  const asked = canonicalQuery(typed);
  const range = rangeOfQuery(asked);
  const candidates = range === null ? [] : await candidatesOf(session, asked);
  if (range === null || candidates.length === 0) throw missing;
  const field = TIME_FIELDS[asked.operation];
  const [best] = candidates
    .filter((each) => overlap(range, each.range) > 0)
    .toSorted((a, b) => rank(range, b.range, field) - rank(range, a.range, field));
  if (best === undefined) throw notCovered(candidates.map((each) => each.range));
  const part = {
    startMs: Math.max(range.startMs, best.range.startMs),
    endMs: Math.min(range.endMs, best.range.endMs),
  };
  const isCovered = part.startMs === range.startMs && part.endMs === range.endMs;
  const isWhole = isCovered && !best.lacksRows;
  if (field === undefined) {
    context.output.note(
      `Nothing is stored for ${rangeText(range)}. This is the stored answer for ${rangeText(best.range)}.`,
    );
    return { query: best.query, within: null, covered: coveredOf(best.range, false), isEnough: false };
  }
  context.output.note(
    isCovered
      ? best.lacksRows
        ? `${rangeText(range)} was read, but rows of the list it is in are missing.`
        : `All of ${rangeText(range)} is stored.`
      : part.startMs === range.startMs
        ? `Stored of ${rangeText(range)}: all but the last ${lastText(range.endMs - part.endMs)}.`
        : `Stored of ${rangeText(range)}: the part ${rangeText(part)}.`,
  );
  const bounds = { from: range.startMs, to: range.endMs, includesTo: false };
  return {
    query: best.query,
    within: { kind: 'range', field, ...bounds },
    covered: coveredOf(part, isWhole),
    isEnough:
      isWhole ||
      (context.args.isUntilNow && part.startMs === range.startMs && best.reachesReading && !best.lacksRows),
  };
}

/** The rows in the range, numbered from 0. */
export function rowsWithin(rows: readonly ListRow[], within: StoredInstead['within']): ListRow[] {
  if (within === null) return [...rows];
  const { field, from, to } = within;
  const found = rows.filter(({ record }) => {
    const ms = startMsOf(record[field]);
    return ms !== null && ms >= (from ?? ms) && ms < (to ?? Number.POSITIVE_INFINITY);
  });
  return found.map((row, position) => ({ ...row, position }));
}

/** Counts for a part of a list. It is unknown how many of the list's missing rows belong to the part. */
export function countsWithin(
  rows: readonly ListRow[],
  whole: Pick<Freshness, 'missingRows'>,
  { complete }: Pick<Covered, 'complete'>,
): Partial<Freshness> {
  return {
    storedRows: rows.length,
    totalRows: complete ? rows.length : null,
    goneRows: rows.filter(({ record }) => goneAtOf(record) !== null).length,
    ...(whole.missingRows === undefined ? {} : { missingRows: null }),
  };
}

/** The error if the library can neither read nor derive an answer to the query; null if it can. */
async function missingOf(
  { connection, library }: Session,
  query: ListQuery,
  form: 'list' | 'record',
): Promise<AppError | null> {
  const viewId = 'command line, stored';
  const request = { connectionId: connection.id, viewId, query, refresh: 'never' as const };
  const { freshness } = await (form === 'list' ? library.openList(request) : library.openRecord(request));
  library.release(viewId);
  const { source, refresh } = freshness;
  if (source !== 'none' || refresh.phase !== 'failed') return null;
  return fromWire(refresh.error);
}

/** Stored answers to the same question for other time ranges. */
async function candidatesOf({ library }: Session, asked: ListQuery): Promise<Candidate[]> {
  const lists = library.storedLists().filter(({ query }) => query.operation === asked.operation);
  const found: Candidate[] = library.storedRecords(asked.operation).flatMap((query) => {
    const range = rangeOfQuery(query);
    if (range === null || !isSame(query, asked)) return [];
    return [{ query, range, reachesReading: false, lacksRows: false }];
  });
  for (const { query, shown } of lists) {
    const times = timesOfQuery(query);
    if (times === null) continue;
    const isOwn = isSame(query, asked);
    // If a list was read to its end, the library can select and order its rows.
    const isBase = shown.isEnded && isSame(query, baseOf(asked));
    if (!isOwn && !isBase) continue;
    const range = isOwn ? await readRange(library, query, shown) : rangeOfRead(query, shown);
    if (range === null) continue;
    found.push({
      query: isOwn ? query : withTimes(asked, times),
      range,
      reachesReading: reachesReading(query, shown),
      lacksRows: missingRowsOf(shown) !== undefined,
    });
  }
  return found;
}

const isSame = (query: ListQuery, asked: ListQuery): boolean =>
  textWithoutRange(canonicalQuery(query)) === textWithoutRange(asked);

/** The list of spans from which filtered and ordered lists are derived. */
function baseOf(asked: ListQuery): ListQuery {
  if (asked.operation !== 'spans.query') return asked;
  const { filter: _, ...rest } = asked.body ?? {};
  return canonicalQuery({ ...asked, body: { ...rest, ordering: SPAN_ORDERING } });
}

function reachesReading(query: ListQuery, { oldestMs }: Generation): boolean {
  const range = rangeOfQuery(query);
  return range !== null && oldestMs !== null && range.endMs >= oldestMs - TYPED_BEFORE_READ_MS;
}

/** The range for which data was read; a range that extended into the future was read only up to the time of reading. */
function rangeOfRead(query: ListQuery, { oldestMs }: Generation): TimeRange | null {
  const range = rangeOfQuery(query);
  if (range === null) return null;
  const endMs = Math.min(range.endMs, oldestMs ?? range.endMs);
  return endMs > range.startMs ? { ...range, endMs } : null;
}

/**
 * The part of a range that was read. Rows come newest first, so a list that was not read to its end covers the time
 * after its last row. Further rows of that same moment may be missing.
 */
async function readRange(
  library: Session['library'],
  query: ListQuery,
  shown: Generation,
): Promise<TimeRange | null> {
  const range = rangeOfRead(query, shown);
  const field = TIME_FIELDS[query.operation];
  if (range === null || shown.isEnded || field === undefined) return range;
  if ((query.body?.['ordering'] ?? SPAN_ORDERING) !== SPAN_ORDERING || shown.frontPosition === 0) return null;
  const [last] = await library.readStored(query, shown.frontPosition - 1, 1);
  const lastMs = startMsOf(last?.record[field]);
  return lastMs === null || lastMs + 1 >= range.endMs ? null : { ...range, startMs: lastMs + 1 };
}

const overlap = (one: TimeRange, other: TimeRange): number =>
  Math.min(one.endMs, other.endMs) - Math.max(one.startMs, other.startMs);

/**
 * Rank of a stored range, higher is better: the covered length, or, if the answer cannot be cut, the similarity of both
 * ranges.
 */
function rank(asked: TimeRange, stored: TimeRange, field: string | undefined): number {
  const common = overlap(asked, stored);
  if (field !== undefined) return common;
  return common / (asked.endMs - asked.startMs + stored.endMs - stored.startMs - common);
}

function notCovered(ranges: readonly TimeRange[]): AppError {
  const latest = ranges.toSorted((a, b) => b.endMs - a.endMs).slice(0, MAX_NAMED);
  return new AppError(
    'NOT_STORED',
    `Nothing of this time range is stored on this computer. Stored: ${latest.map(rangeText).join(', ')}.`,
    { nextStep: 'Use --start and --end within one of them.' },
  );
}

/** Maximum share of a unit that is rounded down, so that three days and a few seconds are not called four days. */
const MAX_ROUNDED_DOWN = 0.05;

/** A length of time in words, e.g. `40 seconds`, `3 hours`; rounded up. */
function lastText(ms: number): string {
  const [size, unit] = UNITS.find(([least]) => ms >= 2 * least) ?? [1_000, 'second'];
  return counted(Math.max(1, Math.ceil(ms / size - MAX_ROUNDED_DOWN)), unit);
}

const rangeText = ({ startMs, endMs }: TimeRange): string => `${momentText(startMs)} to ${momentText(endMs)}`;

const coveredOf = ({ startMs, endMs }: TimeRange, complete: boolean): Covered => ({
  from: isoOf(startMs),
  to: isoOf(endMs),
  complete,
});
