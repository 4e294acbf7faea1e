/** Time ranges on the command line: --since, --start and --end. */
import { AppError } from '../shared/errors.ts';
import { momentText } from '../shared/local-time.ts';
import { systemZone, zoneName } from '../shared/zone-time.ts';
import { pointOf, readLength, sentTime, timeText } from './typed-time.ts';

/** Parses `7d`, `12h`, `30m`, `2w`. Throws INVALID_ARGUMENT. */
export function lengthMs(option: string, typed: string): number {
  const ms = readLength(typed);
  if (ms !== null) return ms;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${option} expects a length of time such as 30m, 12h, 7d or 2w, got ${typed}.`,
  );
}

type Range = { start: string | undefined; end: string | undefined };

/**
 * Replaces --since by a start, and adds an end if there is none; with `isOpen`, also for a start without --since. Times
 * are not converted here, but by `withSentTimes`, once the zone of the settings is known. Throws INVALID_ARGUMENT for a
 * text that is not a time.
 */
export function typedRange(
  since: string | undefined,
  { start, end }: Range,
  nowMs: number,
  isOpen = false,
): Range {
  if (since !== undefined && start !== undefined)
    throw new AppError('INVALID_ARGUMENT', 'Both --since and --start were given. One is enough.');
  if (start !== undefined) pointOf('--start', start, nowMs);
  if (end !== undefined) pointOf('--end', end, nowMs);
  if (since === undefined)
    return { start, end: start !== undefined && isOpen ? (end ?? timeText(nowMs)) : end };
  const { ms } = pointOf('--since', since, nowMs);
  const isLength = readLength(since) !== null;
  return { start: isLength ? timeText(ms) : since, end: end ?? timeText(nowMs) };
}

/** The arguments with --start and --end in the form that is sent. `say` gets the range if no zone was typed. */
export function withSentTimes<A extends { text(option: string): string | null }>(
  args: A,
  nowMs: number,
  say: (text: string) => void,
): A {
  const typed = { start: args.text('start'), end: args.text('end') };
  if (typed.start === null && typed.end === null) return args;
  const [start, end] = [
    typed.start === null ? null : pointOf('--start', typed.start, nowMs),
    typed.end === null ? null : pointOf('--end', typed.end, nowMs),
  ];
  if (start !== null && end !== null && start.ms >= end.ms)
    throw new AppError(
      'INVALID_ARGUMENT',
      `The start must be before the end, got ${typed.start} and ${typed.end}.`,
    );
  if (start?.isLocal === true || end?.isLocal === true) {
    const from = start === null ? '' : `from ${momentText(start.ms)} `;
    const to = end === null ? '' : `up to ${momentText(end.ms)} `;
    say(`Time range: ${from}${to}(${zoneName(systemZone())}).`);
  }
  const sent: Readonly<Record<string, string>> = {
    ...(typed.start === null || start === null ? {} : { start: sentTime(typed.start, start) }),
    ...(typed.end === null || end === null ? {} : { end: sentTime(typed.end, end) }),
  };
  return {
    ...args,
    text: (option) => (Object.hasOwn(sent, option) ? (sent[option] ?? null) : args.text(option)),
  };
}

const ZONED = /^\d{4}-\d{2}-\d{2}T/;

/** A time such as `2026-05-01 00:00:00` in UTC, in whole seconds, the form for event deletions and metric queries. */
export function plainTimeText(text: string): string {
  const ms = ZONED.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? text : timeText(ms).replace('T', ' ').replace('Z', '');
}
