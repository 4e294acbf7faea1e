/** Predicts when requests would be answered, by letting their lane run ahead on paper. Pure. */
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
  /** The act has so many of them under way together; undefined: as many as the limits allow. */
  atOnce?: number | undefined;
}

interface PlanTimes {
  nowMs: number;
  fromMs: number;
  /** Requests that one service may have under way for acts like this. */
  room: number;
}

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
  /** From then on it holds nobody back. */
  endsAtMs: number;
  /** Good answers since `allowed` grew; null where it does not. */
  successes: number | null;
  /** One more at once after so many of them for each. */
  growsAfter: number;
}

/** The plan of an act over several lanes, which go side by side. `toWall` turns ledger time into wall time. */
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

/** When `count` more requests in this lane, begun at `fromMs` behind those that wait, will have been answered. */
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
    // After a refusal one request goes alone; its answer lets the others go.
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
 * When each lane finishes, where all of them want more requests under way than one service may have: lanes send in
 * turn, so they go at one rate, and the slower ones at their own.
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

/** The highest rate at which lanes that take turns have no more than `room` under way; Infinity where all fit. */
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

/** Lets `count` requests go one after the other from `startMs`; returns when the last goes. */
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
  // From here on it repeats itself: so much time for every `period` requests, as many as the tracks that delay hold.
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
    // With `allowed` places taken, one must become free first.
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

/** As the lane itself does while it is answered well. */
function grow(track: Track): void {
  if (track.successes === null || track.allowed >= MAX_IN_FLIGHT) return;
  track.successes++;
  if (track.successes < track.allowed * track.growsAfter) return;
  track.allowed++;
  track.successes = 0;
}

/** So many requests together, whatever the limits. */
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
    // One place more, which is taken until then: so few may go before it.
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
