/** Decides when a job runs again, and when its repeat pauses. Pure. */
import type { WireError } from '../../shared/errors.ts';
import type { Repeat, RepeatRule } from '../../shared/repeat-model.ts';
import { civilAt, momentOf } from '../../shared/zone-time.ts';
import type { JobEvent } from './job.ts';
import { isSetBackSince } from './start-plan.ts';

/** Number of consecutive failed runs after which a repeat pauses. */
const MAX_FAILURES = 3;
export const REPEAT_PAUSED = 'The repeat is paused.';
/** Days to search for the next start: a week, and one more in case today's time has passed. */
const DAYS_AHEAD = 8;
/** Delay of a start that is planned for now, because only a future start can be planned. */
const AT_ONCE_MS = 1;

/**
 * Wall time of the first start after `nowMs`; null for a rule without times. A time that clocks skip is moved later by
 * the length of the gap. If clocks show a time twice, the first one counts.
 */
export function nextStart(rule: RepeatRule, nowMs: number): number | null {
  if (rule.on === 'sync') return null;
  const { days, hour, minute, zone } = rule;
  const { year, month, day, weekday } = civilAt(nowMs, zone);
  const ahead = Array.from({ length: DAYS_AHEAD + 1 }, (_, later) => later);
  const starts = ahead
    .filter((later) => days.includes((weekday + later) % 7))
    .map((later) => momentOf({ year, month, day: day + later, hour, minute, second: 0 }, zone));
  return Math.min(...starts.filter((atMs) => atMs > nowMs));
}

/**
 * Wall time of the latest start that the rule allows; null for a start that a person chose, and for one that was planned
 * before `nowMs`, which is right. `job`: the last run of the repeat, with the time when it was stored.
 */
export function latestStart(
  { rule, sinceMs }: Repeat,
  { startAtMs, createdAtMs }: { startAtMs: number | null; createdAtMs: number },
  nowMs: number,
): number | null {
  // A person can choose no time for these runs.
  if (rule.on === 'sync') return nowMs;
  const plannedAtMs = Math.max(createdAtMs, sinceMs);
  if (!isSetBackSince(plannedAtMs, nowMs)) return null;
  if (startAtMs === plannedAtMs + AT_ONCE_MS) return nowMs;
  return startAtMs === nextStart(rule, plannedAtMs) ? nextStart(rule, nowMs) : null;
}

interface Ended {
  state: string;
  error: WireError | null;
}

interface NextRun {
  repeat: Repeat;
  startAtMs: number | null;
  /** The reason why no run is planned; otherwise empty. */
  reason: string;
  error: WireError | null;
}

/** The run that follows a run that has ended, failed or was stopped. */
export function nextRun(before: Repeat, { state, error }: Ended, nowMs: number): NextRun {
  const failure = state === 'done' ? null : error;
  const failures = failure !== null ? before.failures + 1 : state === 'done' ? 0 : before.failures;
  const next = { ...before, failures, nextId: null };
  if (failure !== null && failures >= MAX_FAILURES) {
    const reason = `The repeat is paused: ${failures} runs in a row failed. ${failure.message}`;
    return { repeat: { ...next, isPaused: true }, startAtMs: null, reason, error: failure };
  }
  if (before.isPaused) return { repeat: next, startAtMs: null, reason: REPEAT_PAUSED, error: null };
  return { repeat: next, startAtMs: nextStart(before.rule, nowMs), reason: '', error: null };
}

/**
 * The events for a job whose process has ended. If it is a run of a repeat, it is planned to start again now: a command
 * line may notice the ended process first, but only a window continues the run. `repeat`: null if no run follows this
 * job.
 */
export function interruption(repeat: Repeat | null, nowMs: number): JobEvent[] {
  const rest: JobEvent = { type: 'interrupt' };
  return repeat === null ? [rest] : [rest, { type: 'schedule', startAtMs: nowMs + AT_ONCE_MS, nowMs }];
}

/**
 * The following run, to be stored with a change of a job; null unless the change ends the current run. A run that is
 * planned to start again has not ended.
 */
export function runAfter(
  repeat: Repeat | null,
  {
    wasIdle,
    isIdle,
    startAtMs,
    ...ended
  }: Ended & { wasIdle: boolean; isIdle: boolean; startAtMs: number | null },
  nowMs: number,
): NextRun | null {
  return repeat === null || repeat.nextId !== null || wasIdle || !isIdle || startAtMs !== null
    ? null
    : nextRun(repeat, ended, nowMs);
}

/**
 * Whether data for offline use was read since the last run began. `lastMs`: time of the last such reading; null if
 * there is none or one is in progress. If the last run seems to begin in the future, the clock has been set back since,
 * so any other time counts as later.
 */
export function isDueAfterSync(
  { rule, isPaused, sinceMs, nextId }: Repeat,
  lastMs: number | null,
  nowMs: number,
): boolean {
  if (rule.on !== 'sync' || isPaused || nextId !== null || lastMs === null) return false;
  return lastMs > sinceMs || (sinceMs > nowMs && lastMs !== sinceMs);
}
