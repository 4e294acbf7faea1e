/** Decides whether a lane can send now, and if not, why. Pure. */
import { FAIR_TURN } from './choose-lane.ts';
import type { LaneState } from './queued-request.ts';
import type { WaitReason } from './types.ts';

/** Polling interval while a lane waits for an answer to another process. */
const POLL_OTHERS_MS = 50;
/** Number of in-flight slots reserved for interactive requests. */
export const KEPT_FOR_VIEWS = 2;

export interface Gate {
  reason: Exclude<WaitReason, 'retry'>;
  /** Ledger time until which the lane waits; Infinity if no time is known. */
  untilMs: number;
}

/** `turn`: number of sends of all lanes. `maxInFlight`: the limit for one origin. */
export function gateOf(lane: LaneState, turn: number, maxInFlight: number, nowMs: number): Gate {
  const breaker = lane.origin.breaker.decide(nowMs);
  if (breaker.kind === 'wait') return { reason: 'breaker', untilMs: breaker.untilMs };
  if (lane.origin.inFlight >= roomOf(lane, turn, maxInFlight)) {
    return { reason: 'in-flight', untilMs: Number.POSITIVE_INFINITY };
  }
  const decision = lane.limiter.decide(nowMs);
  if (decision.kind === 'grant') return { reason: 'ready', untilMs: nowMs };
  const pollMs = lane.limiter.inFlightOfOthers > 0 ? nowMs + POLL_OTHERS_MS : Number.POSITIVE_INFINITY;
  return { reason: decision.reason, untilMs: Math.min(decision.untilMs, pollMs) };
}

/** Some slots are reserved for interactive requests, unless a lane was skipped for a long time. */
function roomOf(lane: LaneState, turn: number, maxInFlight: number): number {
  const isFree = lane.queue.isNextInteractive || turn - lane.servedAtTurn > FAIR_TURN;
  return isFree ? maxInFlight : Math.max(1, maxInFlight - KEPT_FOR_VIEWS);
}
