/** Predicts when requests would be answered, by letting their lane run ahead on paper. Pure. */
import { DAY_MS, type LimitWindow } from '../core/limits.ts';
import type { RateLimiter } from '../core/rate-limiter.ts';
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
const MIN_STEPS = 1_000;
const MAX_STEPS = 20_000;

interface Track {
  window: LimitWindow | null;
  allowed: number;
  holdMs: number;
  /** When each occupied place becomes free, in order. */
  freeAtMs: number[];
  delayMs: number;
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
  for (const track of tracks) track.freeAtMs.push(sendAtMs + latencyMs + track.holdMs);
  return sendAtMs;
}

function tracksOf(limiter: RateLimiter, latencyMs: number, nowMs: number): Track[] {
  const tracks = limiter.state.windows.map((window): Track => {
    const { holdMs, freeAtMs } = limiter.occupied(window, nowMs);
    const flying = Array.from({ length: limiter.inFlight }, () => nowMs + latencyMs + holdMs);
    return {
      window: { count: window.count, lengthMs: window.lengthMs },
      allowed: limiter.allowed(window),
      holdMs,
      freeAtMs: [...freeAtMs, ...flying].sort((a, b) => a - b),
      delayMs: 0,
    };
  });
  const inFlightLimit = limiter.inFlightLimit();
  if (Number.isFinite(inFlightLimit)) {
    const freeAtMs = Array.from({ length: limiter.inFlight }, () => nowMs + latencyMs);
    tracks.push({ window: null, allowed: inFlightLimit, holdMs: 0, freeAtMs, delayMs: 0 });
  }
  return tracks;
}

function leftOfDay(limiter: RateLimiter, nowMs: number): number | null {
  let left: number | null = null;
  for (const use of limiter.windowUse(nowMs)) {
    if (use.lengthMs < DAY_MS) continue;
    left = Math.min(left ?? Number.POSITIVE_INFINITY, Math.max(0, use.count - use.used));
  }
  return left;
}
