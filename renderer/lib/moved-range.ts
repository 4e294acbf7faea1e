/** A range among the parameters of a tab that moved on to another one, and its way back. Pure. */
import type { TimeRange } from '../../electron/shared/model.ts';

export type RangeParams = Readonly<Record<string, string>>;

/** One of several things that a tab shows of its range, each of which is read by itself. */
export interface RangePart {
  readonly name: string;
  /** What else was asked: what is stored answers only the same. */
  readonly about: string;
}

/** Empty: taken away. */
export const NOT_MOVED = { was_start: '', was_end: '' } as const;

export const isMoved = (params: RangeParams): boolean => params['was_start'] !== undefined;

/**
 * Parameters of the next range, with where it came from. Moved twice before any answer came: what was stored is
 * further back.
 */
export function movedTo(params: RangeParams, next: RangeParams, from: RangeParams): Record<string, string> {
  const { start = '', end = '' } = from;
  const { was_start = start, was_end = end } = params;
  return { ...next, was_start, was_end };
}

const READ = 'read_';
const WANTED = 'wanted_range';
const isTime = (text: string | undefined) => !Number.isNaN(Date.parse(text ?? ''));

/** Parameters that say that this part was read of the range. */
export function wasRead({ start = '', end = '' }: RangeParams, part: RangePart): Record<string, string> {
  return { [READ + part.name]: `${start}/${end}/${part.about}` };
}

/** Parameters without what was read: from a range that a person chose there is no way back. */
export function nothingRead(params: RangeParams): Record<string, string> {
  const names = Object.keys(params).filter((name) => name.startsWith(READ));
  return Object.fromEntries(names.map((name) => [name, '']));
}

/** Parameters of the earlier range that this part was read of last; null where there is none. */
function lastRead(params: RangeParams, part: RangePart): Record<string, string> | null {
  const [start = '', end = '', ...about] = (params[READ + part.name] ?? '').split('/');
  const isSame = about.join('/') === part.about && isTime(start) && isTime(end);
  // Never forwards: two parts would send each other to and fro.
  return isSame && Date.parse(end) < Date.parse(params['end'] ?? '') ? { start, end, ...NOT_MOVED } : null;
}

/** Parameters of the range to go back to; null where nothing is known to be stored of an earlier one. */
export function wayBack(params: RangeParams, part?: RangePart): Record<string, string> | null {
  const read = part === undefined ? null : lastRead(params, part);
  const { was_start: start, was_end: end } = params;
  if (read !== null || start === undefined || end === undefined) return read;
  return isTime(start) && isTime(end) ? { start, end, ...NOT_MOVED } : null;
}

/**
 * Parameters of the range for which something is stored, where nothing is of theirs. One of another length only where no
 * person chose this one; null where there is none to go to.
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

/** The preset that is to be shown once it can be read, where a range of another length stands for it. */
export const wantedPreset = (params: RangeParams): string | null => params[WANTED] ?? null;
export const NOTHING_WANTED = { [WANTED]: '' };
