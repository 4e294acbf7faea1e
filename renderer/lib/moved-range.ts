/** Moves a tab from one time range to another, and back. Pure. */
import type { TimeRange } from '../../electron/shared/model.ts';

export type RangeParams = Readonly<Record<string, string>>;

/** One of several parts of a tab that use its range and are read separately. */
export interface RangePart {
  readonly name: string;
  /** Other parameters of the part's query: cached content is valid only for the same query. */
  readonly about: string;
}

/** Empty values remove these parameters. */
export const NOT_MOVED = { was_start: '', was_end: '' } as const;

export const isMoved = (params: RangeParams): boolean => params['was_start'] !== undefined;

/**
 * Parameters of the next range. They remember the range it was reached from; if several moves got no response, the
 * first of those ranges, which has cached content.
 */
export function movedTo(params: RangeParams, next: RangeParams, from: RangeParams): Record<string, string> {
  const { start = '', end = '' } = from;
  const { was_start = start, was_end = end } = params;
  return { ...next, was_start, was_end };
}

const READ = 'read_';
const WANTED = 'wanted_range';
const isTime = (text: string | undefined) => !Number.isNaN(Date.parse(text ?? ''));

/** Parameters recording that this part was read for the range. */
export function wasRead({ start = '', end = '' }: RangeParams, part: RangePart): Record<string, string> {
  return { [READ + part.name]: `${start}/${end}/${part.about}` };
}

/** Parameters that discard the records of reads: there is no way back from a range that the user chose. */
export function nothingRead(params: RangeParams): Record<string, string> {
  const names = Object.keys(params).filter((name) => name.startsWith(READ));
  return Object.fromEntries(names.map((name) => [name, '']));
}

/** Parameters of an earlier range for which this part was last read; null if there is none. */
function lastRead(params: RangeParams, part: RangePart): Record<string, string> | null {
  const [start = '', end = '', ...about] = (params[READ + part.name] ?? '').split('/');
  const isSame = about.join('/') === part.about && isTime(start) && isTime(end);
  // Only an earlier range counts; otherwise two parts could move each other back and forth.
  return isSame && Date.parse(end) < Date.parse(params['end'] ?? '') ? { start, end, ...NOT_MOVED } : null;
}

/** Parameters of the range to go back to; null if no earlier range is known to be cached. */
export function previousRange(params: RangeParams, part?: RangePart): Record<string, string> | null {
  const read = part === undefined ? null : lastRead(params, part);
  const { was_start: start, was_end: end } = params;
  if (read !== null || start === undefined || end === undefined) return read;
  return isTime(start) && isTime(end) ? { start, end, ...NOT_MOVED } : null;
}

/**
 * Parameters of a range with cached content, to replace a range without any. If its length differs, it is used only if
 * the user did not choose the present range. Null if no range can be used.
 */
export function toStored(
  { start = '', end = '', range = 'custom' }: RangeParams,
  stored: TimeRange | undefined,
  isChosen: boolean,
): Record<string, string> | null {
  if (stored === undefined || range === 'custom' || !isTime(start) || !isTime(end)) return null;
  const { startMs, endMs } = stored;
  const isAsLong = endMs - startMs === Date.parse(end) - Date.parse(start);
  if (!isAsLong && isChosen) return null;
  const times = { start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
  return { ...times, ...NOT_MOVED, ...(isAsLong ? {} : { range: 'custom', [WANTED]: range }) };
}

/** The preset that the user wants, while a range of another length with cached content is shown. */
export const wantedPreset = (params: RangeParams): string | null => params[WANTED] ?? null;
export const NOTHING_WANTED = { [WANTED]: '' };
