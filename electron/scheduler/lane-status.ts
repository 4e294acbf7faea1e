import { LIMIT_CATEGORIES } from '../core/limits.ts';
import type { LaneState } from './lanes.ts';
import type { LaneStatus, WaitReason } from './types.ts';

/** The state of one lane as a person reads it. `toWall` turns ledger time into wall time. */
export function laneStatus(
  lane: LaneState,
  gate: { why: WaitReason; untilMs: number },
  nowMs: number,
  toWall: (ledgerMs: number) => number,
): LaneStatus {
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
    title: LIMIT_CATEGORIES[key.category].title,
    windows: limiter.windowUse(nowMs).map(({ count, lengthMs, used, foreign, freeAtMs }) => ({
      count,
      lengthMs,
      used,
      left: Math.max(0, count - used),
      resetsAtMs: wallOrNull(freeAtMs),
      foreign,
    })),
    queued: queue.size,
    inFlight: limiter.inFlight,
    parkedUntilMs: wallOrNull(parkedUntilMs),
    longestWaitMs: nowMs - oldestMs,
    why: gate.why,
    nextSendAtMs: wallOrNull(gate.untilMs),
    learned: {
      source: state.source,
      policy: state.policy,
      inFlightLimit: state.inFlightLimit,
      factor: state.factor,
      refusals: state.refusals,
    },
  };
}
