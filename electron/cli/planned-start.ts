/**
 * The start time of a command with many requests (`--start-at`), and their cost, which is printed before the start, or
 * alone with `--plan`.
 */

import { systemClock } from '../platform/system.ts';
import type { Job } from '../shared/job-contract.ts';
import { momentText } from '../shared/local-time.ts';
import { parseRepeat, type RepeatRule, repeatText } from '../shared/repeat-model.ts';
import type { TrafficPlan } from '../shared/traffic-model.ts';
import type { LateStart } from '../shared/upload-model.ts';
import { systemZone } from '../shared/zone-time.ts';
import type { CommandContext } from './context.ts';
import { numberText } from './human-text.ts';
import { limitText, parseStartTime } from './start-time.ts';

type PlanRequests = readonly { operation: string; count: number }[];

/** Delay of a start with --offline, which is left to a window; this command has ended by then. */
const LEFT_AFTER_MS = 60_000;

/** Wall time of --start-at; null if it is absent. Throws the errors of `parseStartTime`. */
export function startAtOf({ args }: CommandContext): number | null {
  const typed = args.text('start-at');
  return typed === null ? null : parseStartTime(typed, systemClock.nowMs());
}

/** The rule of --repeat, whose times are local; null if it is absent. Throws INVALID_ARGUMENT for anything else. */
export function repeatOf({ args }: CommandContext): RepeatRule | null {
  const typed = args.text('repeat');
  return typed === null ? null : parseRepeat(typed, systemZone());
}

/** Prints that a job repeats, and when it runs next. */
export function answerRepeat(context: CommandContext, { id, title, startAtMs, repeat = null }: Job): void {
  const { output } = context;
  const words = repeat === null ? null : repeatText(repeat.rule, systemZone());
  const startAt = startAtMs === null ? null : new Date(startAtMs).toISOString();
  output.answer({ id, what: title, repeat: words, isPaused: repeat?.isPaused ?? false, startAt }, () => {
    if (words === null) return `${title} does not repeat any more.`;
    const next = startAtMs === null ? '' : `, next at ${momentText(startAtMs)}`;
    return `${title} repeats ${words}${repeat?.isPaused === true ? ', but is paused' : next}.`;
  });
  if (repeat === null) return;
  if (startAtMs !== null) sayStart(context, id, { startAtMs, lateStart: null });
  else if (repeat.rule.on === 'sync' && !repeat.isPaused)
    output.note(
      'It starts in a window of Spandeck on this connection, after each reading of data for offline use.',
    );
  output.note(`Pause, resume, change or end it with: jobs repeat ${id} --repeat pause`);
}

/**
 * The start of a job that sends, as in `startAtOf`. With --offline the job is scheduled for a window to start, because
 * nothing is sent from here.
 */
export function startOrWait(context: CommandContext): number | null {
  const startAtMs = startAtOf(context);
  if (startAtMs !== null || !context.args.isOffline) return startAtMs;
  return systemClock.nowMs() + LEFT_AFTER_MS;
}

export async function planOf(
  context: CommandContext,
  requests: PlanRequests,
  startAtMs: number | null,
): Promise<TrafficPlan> {
  const { connection } = await context.session();
  return context.engine.traffic.plan(connection.id, requests, startAtMs);
}

/** The cost in one line: `3 to Add spans (300 per min, 298 left) · ends 1 May 2026 02:00 · 27 left today`. */
export function planLine({ budgets, finishAtMs, leftToday, requests }: TrafficPlan): string {
  const lanes = budgets.map(({ title, requests: count, windows }) => {
    const left = windows.map((window) => `${limitText(window)}, ${numberText(window.left)} left`);
    return `${numberText(count)} to ${title}${left.length === 0 ? '' : ` (${left.join('; ')})`}`;
  });
  const day = leftToday === null ? [] : [`${leftToday} left today`];
  const late =
    leftToday !== null && requests > leftToday ? ['the rest is sent when the daily limit resets'] : [];
  return [lanes.join(', '), `ends ${momentText(finishAtMs)}`, ...day, ...late].join(' · ');
}

/**
 * With `--plan`, prints the cost as the answer and returns true, so that nothing is sent. Otherwise prints it as a
 * note.
 */
export async function answersPlan(
  context: CommandContext,
  requests: PlanRequests,
  startAtMs: number | null,
): Promise<boolean> {
  const plan = await planOf(context, requests, startAtMs);
  if (!context.args.flag('plan')) {
    context.output.note(`Plan: ${planLine(plan)}.`);
    return false;
  }
  context.output.answer(plan, () => `${planLine(plan)}\nNothing was sent.`);
  return true;
}

/** Prints that the job is scheduled. */
export function sayPlanned({ output, args }: CommandContext, startAtMs: number): void {
  output.note(
    args.isOffline
      ? 'Offline: nothing was sent.'
      : `Starts at ${momentText(startAtMs)}. Keep this running until then.`,
  );
}

interface Start {
  startAtMs: number | null;
  lateStart: LateStart | null;
}

/** Prints a planned start, or that a start was late. */
export function sayStart({ output }: CommandContext, id: string, { startAtMs, lateStart }: Start): void {
  if (startAtMs !== null) {
    output.note(
      `Stays planned for ${momentText(startAtMs)}: it starts in a window of Spandeck on this connection, or with: planned start ${id}`,
    );
  }
  if (lateStart !== null) {
    const { plannedAtMs, startedAtMs } = lateStart;
    output.note(`Planned for ${momentText(plannedAtMs)}, started at ${momentText(startedAtMs)}.`);
  }
}

/** Prints that another process has started the job that this command waited for. */
export function sayElsewhere({ output }: CommandContext): void {
  output.note('Another Spandeck (a window or a command line) started it and continues it.');
}
