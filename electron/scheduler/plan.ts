/** Predicts when requests will be answered, by simulating their lane. Pure. */
import { DAY_MS, type LimitWindow } from '../core/limits/limits.ts';
import { growsAfter, MAX_IN_FLIGHT } from '../core/limits/rate-learning.ts';
import type { RateLimiter } from '../core/limits/rate-limiter.ts';
import { nextTryMs } from '../core/limits/window-places.ts';
import { windowStatuses } from './lane-status.ts';
import type { LaneState } from './queued-request.ts';
import type { Plan } from './types.ts';

interface PlannedRequests {
  lane: LaneState;
  count: number;
  /** Maximum number of the action's requests in flight; undefined: as many as the limits allow. */
  atOnce?: number | undefined;
}

interface PlanTimes {
  nowMs: number;
  fromMs: number;
  /** Maximum number of requests of such actions in flight to one service. */
  room: number;
}

interface LanePlan {
  /** Ledger time of the last answer. */
  finishAtMs: number;
  leftToday: number | null;
  /** The window with the lowest rate among those that cause a delay; null if none does. */
  binding: LimitWindow | null;
}

/** After the largest window was filled this many times, the rate is constant and the rest is extrapolated. */
const STEADY_PERIODS = 3;
/**
 * Tolerance for comparing a reset. Resets are stated in whole seconds, and slots are held a little longer than a day.
 */
const RESET_STEP_MS = 60_000;
const NEVER = Number.POSITIVE_INFINITY;
const MIN_STEPS = 1_000;
const MAX_STEPS = 20_000;

interface Track {
  window: LimitWindow | null;
  allowed: number;
  holdMs: number;
  /** The times at which occupied slots become free, in order. */
  freeAtMs: number[];
  delayMs: number;
  /** Time at which all slots occupied before become free at once; Infinity if none is announced. */
  resetAtMs: number;
  /** From this time on, the limit delays nothing. */
  endsAtMs: number;
  /** Number of successful answers since `allowed` last grew; null if it does not grow. */
  successes: number | null;
  /** `allowed` grows by one after this many successes for each slot. */
  growsAfter: number;
}

/** Plans an action over several parallel lanes. `toWall` converts ledger time to wall time. */
export function planAll(
  requests: readonly PlannedRequests[],
  times: PlanTimes,
  toWall: (ledgerMs: number) => number,
): Plan {
  const { nowMs, fromMs } = times;
  const perLane = new Map<LaneState, PlannedRequests>();
  for (const one of requests) {
    const known = perLane.get(one.lane);
    perLane.set(one.lane, known === undefined ? one : { ...one, count: known.count + one.count });
  }
  const plan: Plan = {
    requests: 0,
    startAtMs: toWall(fromMs),
    finishAtMs: toWall(fromMs),
    leftToday: null,
    bindingWindow: null,
    lanes: [],
  };
  const planned = [...perLane.values()].map((one) => ({ ...one, ...planLane(one, times) }));
  const finishes = sideBySide(planned, times);
  let lastMs = fromMs;
  for (const [index, { lane, count, leftToday, binding }] of planned.entries()) {
    const { operation } = lane.key;
    const finishAtMs = finishes[index] ?? fromMs;
    plan.requests += count;
    const windows = windowStatuses(lane, nowMs, toWall);
    plan.lanes.push({
      ...{ operation, requests: count, windows },
      finishAtMs: toWall(finishAtMs),
      latencyMs: lane.expectedMs,
    });
    if (leftToday !== null) plan.leftToday = Math.min(plan.leftToday ?? leftToday, leftToday);
    if (finishAtMs <= lastMs) continue;
    lastMs = finishAtMs;
    plan.bindingWindow = binding === null ? null : { ...binding, operation };
  }
  plan.finishAtMs = toWall(lastMs);
  return plan;
}

/**
 * The time by which `count` more requests in this lane will be answered, if they start at `fromMs` behind the waiting
 * ones.
 */
function planLane({ lane, count, atOnce }: PlannedRequests, { nowMs, fromMs, room }: PlanTimes): LanePlan {
  const { limiter } = lane;
  const leftToday = leftOfDay(limiter, nowMs);
  if (count <= 0) return { finishAtMs: fromMs, leftToday, binding: null };
  const latencyMs = lane.expectedMs;
  const tracks = [...tracksOf(limiter, latencyMs, nowMs), together(room)];
  const { parkedUntilMs, isProbing } = limiter.state;
  let startMs = Math.max(nowMs, parkedUntilMs ?? nowMs);
  let waiting = lane.queue.size;
  if (isProbing) {
    // After a 429, a single probe request is sent, and its answer releases the others.
    const isOut = limiter.inFlight > 0;
    const probeMs = isOut
      ? nowMs
      : advance(tracks, 1, Math.max(startMs, waiting > 0 ? nowMs : fromMs), latencyMs);
    if (!isOut && waiting === 0 && count === 1)
      return { finishAtMs: probeMs + latencyMs, leftToday, binding: null };
    if (!isOut && waiting > 0) waiting--;
    startMs = probeMs + latencyMs;
  }
  const waitingMs = advance(tracks, waiting, startMs, latencyMs);
  for (const track of tracks) track.delayMs = 0;
  if (atOnce !== undefined) tracks.push(together(atOnce));
  const finishAtMs = advance(tracks, count, Math.max(waitingMs, fromMs), latencyMs) + latencyMs;
  const rate = (track: Track) => track.allowed / (track.holdMs + latencyMs);
  const [slowest] = tracks.filter((track) => track.delayMs > 0).sort((a, b) => rate(a) - rate(b));
  const binding = slowest?.window ?? null;
  return { finishAtMs, leftToday, binding };
}

/**
 * The time at which each lane finishes if together they need more requests in flight than one service allows. Lanes
 * that take turns have the same rate; slower lanes keep their own.
 */
function sideBySide(
  planned: readonly (PlannedRequests & { finishAtMs: number })[],
  { fromMs, room }: PlanTimes,
): number[] {
  const finishes = planned.map(({ finishAtMs }) => finishAtMs);
  const lanes = planned.flatMap(({ lane, count, finishAtMs }, index) => {
    const origin = lane.origin;
    const own = {
      index,
      origin,
      left: count,
      perMs: count / Math.max(1, finishAtMs - fromMs),
      ms: lane.expectedMs,
    };
    return count > 0 ? [own] : [];
  });
  for (const origin of new Set(lanes.map((lane) => lane.origin))) {
    let going = lanes.filter((lane) => lane.origin === origin);
    for (let atMs = fromMs; going.length > 0; ) {
      const most = commonRate(going, room);
      const rate = ({ perMs }: { perMs: number }) => Math.min(perMs, most);
      const nextMs = Math.min(...going.map((lane) => lane.left / rate(lane)));
      atMs += nextMs;
      for (const lane of going) {
        lane.left -= nextMs * rate(lane);
        if (lane.left < 1e-6) finishes[lane.index] = Math.max(finishes[lane.index] ?? 0, atMs);
      }
      going = going.filter(({ left }) => left >= 1e-6);
    }
  }
  return finishes;
}

/** The highest common rate with which the lanes have at most `room` requests in flight; Infinity if all fit. */
function commonRate(lanes: readonly { perMs: number; ms: number }[], room: number): number {
  let free = room;
  let ms = lanes.reduce((sum, lane) => sum + lane.ms, 0);
  for (const lane of lanes.toSorted((a, b) => a.perMs - b.perMs)) {
    if (lane.perMs > free / ms) return free / ms;
    free -= lane.perMs * lane.ms;
    ms -= lane.ms;
  }
  return NEVER;
}

/** Simulates `count` requests one after another from `startMs` on. Returns when the last one is sent. */
function advance(tracks: Track[], count: number, startMs: number, latencyMs: number): number {
  const most = Math.max(...tracks.map(({ allowed }) => allowed));
  const steps = Math.min(count, Math.max(MIN_STEPS, STEADY_PERIODS * most), MAX_STEPS);
  const sentAtMs: number[] = [];
  let sendAtMs = startMs;
  for (let step = 0; step < steps; step++) {
    sendAtMs = nextSend(tracks, sendAtMs, latencyMs);
    sentAtMs.push(sendAtMs);
  }
  if (steps === count) return sendAtMs;
  // From here on the pattern repeats: each `period` of requests takes the same time. The period is the largest capacity
  // of the delaying limits.
  const delaying = tracks.filter(({ delayMs, endsAtMs }) => delayMs > 0 && endsAtMs === NEVER);
  const period = Math.max(1, ...delaying.map(({ allowed }) => allowed));
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
    // If `allowed` slots are occupied, one of them must become free first.
    const freeMs = track.freeAtMs[track.freeAtMs.length - track.allowed] ?? Number.NEGATIVE_INFINITY;
    if (freeMs <= sendAtMs || sendAtMs >= track.endsAtMs) continue;
    sendAtMs = freeMs;
    holder = track;
  }
  if (holder !== null) holder.delayMs += sendAtMs - earliestMs;
  for (const track of tracks) {
    const freeMs = sendAtMs + latencyMs + track.holdMs;
    track.freeAtMs.push(sendAtMs < track.resetAtMs ? Math.min(freeMs, track.resetAtMs) : freeMs);
    grow(track);
  }
  return sendAtMs;
}

/** Raises the limit as the lane itself does while answers succeed. */
function grow(track: Track): void {
  if (track.successes === null || track.allowed >= MAX_IN_FLIGHT) return;
  track.successes++;
  if (track.successes < track.allowed * track.growsAfter) return;
  track.allowed++;
  track.successes = 0;
}

/** A limit on the number of requests in flight, independent of windows. */
function together(allowed: number): Track {
  const track = { window: null, holdMs: 0, freeAtMs: [], delayMs: 0, resetAtMs: NEVER, endsAtMs: NEVER };
  return { ...track, allowed, successes: null, growsAfter: 0 };
}

function tracksOf(limiter: RateLimiter, latencyMs: number, nowMs: number): Track[] {
  const { windows, inFlightLimit, successes, cap } = limiter.state;
  const tracks = windows.map((window): Track => {
    const { holdMs, freeAtMs } = limiter.occupied(window, nowMs);
    const flying = Array.from({ length: limiter.inFlight }, () => nowMs + latencyMs + holdMs);
    const takenMs = [...freeAtMs, ...flying].sort((a, b) => a - b);
    const resetAtMs = commonReset(takenMs, nextTryMs(window, nowMs));
    return {
      ...together(limiter.allowed(window)),
      window: { count: window.count, lengthMs: window.lengthMs },
      holdMs,
      freeAtMs: takenMs.map((atMs) => Math.min(atMs, resetAtMs)),
      resetAtMs,
    };
  });
  if (inFlightLimit !== null) {
    const freeAtMs = Array.from({ length: limiter.inFlight }, () => nowMs + latencyMs);
    tracks.push({
      ...together(inFlightLimit),
      freeAtMs,
      successes,
      growsAfter: growsAfter(limiter.state),
    });
  }
  if (cap !== null && cap.untilMs > nowMs) {
    // Reserves a slot until the end of the cap, so that only `left` more requests fit before it.
    const { untilMs, left } = cap;
    const freeAtMs = [untilMs];
    tracks.push({
      ...together(1 + Math.max(0, left)),
      ...{ holdMs: NEVER, freeAtMs, resetAtMs: untilMs, endsAtMs: untilMs },
    });
  }
  return tracks;
}

/**
 * The announced reset if it frees all slots at once, as with fixed windows. A service with sliding windows announces
 * when its first slot becomes free. That is never earlier than by our own count, so it does not count as a common
 * reset.
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
