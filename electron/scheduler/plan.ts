/** Predicts when requests would be answered, by letting their lane run ahead on paper. Pure. */
import { DAY_MS, type LimitWindow } from '../core/limits.ts';
import type { RateLimiter } from '../core/rate-limiter.ts';
import { nextTryMs } from '../core/window-places.ts';
import { windowStatuses } from './lane-status.ts';
import type { LaneState } from './lanes.ts';
import type { Plan } from './types.ts';

interface LanePlan {
  /** Ledger time of the last answer. */
  finishAtMs: number;
  leftToday: number | null;
  /** Of the windows that delay anything, the one with the lowest rate. */
  binding: LimitWindow | null;
}

/** After so many fillings of the largest window the rate is steady and the rest follows by rule of three. */
const STEADY_PERIODS = 3;
/** Resets are told in whole seconds, and places kept a little longer than a day. */
const RESET_STEP_MS = 60_000;
const NEVER = Number.POSITIVE_INFINITY;
const MIN_STEPS = 1_000;
const MAX_STEPS = 20_000;

interface Track {
  window: LimitWindow | null;
  allowed: number;
  holdMs: number;
  /** When each occupied place becomes free, in order. */
  freeAtMs: number[];
  delayMs: number;
  /** When all places taken before become free at once; Infinity where that is not announced. */
  resetAtMs: number;
}

/** The plan of an act over several lanes, which go side by side. `toWall` turns ledger time into wall time. */
export function planAll(
  requests: readonly { lane: LaneState; count: number }[],
  { nowMs, fromMs }: { nowMs: number; fromMs: number },
  toWall: (ledgerMs: number) => number,
): Plan {
  const perLane = new Map<LaneState, number>();
  for (const { lane, count } of requests) perLane.set(lane, (perLane.get(lane) ?? 0) + count);
  let lastMs = fromMs;
  const plan: Plan = {
    requests: 0,
    startAtMs: toWall(fromMs),
    finishAtMs: toWall(fromMs),
    leftToday: null,
    bindingWindow: null,
    lanes: [],
  };
  for (const [lane, count] of perLane) {
    const { operation } = lane.key;
    const { finishAtMs, leftToday, binding } = planLane(lane, count, nowMs, fromMs);
    plan.requests += count;
    const windows = windowStatuses(lane, nowMs, toWall);
    plan.lanes.push({ operation, requests: count, windows, finishAtMs: toWall(finishAtMs) });
    if (leftToday !== null) plan.leftToday = Math.min(plan.leftToday ?? leftToday, leftToday);
    if (finishAtMs <= lastMs) continue;
    lastMs = finishAtMs;
    plan.bindingWindow = binding === null ? null : { ...binding, operation };
  }
  plan.finishAtMs = toWall(lastMs);
  return plan;
}

/** When `count` more requests in this lane, begun at `fromMs` behind those that wait, will have been answered. */
function planLane(lane: LaneState, count: number, nowMs: number, fromMs: number): LanePlan {
  const { limiter } = lane;
  const leftToday = leftOfDay(limiter, nowMs);
  if (count <= 0) return { finishAtMs: fromMs, leftToday, binding: null };
  const latencyMs = lane.networkMs;
  const tracks = tracksOf(limiter, latencyMs, nowMs);
  const parkedMs = Math.max(nowMs, limiter.state.parkedUntilMs ?? nowMs);
  const waitingMs = advance(tracks, lane.queue.size, parkedMs, latencyMs);
  for (const track of tracks) track.delayMs = 0;
  const finishAtMs = advance(tracks, count, Math.max(waitingMs, fromMs), latencyMs) + latencyMs;
  const rate = (track: Track) => track.allowed / (track.holdMs + latencyMs);
  const [slowest] = tracks.filter((track) => track.delayMs > 0).sort((a, b) => rate(a) - rate(b));
  const binding = slowest?.window ?? null;
  return { finishAtMs, leftToday, binding };
}

/** Lets `count` requests go one after the other from `startMs`; returns when the last goes. */
function advance(tracks: Track[], count: number, startMs: number, latencyMs: number): number {
  const period = Math.max(1, ...tracks.map(({ allowed }) => allowed));
  const steps = Math.min(count, Math.max(MIN_STEPS, STEADY_PERIODS * period), MAX_STEPS);
  const sentAtMs: number[] = [];
  let sendAtMs = startMs;
  for (let step = 0; step < steps; step++) {
    sendAtMs = nextSend(tracks, sendAtMs, latencyMs);
    sentAtMs.push(sendAtMs);
  }
  if (steps === count) return sendAtMs;
  // From here on it repeats itself: so much time for every `period` requests.
  const back = Math.min(period, steps - 1);
  const perRequestMs = (sendAtMs - (sentAtMs[steps - 1 - back] ?? startMs)) / back;
  const jumpMs = perRequestMs * (count - steps);
  for (const track of tracks) track.freeAtMs = track.freeAtMs.slice(-track.allowed).map((ms) => ms + jumpMs);
  return sendAtMs + jumpMs;
}

function nextSend(tracks: Track[], earliestMs: number, latencyMs: number): number {
  let sendAtMs = earliestMs;
  let holder: Track | null = null;
  for (const track of tracks) {
    // With `allowed` places taken, one must become free first.
    const freeMs = track.freeAtMs[track.freeAtMs.length - track.allowed] ?? Number.NEGATIVE_INFINITY;
    if (freeMs <= sendAtMs) continue;
    sendAtMs = freeMs;
    holder = track;
  }
  if (holder !== null) holder.delayMs += sendAtMs - earliestMs;
  for (const track of tracks) {
    const freeMs = sendAtMs + latencyMs + track.holdMs;
    track.freeAtMs.push(sendAtMs < track.resetAtMs ? Math.min(freeMs, track.resetAtMs) : freeMs);
  }
  return sendAtMs;
}

function tracksOf(limiter: RateLimiter, latencyMs: number, nowMs: number): Track[] {
  const tracks = limiter.state.windows.map((window): Track => {
    const { holdMs, freeAtMs } = limiter.occupied(window, nowMs);
    const flying = Array.from({ length: limiter.inFlight }, () => nowMs + latencyMs + holdMs);
    const takenMs = [...freeAtMs, ...flying].sort((a, b) => a - b);
    const resetAtMs = commonReset(takenMs, nextTryMs(window, nowMs));
    return {
      window: { count: window.count, lengthMs: window.lengthMs },
      allowed: limiter.allowed(window),
      holdMs,
      freeAtMs: takenMs.map((atMs) => Math.min(atMs, resetAtMs)),
      delayMs: 0,
      resetAtMs,
    };
  });
  const inFlightLimit = limiter.inFlightLimit();
  if (Number.isFinite(inFlightLimit)) {
    const freeAtMs = Array.from({ length: limiter.inFlight }, () => nowMs + latencyMs);
    tracks.push({ window: null, allowed: inFlightLimit, holdMs: 0, freeAtMs, delayMs: 0, resetAtMs: NEVER });
  }
  return tracks;
}

/**
 * A service that counts from fixed times frees all places at the reset it announces. One that frees them one by one
 * announces the first of them, which is then no earlier than by our own count: that is no common reset.
 */
function commonReset(takenMs: readonly number[], resetAtMs: number): number {
  return resetAtMs < (takenMs[0] ?? 0) - RESET_STEP_MS ? resetAtMs : NEVER;
}

function leftOfDay(limiter: RateLimiter, nowMs: number): number | null {
  let left: number | null = null;
  for (const use of limiter.windowUse(nowMs)) {
    if (use.lengthMs < DAY_MS) continue;
    left = Math.min(left ?? Number.POSITIVE_INFINITY, Math.max(0, use.count - use.used));
  }
  return left;
}
