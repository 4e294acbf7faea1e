import type { OtherHolder } from '../core/limits/budget-ledger.ts';
import { LIMIT_CATEGORIES } from '../core/limits/limits.ts';
import { numberText as number } from '../shared/count-text.ts';
import type { PauseReason, WaitStatus, WindowStatus } from '../shared/traffic-model.ts';
import type { Gate } from './gate.ts';
import type { Pauses } from './pauses.ts';
import type { LaneState } from './queued-request.ts';
import type { LaneStatus } from './types.ts';
import { type Retrying, waitedMs } from './waiting.ts';

interface Around {
  pauses: Pick<Pauses, 'reason' | 'isByHand'>;
  retrying: Retrying;
  /** The other processes whose answers the lane waits for. */
  others: readonly OtherHolder[];
  nowMs: number;
  /** Converts ledger time to wall time. */
  toWall: (ledgerMs: number) => number;
}

/** The state of one lane for display. */
export function laneStatus(
  lane: LaneState,
  gate: Gate,
  { pauses, retrying, others, nowMs, toWall }: Around,
): LaneStatus {
  const pausedBy = pauses.reason(lane.key);
  const { limiter, queue, key } = lane;
  const { state } = limiter;
  let longestWaitMs = retrying.longestWaitMs;
  for (const request of queue.heads()) longestWaitMs = Math.max(longestWaitMs, waitedMs(request, nowMs));
  const wallOrNull = (ledgerMs: number | null) =>
    ledgerMs === null || !Number.isFinite(ledgerMs) ? null : toWall(ledgerMs);
  const parkedUntilMs =
    state.parkedUntilMs !== null && state.parkedUntilMs > nowMs ? state.parkedUntilMs : null;
  const onlyRetries = gate.reason === 'ready' && queue.size === 0 && retrying.count > 0;
  const wait = onlyRetries
    ? retryStatus(retrying, wallOrNull(retrying.nextAtMs))
    : waitStatus(lane, gate, { pausedBy, others, nowMs, untilMs: wallOrNull(gate.untilMs) });
  return {
    ...key,
    limitTitle: LIMIT_CATEGORIES[key.category].title,
    windows: windowStatuses(lane, nowMs, toWall),
    queued: queue.size,
    queuedBy: queue.sizes(),
    retrying: retrying.count,
    inFlight: limiter.inFlight - limiter.inFlightOfOthers,
    inFlightOfOthers: limiter.inFlightOfOthers,
    parkedUntilMs: wallOrNull(parkedUntilMs),
    longestWaitMs,
    reason: wait.reason,
    wait,
    nextSendAtMs: wait.reason === 'retry' ? wait.untilMs : wallOrNull(gate.untilMs),
    isPaused: pauses.isByHand(lane.key),
    wasUsed: lane.servedAtTurn > 0,
    learned: {
      source: state.source,
      policy: state.policy,
      inFlightLimit: state.inFlightLimit,
      factor: state.factor,
      refusals: state.refusals,
      changedAtMs: wallOrNull(state.changedAtMs),
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

function retryStatus({ count }: Retrying, untilMs: number | null): WaitStatus {
  const what = count === 1 ? '1 request failed and is' : `${number(count)} requests failed and are`;
  return { reason: 'retry', text: `${what} sent again.`, untilMs, window: null, pausedBy: null, error: null };
}

function waitStatus(
  lane: LaneState,
  { reason }: Gate,
  {
    pausedBy,
    others,
    nowMs,
    untilMs,
  }: Pick<Around, 'others' | 'nowMs'> & { pausedBy: PauseReason | null; untilMs: number | null },
): WaitStatus {
  const status: WaitStatus = { reason, text: '', untilMs, window: null, pausedBy: null, error: null };
  switch (reason) {
    case 'ready':
      return { ...status, untilMs: null, text: lane.queue.size === 0 ? 'Nothing waits.' : 'Sends now.' };
    case 'paused':
      return { ...status, pausedBy, text: PAUSE_TEXTS[pausedBy ?? 'user'] };
    case 'retry-after':
      return { ...status, text: 'The service asked to wait.' };
    case 'breaker': {
      const error = lane.origin.breaker.lastError?.toWire() ?? null;
      const said =
        error === null ? 'The service answered that it is not available' : 'The service did not answer';
      const next = untilMs === null ? 'finds out whether it is back' : 'tries again soon';
      return { ...status, error, text: `${said}; one request ${next}.` };
    }
    case 'in-flight':
      return {
        ...{ ...status, text: `${inFlightText(lane, others)}${stoppedText(others)}` },
        ...(others.length === 0 ? {} : { others: [...others] }),
      };
    case 'window':
      return { ...status, ...windowText(lane, nowMs) };
  }
}

function inFlightText({ limiter, origin }: LaneState, holders: readonly OtherHolder[]): string {
  const count = limiter.inFlight;
  if (count > 0 && limiter.state.isProbing) {
    return 'After a refusal, one request is sent alone. The others follow after its answer.';
  }
  const others =
    limiter.inFlightOfOthers === 0
      ? ''
      : `, ${limiter.inFlightOfOthers} of them by another window or command${processText(holders)}`;
  if (count >= limiter.inFlightLimit()) {
    return `Waiting for answers: ${underWay(count)}${others}, the most this lane sends at once.`;
  }
  if (limiter.state.windows.some((window) => count >= limiter.allowed(window))) {
    return `Waiting for answers: ${underWay(count)}${others} and may use up the limit.`;
  }
  return `Waiting for answers: ${underWay(origin.inFlight)} to this service.`;
}

/** Example: ` (process 1234)`; empty if no process is known. */
const processText = (holders: readonly OtherHolder[]): string =>
  holders.length === 0
    ? ''
    : ` (${holders.length === 1 ? 'process' : 'processes'} ${holders.map(({ pid }) => pid).join(', ')})`;

/** Advice about processes that are suspended and therefore report no answer; empty if there are none. */
function stoppedText(holders: readonly OtherHolder[]): string {
  const pids = holders.flatMap(({ pid, isStopped }) => (isStopped ? [pid] : []));
  const [first] = pids;
  if (first === undefined) return '';
  return pids.length === 1
    ? ` Process ${first} is stopped: continue it (kill -CONT ${first}), or end it.`
    : ` Processes ${pids.join(', ')} are stopped: continue them (kill -CONT ${pids.join(' ')}), or end them.`;
}

const underWay = (count: number) => `${count} ${count === 1 ? 'request is' : 'requests are'} in progress`;

function windowText(lane: LaneState, nowMs: number): Pick<WaitStatus, 'text' | 'window'> {
  const decision = lane.limiter.decide(nowMs);
  const window = decision.kind === 'wait' ? decision.window : null;
  if (window === null)
    return { window: null, text: 'The service said that the limit is used up until it resets.' };
  const { count, lengthMs } = window;
  const use = lane.limiter.windowUse(nowMs).find((one) => one.lengthMs === lengthMs);
  const foreign = use?.foreign ?? 0;
  const others = foreign === 0 ? '' : `, ${foreign} of them by another program with the same token`;
  const allowed = use?.count ?? count;
  const slowed = allowed < count ? `; it was ${number(count)} before refusals` : '';
  return {
    window: { count: allowed, lengthMs },
    text: `All ${number(allowed)} requests of ${lengthText(lengthMs)} are used${others}${slowed}.`,
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
