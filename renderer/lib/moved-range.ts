/** Moves from one time range of a tab to another, and back. Pure. */
import type { TimeRange } from '../../electron/shared/model.ts';

export type RangeParams = Readonly<Record<string, string>>;

/** One of several parts of a tab that show its range and are read separately. */
export interface RangePart {
  readonly name: string;
  /** Other parameters of its query: cached content is valid only for the same query. */
  readonly about: string;
}

/** Empty values remove the parameters. */
export const NOT_MOVED = { was_start: '', was_end: '' } as const;

export const isMoved = (params: RangeParams): boolean => params['was_start'] !== undefined;

/**
 * Parameters of the next range, with its origin. After two moves without a response, the range with cached
 * content is further back.
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

/** Parameters without the records of reads: there is no way back from a range chosen by the user. */
export function nothingRead(params: RangeParams): Record<string, string> {
  const names = Object.keys(params).filter((name) => name.startsWith(READ));
  return Object.fromEntries(names.map((name) => [name, '']));
}

/** Parameters of the earlier range that this part was last read for; null if there is none. */
function lastRead(params: RangeParams, part: RangePart): Record<string, string> | null {
  const [start = '', end = '', ...about] = (params[READ + part.name] ?? '').split('/');
  const isSame = about.join('/') === part.about && isTime(start) && isTime(end);
  // Only ever goes back in time: otherwise two parts could move each other back and forth.
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
 * Parameters of a range with cached content, for a range without any. A range of another length is used only
 * if the user did not choose this one; null if there is none.
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

/** The preset to show once it can be read, while a range of another length is shown in its place. */
export const wantedPreset = (params: RangeParams): string | null => params[WANTED] ?? null;
export const NOTHING_WANTED = { [WANTED]: '' };
