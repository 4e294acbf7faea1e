import { LIMIT_CATEGORIES } from '../core/limits.ts';
import type { PauseReason, WaitStatus, WindowStatus } from '../shared/traffic-model.ts';
import type { Gate } from './gate.ts';
import type { LaneState } from './lanes.ts';
import type { Pauses } from './pauses.ts';
import type { LaneStatus } from './types.ts';

/** The state of one lane as a person reads it. `toWall` turns ledger time into wall time. */
export function laneStatus(
  lane: LaneState,
  gate: Gate,
  pauses: Pick<Pauses, 'reason' | 'isByHand'>,
  nowMs: number,
  toWall: (ledgerMs: number) => number,
): LaneStatus {
  const pausedBy = pauses.reason(lane.key);
  const { limiter, queue, key } = lane;
  const { state } = limiter;
  let oldestMs = nowMs;
  for (const job of queue.heads()) oldestMs = Math.min(oldestMs, job.waitingSinceMs);
  const wallOrNull = (ledgerMs: number | null) =>
    ledgerMs === null || !Number.isFinite(ledgerMs) ? null : toWall(ledgerMs);
  const parkedUntilMs =
    state.parkedUntilMs !== null && state.parkedUntilMs > nowMs ? state.parkedUntilMs : null;
  return {
    ...key,
    limitTitle: LIMIT_CATEGORIES[key.category].title,
    windows: windowStatuses(lane, nowMs, toWall),
    queued: queue.size,
    queuedBy: queue.sizes(),
    inFlight: limiter.inFlight,
    parkedUntilMs: wallOrNull(parkedUntilMs),
    longestWaitMs: nowMs - oldestMs,
    why: gate.why,
    wait: waitStatus(lane, gate, pausedBy, nowMs, wallOrNull(gate.untilMs)),
    nextSendAtMs: wallOrNull(gate.untilMs),
    isPaused: pauses.isByHand(lane.key),
    wasUsed: lane.servedAtTurn > 0,
    learned: {
      source: state.source,
      policy: state.policy,
      inFlightLimit: state.inFlightLimit,
      factor: state.factor,
      refusals: state.refusals,
    },
  };
}

export function windowStatuses(
  { limiter }: LaneState,
  nowMs: number,
  toWall: (ledgerMs: number) => number,
): WindowStatus[] {
  return limiter.windowUse(nowMs).map(({ count, lengthMs, used, foreign, freeAtMs }) => ({
    count,
    lengthMs,
    used,
    left: Math.max(0, count - used),
    foreign,
    resetsAtMs: freeAtMs === null ? null : toWall(freeAtMs),
  }));
}

const PAUSE_TEXTS: Readonly<Record<PauseReason, string>> = {
  user: 'Paused.',
  offline: 'Working offline.',
  unauthorized: 'The service does not accept the token.',
};

function waitStatus(
  lane: LaneState,
  { why }: Gate,
  pausedBy: PauseReason | null,
  nowMs: number,
  untilMs: number | null,
): WaitStatus {
  const status: WaitStatus = { why, text: '', untilMs, window: null, pausedBy: null, error: null };
  switch (why) {
    case 'ready':
      return { ...status, untilMs: null, text: lane.queue.size === 0 ? 'Nothing waits.' : 'Sends now.' };
    case 'paused':
      return { ...status, pausedBy, text: PAUSE_TEXTS[pausedBy ?? 'user'] };
    case 'retry-after':
      return { ...status, text: 'The service asked to wait.' };
    case 'breaker': {
      const error = lane.origin.breaker.lastError?.toWire() ?? null;
      const text =
        untilMs === null
          ? 'The service did not answer; one request finds out whether it is back.'
          : 'The service did not answer; one request tries again soon.';
      return { ...status, error, text };
    }
    case 'in-flight':
      return { ...status, text: `Waits for answers: ${inFlightText(lane)} under way.` };
    case 'window':
      return { ...status, ...windowText(lane, nowMs) };
  }
}

function inFlightText({ limiter, origin }: LaneState): string {
  const count = Math.max(limiter.inFlight, origin.inFlight);
  return `${count} ${count === 1 ? 'request is' : 'requests are'}`;
}

function windowText(lane: LaneState, nowMs: number): Pick<WaitStatus, 'text' | 'window'> {
  const decision = lane.limiter.decide(nowMs);
  const window = decision.kind === 'wait' ? decision.window : null;
  if (window === null)
    return { window: null, text: 'The service said that nothing is left until its reset.' };
  const { count, lengthMs } = window;
  const use = lane.limiter.windowUse(nowMs).find((one) => one.lengthMs === lengthMs);
  const foreign = use?.foreign ?? 0;
  const others = foreign === 0 ? '' : `, ${foreign} of them by another program with the same token`;
  const allowed = use?.count ?? count;
  return {
    window: { count: allowed, lengthMs },
    text: `All ${allowed.toLocaleString('en-US')} requests of ${lengthText(lengthMs)} are used${others}.`,
  };
}

function lengthText(lengthMs: number): string {
  const units: [number, string][] = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
    [1_000, 'second'],
  ];
  const [unitMs, name] = units.find(([ms]) => lengthMs >= ms && lengthMs % ms === 0) ?? [1, 'millisecond'];
  const count = lengthMs / unitMs;
  return count === 1 ? `a ${name}`.replace('a hour', 'an hour') : `${count} ${name}s`;
}
