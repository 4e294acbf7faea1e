/** Start times of jobs: parsed, suggested and formatted in the display time zone. */
import type { TrafficPlan, WindowStatus } from '../../electron/shared/traffic-model.ts';
import type { LateStart } from '../../electron/shared/upload-model.ts';
import { civilAt, momentAt, momentOf } from '../../electron/shared/zone-time.ts';
import {
  formatCount,
  formatDuration,
  formatFull,
  formatMoment,
  formatNumber,
  formatStamp,
  shownZone,
} from './format.ts';
import { describeWindow } from './lanes.ts';
import { roughly } from './upload-words.ts';
import { wallTime } from './wall-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR;
/** A start further in the future is probably a typing error. */
const FURTHEST_MS = 366 * DAY_MS;
const NIGHT_HOUR = 2;

/** The value of a date-time field: `2026-03-12T14:02`. */
export function toField(ms: number): string {
  return formatStamp(ms).slice(0, 16).replace(' ', 'T');
}

/** The time in milliseconds of a date-time field; null if it is invalid. */
export function fromField(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?$/.test(text)) return null;
  const [day = '', time = ''] = text.split('T');
  const wallMs = wallTime(day, time);
  return wallMs === null ? null : momentAt(wallMs, shownZone());
}

/** Suggested start times: an hour from now on a full minute, the coming night, and so on. */
export function startPresets(nowMs: number): { id: string; title: string; atMs: number }[] {
  const zone = shownZone();
  const today = { ...civilAt(nowMs, zone), hour: NIGHT_HOUR, minute: 0, second: 0 };
  const nights = [today, { ...today, day: today.day + 1 }].map((each) => momentOf(each, zone));
  return [
    { id: 'hour', title: 'In 1 hour', atMs: Math.round((nowMs + HOUR) / MINUTE) * MINUTE },
    { id: 'night', title: 'Tonight 02:00', atMs: nights.find((ms) => ms > nowMs) ?? nowMs + DAY_MS },
  ];
}

/** The reason why this is not a possible start time, or null. */
export function startProblem(atMs: number | null, nowMs: number): string | null {
  if (atMs === null) return 'Expected a date and time.';
  if (atMs <= nowMs) return 'This time has passed.';
  return atMs - nowMs > FURTHEST_MS ? 'Expected a time within a year.' : null;
}

/** `starts at 13 Mar 02:00, in 8 h`; `starts now` if the time has come. */
export function startsText(startAtMs: number, nowMs: number): string {
  const leftMs = startAtMs - nowMs;
  if (leftMs <= 0) return 'starts now';
  const left = leftMs < MINUTE ? 'in less than a minute' : `in ${formatDuration(leftMs)}`;
  return `starts at ${formatMoment(startAtMs, nowMs)}, ${left}`;
}

/** Says that a job started automatically, but later than planned. */
export function lateText({ plannedAtMs, startedAtMs }: LateStart, nowMs: number): string {
  const planned = formatMoment(plannedAtMs, nowMs);
  return `Planned for ${planned}, started at ${formatMoment(startedAtMs, nowMs)}: Spandeck was closed, the computer asleep or the service away.`;
}

interface PlanFact {
  name: string;
  value: string;
  title?: string;
}

/** Cost and expected end of an action, one fact per line. */
export function planFacts(plan: TrafficPlan, nowMs: number): PlanFact[] {
  const duration = `about ${roughly(plan.finishAtMs - plan.startAtMs)}`;
  const binding = plan.bindingWindow === null ? '' : `; limited to ${describeWindow(plan.bindingWindow)}`;
  const isOne = plan.budgets.length === 1;
  const isLimited = plan.budgets.some(({ windows }) => windows.length > 0);
  const budgets = plan.budgets.flatMap(({ title, requests, windows }) =>
    windows
      .filter((window) => isFelt(window, requests, plan))
      .map((window) => `${isOne ? '' : `${title}: `}${budgetText(window)}`),
  );
  return [
    {
      name: 'Requests',
      value: requestsText(plan.budgets),
    },
    { name: 'Rate limit', value: budgets.join(' · ') || (isLimited ? 'not reached' : 'none') },
    {
      name: 'Ends',
      value: `${formatMoment(plan.finishAtMs, nowMs)}, ${duration} after the start${binding}`,
      title: formatFull(plan.finishAtMs),
    },
  ];
}

/** `10 (Publish events)`, `11 (Create a dataset 1, Publish events 10)`. */
function requestsText(budgets: TrafficPlan['budgets']): string {
  const [only] = budgets;
  const total = budgets.reduce((sum, { requests }) => sum + requests, 0);
  const parts =
    budgets.length === 1 && only !== undefined
      ? only.title
      : budgets.map(({ title, requests }) => `${title} ${formatNumber(requests)}`).join(', ');
  return parts === '' ? formatNumber(total) : `${formatNumber(total)} (${parts})`;
}

/**
 * Whether a limit is worth showing: it decides the end, lasts a day, or loses more than half of its remaining requests.
 */
function isFelt(window: WindowStatus, requests: number, { bindingWindow: binding }: TrafficPlan): boolean {
  const isBinding = window.count === binding?.count && window.lengthMs === binding.lengthMs;
  return isBinding || window.lengthMs >= DAY_MS || requests > window.left / 2;
}

/** `1,000 per minute, 910 left now`, `30 per day, 27 left today`. */
function budgetText(window: WindowStatus): string {
  const when = window.lengthMs >= DAY_MS ? 'today' : 'now';
  return `${describeWindow(window)}, ${formatNumber(window.left)} left ${when}`;
}

/** A warning before the start if the action needs more than one day allows. */
export function planWarning(plan: TrafficPlan): string | null {
  if (plan.leftToday === null || plan.requests <= plan.leftToday) return null;
  const left = plan.leftToday === 0 ? 'none is' : `${formatNumber(plan.leftToday)} are`;
  return `${formatCount(plan.requests, 'request is', 'requests are')} needed, but ${left} left today. The rest is sent when the daily limit resets.`;
}

const RENEWED_AFTER_MS = 30_000;

/**
 * Whether the planned start time has passed by so much that the plan must be made again, as for an action that starts
 * at once.
 */
export function hasPlanPassed({ startAtMs }: Pick<TrafficPlan, 'startAtMs'>, nowMs: number): boolean {
  return nowMs - startAtMs >= RENEWED_AFTER_MS;
}
