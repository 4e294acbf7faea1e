/** Predicts when requests would be answered, by letting their lane run ahead on paper. Pure. */
import { DAY_MS, type LimitWindow } from '../core/limits.ts';
import type { RateLimiter } from '../core/rate-limiter.ts';
import type { LaneState } from './lanes.ts';

export interface LanePlan {
  /** Ledger time of the last answer. */
  finishAtMs: number;
  leftToday: number | null;
  /** Of the windows that delay anything, the one with the lowest rate. */
  binding: LimitWindow | null;
}

/** Past so many requests the rate is steady and the rest follows by rule of three. */
const MAX_STEPS = 200_000;

interface Track {
  window: LimitWindow | null;
  allowed: number;
  holdMs: number;
  /** When each occupied place becomes free, in order. */
  freeAtMs: number[];
  delayMs: number;
}

/** When `count` more requests in this lane, behind those that wait, will have been answered. */
export function planLane(lane: LaneState, count: number, nowMs: number): LanePlan {
  const { limiter } = lane;
  const leftToday = leftOfDay(limiter, nowMs);
  if (count <= 0) return { finishAtMs: nowMs, leftToday, binding: null };
  const latencyMs = lane.networkMs;
  const tracks = tracksOf(limiter, latencyMs, nowMs);
  const total = lane.queue.size + count;
  const steps = Math.min(total, MAX_STEPS);
  const startMs = Math.max(nowMs, limiter.state.parkedUntilMs ?? nowMs);
  let sendAtMs = startMs;
  for (let step = 0; step < steps; step++) sendAtMs = nextSend(tracks, sendAtMs, latencyMs);
  const finishAtMs = startMs + ((sendAtMs - startMs) * total) / steps + latencyMs;
  const rate = (track: Track) => track.allowed / (track.holdMs + latencyMs);
  const [slowest] = tracks.filter((track) => track.delayMs > 0).sort((a, b) => rate(a) - rate(b));
  const binding = slowest?.window ?? null;
  return { finishAtMs, leftToday, binding };
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
