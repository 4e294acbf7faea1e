/** Rate lanes in words. Pure. */
import type { LaneStatus } from '../../electron/shared/model.ts';
import { formatClock, formatCount, formatDuration, formatNumber } from './format.ts';

const PERIODS: Record<number, string> = { 1000: 'second', 60000: 'minute', 3600000: 'hour', 86400000: 'day' };

const DAY_MS = 86_400_000;

/** `3 of 30 deletions today`, once there is one: the day's budget of event deletions is small. */
export function describeDeletions(lanes: readonly LaneStatus[]): string | null {
  const lane = lanes.find(({ operation }) => operation === 'DELETE /v3/events');
  const day = lane?.windows.find(({ lengthMs }) => lengthMs === DAY_MS);
  if (day === undefined || day.used === 0) return null;
  return `${formatNumber(day.used)} of ${formatCount(day.count, 'deletion')} today`;
}

/** What the status bar says of the lane nearest to a limit; null where no lane has one. */
export function describeMeter(
  lanes: readonly LaneStatus[],
  nowMs: number,
): { text: string; share: number; title: string } | null {
  let tightest: {
    lane: LaneStatus;
    window: LaneStatus['windows'][number];
    used: number;
    share: number;
  } | null = null;
  for (const lane of lanes) {
    for (const window of lane.windows) {
      const isOver = window.resetsAtMs !== null && window.resetsAtMs <= nowMs;
      const used = isOver ? 0 : window.used;
      const share = window.count === 0 ? 1 : used / window.count;
      if (tightest === null || share > tightest.share) tightest = { lane, window, used, share };
    }
  }
  if (tightest === null) return null;
  const { lane, window, used, share } = tightest;
  const waiting = lanes.reduce((sum, each) => sum + each.queued, 0);
  const use = `${formatNumber(used)} of ${describeWindow(window)}`;
  return {
    text: waiting > 0 ? `${formatCount(waiting, 'waiting', 'waiting')} · ${use}` : use,
    share,
    title: `${lane.title}: ${use} used. Opens Traffic.`,
  };
}

/** `30 per second`, `1,000 per minute`, `30 per day`. */
export function describeWindow({ count, lengthMs }: LaneStatus['windows'][number]): string {
  return `${formatNumber(count)} per ${PERIODS[lengthMs] ?? formatDuration(lengthMs)}`;
}

/** Answers "why is this waiting?". */
export function describeWhy(lane: LaneStatus, nowMs: number): string {
  switch (lane.why) {
    case 'ready':
      return lane.queued > 0 ? 'sending' : 'ready';
    case 'window':
      return `a limit is used up${reset(lane, nowMs)}`;
    case 'retry-after':
      return lane.parkedUntilMs === null
        ? 'the service asked to wait'
        : `the service asked to wait until ${formatClock(lane.parkedUntilMs)}`;
    case 'in-flight':
      return 'waits for answers under way';
    case 'paused':
      return 'paused';
    case 'breaker':
      return 'the service failed several times; one request will try again';
  }
}

function reset(lane: LaneStatus, nowMs: number): string {
  const next = lane.windows
    .filter((window) => window.left <= 0 && window.resetsAtMs !== null)
    .map((window) => window.resetsAtMs ?? 0);
  if (next.length === 0) return '';
  const ms = Math.max(...next) - nowMs;
  return ms <= 0 ? '' : `, free again in ${formatDuration(ms)}`;
}

/** `2 waiting, longest 3 s · 1 under way`; empty for an idle lane. */
export function describeQueue(lane: LaneStatus): string {
  const parts: string[] = [];
  if (lane.queued > 0) {
    parts.push(
      `${formatCount(lane.queued, 'waiting', 'waiting')}, longest ${formatDuration(lane.longestWaitMs)}`,
    );
  }
  if (lane.inFlight > 0) parts.push(`${lane.inFlight} under way`);
  return parts.join(' · ');
}
