/** Texts about rate lanes. Pure. */

import type { WireError } from '../../electron/shared/errors.ts';
import {
  type ChosenPriority,
  type LaneOverview,
  type LaneStatus,
  type LearnedLimits,
  PRIORITIES,
  type Priority,
  type WaitingGroup,
  type WindowStatus,
} from '../../electron/shared/traffic-model.ts';
import { formatCount, formatDuration, formatMoment, formatNumber } from './format.ts';

const PERIODS: Record<number, string> = { 1000: 'second', 60000: 'minute', 3600000: 'hour', 86400000: 'day' };

/** Waits up to this length are counted down; longer ones are shown as a time of day. */
const COUNTED_DOWN_MS = 90_000;

/** The lane of an operation (method and path template); null if the operation has not been used. */
export function laneOf(lanes: readonly LaneStatus[], operation: string): LaneStatus | null {
  return lanes.find((lane) => lane.operation === operation) ?? null;
}

interface Meter {
  text: string;
  /** Used share of the tightest window, from 0 to 1. */
  share: number;
  title: string;
}

/** A window that is used less than this is not shown in the status bar, unless requests wait. */
const MIN_SHOWN_SHARE = 0.5;

interface Use {
  lane: LaneStatus;
  window: WindowStatus;
  share: number;
}

/** The window nearest to its limit, among those for which `counts` is true; null if there is none. */
function tightestOf(lanes: readonly LaneStatus[], counts: (use: Use) => boolean): Use | null {
  const uses = lanes.flatMap((lane) =>
    lane.windows.map((window) => ({
      ...{ lane, window },
      share: window.count === 0 ? 1 : window.used / window.count,
    })),
  );
  return uses
    .filter(counts)
    .reduce<Use | null>((most, use) => (use.share > (most?.share ?? -1) ? use : most), null);
}

const useText = ({ lane, window }: Use): string =>
  `${lane.title}: ${formatNumber(window.used)} of ${describeWindow(window)}`;

/** Status bar text for the window nearest to its limit; null if none is near its limit and nothing waits. */
export function describeMeter(lanes: readonly LaneStatus[]): Meter | null {
  const tightest = tightestOf(lanes, ({ lane, share }) => share > MIN_SHOWN_SHARE || lane.queued > 0);
  if (tightest === null) return null;
  const text = useText(tightest);
  return { text, share: tightest.share, title: `${text} used. Opens Requests.` };
}

/** `12 waiting`, `12 waiting · 3 under way`; null without backlog. */
export function describeBacklog(lanes: readonly LaneStatus[]): string | null {
  const queued = lanes.reduce((sum, lane) => sum + lane.queued + lane.retrying, 0);
  const inFlight = lanes.reduce((sum, lane) => sum + lane.inFlight, 0);
  const parts = [queued > 0 ? `${formatNumber(queued)} waiting` : '', underWay(inFlight)];
  return parts.filter((part) => part !== '').join(' · ') || null;
}

const underWay = (count: number): string => (count === 0 ? '' : `${formatNumber(count)} in progress`);

const kindsOf = (count: number): string => formatCount(count, 'kind of request', 'kinds of requests');

/** Pauses set by the user: `All requests are paused`, `2 kinds of requests are paused`; null if there are none. */
export function describePause(lanes: readonly LaneStatus[], isAllPaused: boolean): string | null {
  const paused = lanes.filter(({ isPaused }) => isPaused);
  const running = lanes.length - paused.length;
  if (isAllPaused && running === 0) return 'All requests are paused';
  if (isAllPaused) return `All requests are paused except those of ${kindsOf(running)}`;
  if (paused.length === 1) return `${paused[0]?.title} is paused`;
  return paused.length === 0 ? null : `${kindsOf(paused.length)} are paused`;
}

/** `30 per second`, `1,000 per minute`, `30 per day`. */
export function describeWindow({ count, lengthMs }: Pick<WindowStatus, 'count' | 'lengthMs'>): string {
  return `${formatNumber(count)} per ${PERIODS[lengthMs] ?? formatDuration(lengthMs)}`;
}

/** How much of a window is used: `12 of 30 used, 3 by another program with this token`. */
export function describeUse({ used, count, foreign }: WindowStatus): string {
  const others = foreign === 0 ? '' : `, ${formatNumber(foreign)} by another program with this token`;
  return `${formatNumber(used)} of ${formatNumber(count)} used${others}`;
}

/**
 * When the window has room for the next request: `next in 12 s`; empty if the window is unused or the time is unknown.
 */
export function describeReset({ used, resetsAtMs }: WindowStatus, nowMs: number): string {
  return used === 0 || resetsAtMs === null ? '' : `next ${untilText(resetsAtMs, nowMs)}`;
}

/** `in 12 s`, `at 14:02`, `at 13 Mar 02:00`; `now` if the time has passed. */
function untilText(untilMs: number, nowMs: number): string {
  const leftMs = untilMs - nowMs;
  if (leftMs <= 0) return 'now';
  if (leftMs < COUNTED_DOWN_MS) return `in ${Math.ceil(leftMs / 1_000)} s`;
  return `at ${formatMoment(untilMs, nowMs)}`;
}

/** A wait of a view's requests: when it ends, and why. */
export interface ViewWait {
  untilMs: number;
  text: string;
}

/** The reason why requests of a view are waiting; null if none are. Requests of a view have its id as their group. */
export function viewWait(
  { lanes, waiting }: Pick<LaneOverview, 'lanes' | 'waiting'>,
  viewId: string,
  nowMs: number,
): ViewWait | null {
  const held = waiting.flatMap(({ group, operation, queued, retrying, inFlight, retryAtMs }) => {
    const lane = laneOf(lanes, operation);
    if (group !== viewId || lane === null || inFlight > 0 || queued + retrying === 0) return [];
    const untilMs = Math.max(retryAtMs ?? 0, lane.wait.untilMs ?? 0, lane.parkedUntilMs ?? 0);
    return untilMs <= nowMs ? [] : [{ untilMs, text: waitText(lane, nowMs) }];
  });
  return held.toSorted((a, b) => b.untilMs - a.untilMs)[0] ?? null;
}

/** Two sentences: why the requests wait, and when the wait ends. */
export function waitText({ wait, queued, isPaused }: LaneStatus, nowMs: number): string {
  if (wait.reason === 'paused' && wait.pausedBy === 'user') {
    return queued === 0
      ? 'Paused.'
      : `Paused: ${formatCount(queued, 'request')} will be sent when you resume it.`;
  }
  if (wait.reason === 'paused' && isPaused) return `${wait.text} It is also paused.`;
  if (wait.untilMs === null || wait.untilMs <= nowMs) return wait.text;
  const until = untilText(wait.untilMs, nowMs);
  if (wait.reason === 'breaker') return `${wait.text.split(';')[0]}. One request will try again ${until}.`;
  if (wait.reason === 'retry') return `${wait.text.replace(/\.$/, '')} ${until}.`;
  return `${wait.text} The next request can be sent ${until}.`;
}

/** Whether the lane has requests that are queued or in flight. */
export function isBusy({ queued, retrying, inFlight }: LaneStatus): boolean {
  return queued > 0 || retrying > 0 || inFlight > 0;
}

/** Whether the lane has nothing to report of its own. A reason that stops all lanes is shown once for all of them. */
export function isQuiet(lane: LaneStatus): boolean {
  const isOwn = lane.wait.reason === 'window' || lane.wait.reason === 'retry-after';
  return !isBusy(lane) && !lane.isPaused && !isOwn;
}

/** Whether a lane is always shown: it has something to report, or a limit is near. */
export const isNotable = (lane: LaneStatus): boolean =>
  !isQuiet(lane) || tightestOf([lane], ({ share }) => share > MIN_SHOWN_SHARE) !== null;

/** `3 of 18 kinds of requests in use or near a limit`; if there are none, the window nearest to its limit. */
export function describeLanes(lanes: readonly LaneStatus[]): string {
  const kinds = kindsOf(lanes.length);
  const notable = lanes.filter(isNotable).length;
  if (notable > 0) return `${formatNumber(notable)} of ${kinds} in use or near a limit`;
  const most = tightestOf(lanes, ({ window }) => window.used > 0);
  return `${kinds}, none near its limit${most === null ? '' : ` · nearest: ${useText(most)}`}`;
}

/** The reason why all lanes of a connection have stopped, other than a pause by the user. */
export interface Halt {
  text: string;
  /** The last error; null if the cause is the user or the token. */
  error: WireError | null;
}

/** The reason why no requests are sent at all: offline, the token, or an unavailable service; null if they are sent. */
export function describeHalt(lanes: readonly LaneStatus[], nowMs: number): Halt | null {
  const halted = lanes.find(
    ({ wait }) => wait.reason === 'breaker' || (wait.reason === 'paused' && wait.pausedBy !== 'user'),
  );
  if (halted === undefined) return null;
  const { wait } = halted;
  const text = wait.reason === 'breaker' ? waitText(halted, nowMs) : `${wait.text} Nothing is sent.`;
  return { text, error: wait.error };
}

const PRIORITY_WORDS: Readonly<Record<Priority, string>> = {
  view: 'on screen',
  click: 'clicked',
  outbox: 'outbox',
  upload: 'uploads',
  prefetch: 'ahead',
};

/** Waiting requests in order of priority: `2 on screen, 9 uploads`. */
export function describePriorities({ queuedBy }: Pick<LaneStatus, 'queuedBy'>): string {
  return PRIORITIES.filter((name) => queuedBy[name] > 0)
    .map((name) => `${formatNumber(queuedBy[name])} ${PRIORITY_WORDS[name]}`)
    .join(', ');
}

export function priorityWord(priority: Priority): string {
  return PRIORITY_WORDS[priority];
}

interface LearnedWords {
  text: string;
  meaning: string;
  tone: 'plain' | 'info' | 'warn';
}

/** The source of the limits of a lane. */
export function describeLearned(learned: LearnedLimits): LearnedWords {
  const { source, policy, inFlightLimit, factor, refusals } = learned;
  const slowed =
    factor < 1 ? ` After ${formatCount(refusals, 'refusal')} ${share(factor)} of the limit is used.` : '';
  switch (source) {
    case 'published': {
      const meaning = `The API description states this limit, and the service has not stated another one.${slowed}`;
      return {
        text: factor < 1 ? 'published, slowed' : 'published',
        meaning,
        tone: factor < 1 ? 'warn' : 'plain',
      };
    }
    case 'stated': {
      const meaning = `The service states “${policy ?? ''}” in its answers. This replaces the published limit.${slowed}`;
      return {
        text: factor < 1 ? 'stated, slowed' : 'stated by service',
        meaning,
        tone: factor < 1 ? 'warn' : 'info',
      };
    }
    case 'off': {
      const grown = factor > 1 ? ` ${share(factor)} of the published limit is used so far.` : '';
      const meaning = `The service sends no rate headers, so Spandeck does not limit requests.${grown} If the service refuses one, the limit applies again.`;
      return { text: 'limits off', meaning, tone: 'info' };
    }
    case 'adapting': {
      const most = inFlightLimit === null ? '' : ` At most ${formatCount(inFlightLimit, 'request')} at once.`;
      const meaning = `The service states no limit.${most} The number grows while requests succeed and is cut when one is refused.`;
      return {
        text: inFlightLimit === null ? 'adapting' : `adapting, ${inFlightLimit} at once`,
        meaning,
        tone: 'plain',
      };
    }
  }
}

const share = (factor: number): string => `${formatNumber(Math.round(factor * 100))} %`;

/** `12 waiting (2 on screen, 10 ahead), longest 1.6 s · 2 under way`; empty for an idle lane. */
export function describeQueue(lane: LaneStatus): string {
  const { queued, retrying, inFlight, inFlightOfOthers, longestWaitMs } = lane;
  const elsewhere =
    inFlightOfOthers === 0
      ? ''
      : `up to ${formatNumber(inFlightOfOthers)} by another window or command, or one that ended`;
  const who = describePriorities(lane);
  const parts = [
    queued === 0 ? '' : `${formatNumber(queued)} waiting${who === '' ? '' : ` (${who})`}`,
    retrying === 0 ? '' : `${formatNumber(retrying)} to retry`,
  ].filter((part) => part !== '');
  const waiting = parts.length === 0 ? '' : `${parts.join(', ')}, longest ${formatDuration(longestWaitMs)}`;
  return [waiting, underWay(inFlight), elsewhere].filter((part) => part !== '').join(' · ');
}

/** `3 waiting for 12 s · 40 ahead of them · 1 under way`. */
export function describeGroup(group: WaitingGroup, nowMs: number): string {
  const { queued, retrying, inFlight, longestWaitMs, ahead, retryAtMs } = group;
  const again = `${formatNumber(retrying)} to retry${retryAtMs === null ? '' : ` ${untilText(retryAtMs, nowMs)}`}`;
  return [
    queued === 0 ? '' : `${formatNumber(queued)} waiting for ${formatDuration(longestWaitMs)}`,
    queued === 0 || ahead === 0 ? '' : `${formatNumber(ahead)} ahead of them`,
    retrying === 0 ? '' : again,
    underWay(inFlight),
  ]
    .filter((part) => part !== '')
    .join(' · ');
}

/** Priorities that the user can choose for uploads, builds and reading ahead. */
export const CHOSEN_WORDS: Readonly<Record<ChosenPriority, string>> = {
  outbox: 'Before uploads',
  upload: 'With uploads',
  prefetch: 'After everything else',
};

/** Whether responses changed the limits of a lane. */
export function isLearned({ source, factor, refusals }: LearnedLimits): boolean {
  return source === 'stated' || source === 'off' || factor !== 1 || refusals > 0;
}

/** Waiting times are shown in whole seconds. */
const WAIT_STEP_MS = 1_000;

/** The next time at which the display of the lanes changes without a request or response; null if it does not. */
export function nextChangeMs(lanes: readonly LaneStatus[], nowMs: number): number | null {
  const moments = lanes.flatMap(({ windows, wait, parkedUntilMs }) => [
    ...windows.map(({ resetsAtMs }) => resetsAtMs),
    wait.untilMs,
    parkedUntilMs,
  ]);
  // The displayed waiting time grows, whatever the request waits for.
  const isWaiting = lanes.some(({ queued, retrying }) => queued > 0 || retrying > 0);
  if (isWaiting) moments.push(nowMs + WAIT_STEP_MS);
  const ahead = moments.filter((moment): moment is number => moment !== null && moment > nowMs);
  return ahead.length === 0 ? null : Math.min(...ahead);
}
