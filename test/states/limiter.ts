/**
 * Two processes that share the permits of one lane, and a service that counts each request at any time until its
 * answer.
 */
import type { PermitRecord } from '../../electron/core/limits/budget-ledger.ts';
import { initialState, newWindow } from '../../electron/core/limits/learned-state.ts';
import { RateLimiter } from '../../electron/core/limits/rate-limiter.ts';
import type { Machine, Step } from './explore.ts';

const PROCESSES = [0, 1] as const;
const NOW_MS = 1_000_000_000;

interface Bounds {
  /** Maximum number of requests in any interval as long as the window. */
  readonly limit: number;
  readonly lengthMs: number;
  readonly tickMs: number;
  /** Time in ms by which a request is answered, or counts as answered. */
  readonly openMs: number;
  /** Time in ms until the announced reset of the service's counter; null if none is announced. */
  readonly resetInMs: number | null;
}

/**
 * A window of a second, at a service that states nothing about its counter. Four ticks end inside the margin of a
 * window.
 */
const SHORT_WINDOW = { lengthMs: 1_000, tickMs: 250.25, openMs: 1_501.5, resetInMs: null } as const;
/** A window of an hour, the shortest for which a reset is tested by a request. */
const LONG_WINDOW = {
  lengthMs: 3_600_000,
  tickMs: 900_000,
  openMs: 1_800_000,
  resetInMs: 1_800_000,
} as const;

/** All times are ages in ms. */
interface Request {
  readonly process: number;
  readonly sentAgoMs: number;
  readonly countedAgoMs: number | null;
  readonly answeredAgoMs: number | null;
}

export interface Lane {
  readonly requests: readonly Request[];
  /** Whether the first process was killed. Its requests then stay open until their bound. */
  readonly isKilled: boolean;
  /** Remaining time in ms of the service's Retry-After; 0 if there is none. */
  readonly parkedMs: number;
  /** The Remaining that the service announced, valid for `untilMs` from now; null if there is none. */
  readonly cap: { readonly left: number; readonly untilMs: number } | null;
  /** Time in ms until the announced reset, negative after it; null if none is announced. */
  readonly resetInMs: number | null;
  /** Whether a request has tested the reset. */
  readonly isResetTried: boolean;
}

const nameOf = ({ process, sentAgoMs, countedAgoMs, answeredAgoMs }: Request): string =>
  `${process}:${answeredAgoMs === null ? sentAgoMs : '-'}:${countedAgoMs ?? ''}:${answeredAgoMs ?? ''}`;

const isOpen = ({ answeredAgoMs }: Request): boolean => answeredAgoMs === null;

/** The lane as `process` knows it: its own open requests, and the permits of the other process. */
function limiterOf(lane: Lane, process: number, { limit, lengthMs, openMs }: Bounds): RateLimiter {
  const { requests, parkedMs, cap, resetInMs, isResetTried } = lane;
  const resetAtMs = resetInMs === null ? null : NOW_MS + resetInMs;
  const window = { ...newWindow(limit, lengthMs), resetAtMs, triedResetMs: isResetTried ? resetAtMs : null };
  const learned = {
    ...{ ...initialState('unlisted', 0), windows: [window], source: 'stated', inFlightLimit: null },
    parkedUntilMs: parkedMs === 0 ? null : NOW_MS + parkedMs,
  };
  const limiter = new RateLimiter('unlisted', JSON.stringify(learned), NOW_MS);
  for (const [id, { process: owner, sentAgoMs, answeredAgoMs }] of requests.entries()) {
    if (owner === process && answeredAgoMs === null) {
      limiter.start(id, NOW_MS - sentAgoMs);
      continue;
    }
    const record: PermitRecord = {
      ...{ id, laneId: 1, isReleased: false, openUntilMs: NOW_MS - sentAgoMs + openMs },
      doneAtMs: answeredAgoMs === null ? null : NOW_MS - answeredAgoMs,
    };
    // The ledger reports some permits twice.
    limiter.apply(record);
    limiter.apply(record);
  }
  // Set last, because each start takes one of the remaining permits.
  if (cap !== null)
    limiter.state.cap = { left: cap.left, afterMs: 0, untilMs: NOW_MS + cap.untilMs, isCut: false };
  return limiter;
}

/**
 * Whether one more request is allowed by the rule of docs/ARCHITECTURE.md ("One request"): none may exceed the limit,
 * whenever each of them is counted.
 */
function fits(
  { requests, parkedMs, cap, resetInMs, isResetTried }: Lane,
  { limit, lengthMs }: Bounds,
): boolean {
  if (parkedMs > 0 || cap?.left === 0) return false;
  const holdMs = lengthMs * 1.0005 + 1;
  const occupied = requests.filter((each) => isOpen(each) || (each.answeredAgoMs ?? 0) < holdMs).length;
  if (occupied < limit) return true;
  const isReset = resetInMs !== null && resetInMs <= 0 && !isResetTried;
  const answeredSince = requests.filter(
    ({ answeredAgoMs }) => (answeredAgoMs ?? 0) < -(resetInMs ?? 0),
  ).length;
  return isReset && !requests.some(isOpen) && answeredSince < limit;
}

function tidied(requests: readonly Request[], { lengthMs }: Bounds): Request[] {
  return requests
    .filter(({ answeredAgoMs }) => answeredAgoMs === null || answeredAgoMs < 2 * lengthMs)
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const older = (request: Request, byMs: number): Request => ({
  ...request,
  sentAgoMs: request.sentAgoMs + byMs,
  countedAgoMs: request.countedAgoMs === null ? null : request.countedAgoMs + byMs,
  answeredAgoMs: request.answeredAgoMs === null ? null : request.answeredAgoMs + byMs,
});

function asks(lane: Lane, bounds: Bounds): Step<Lane>[] {
  return PROCESSES.filter((process) => process === 1 || !lane.isKilled).map((process) => ({
    name: `process ${process} asks`,
    isPossible: fits(lane, bounds),
    check: (after) =>
      after.isResetTried && !lane.isResetTried && (lane.resetInMs === null || lane.resetInMs > 0)
        ? 'A reset counts as tried before it is due.'
        : null,
    apply: () => {
      const limiter = limiterOf(lane, process, bounds);
      if (limiter.decide(NOW_MS).kind !== 'grant') return null;
      const isTry = limiter.start(lane.requests.length, NOW_MS);
      const sent = { process, sentAgoMs: 0, countedAgoMs: null, answeredAgoMs: null };
      return {
        ...lane,
        isResetTried: lane.isResetTried || isTry,
        cap: lane.cap === null ? null : { ...lane.cap, left: limiter.state.cap?.left ?? 0 },
        requests: tidied([...lane.requests, sent], bounds),
      };
    },
  }));
}

function requestSteps(lane: Lane, bounds: Bounds): Step<Lane>[] {
  return lane.requests.filter(isOpen).flatMap((request) => {
    const change = (name: string, next: Request | null): Step<Lane> => ({
      name: `${name} (${nameOf(request)})`,
      apply: () => {
        const others = lane.requests.filter((each) => each !== request);
        return { ...lane, requests: tidied(next === null ? others : [...others, next], bounds) };
      },
    });
    const isAlive = request.process === 1 || !lane.isKilled;
    if (request.countedAgoMs === null)
      return [
        change('it is counted', { ...request, countedAgoMs: 0 }),
        ...(isAlive ? [change('it never left', null)] : []),
      ];
    return isAlive ? [change('it is answered', { ...request, answeredAgoMs: 0 })] : [];
  });
}

function timeSteps(lane: Lane, bounds: Bounds): Step<Lane>[] {
  const { tickMs, openMs, lengthMs } = bounds;
  const isLate = ({ process, sentAgoMs }: Request) =>
    sentAgoMs + tickMs > openMs && (process === 1 || !lane.isKilled);
  if (lane.requests.filter(isOpen).some(isLate)) return [];
  // A request of a killed process counts as answered at its bound.
  const requests = lane.requests
    .map((request) => older(request, tickMs))
    .map((request) =>
      isOpen(request) && request.sentAgoMs >= openMs
        ? { ...request, answeredAgoMs: request.sentAgoMs - openMs }
        : request,
    );
  const untilMs = (lane.cap?.untilMs ?? 0) - tickMs;
  const next: Lane = {
    ...lane,
    requests: tidied(requests, bounds),
    parkedMs: Math.max(0, lane.parkedMs - tickMs),
    cap: lane.cap === null || untilMs <= 0 ? null : { ...lane.cap, untilMs },
    resetInMs: lane.resetInMs === null ? null : Math.max(-2 * lengthMs, lane.resetInMs - tickMs),
  };
  return [{ name: 'time passes', apply: () => next }];
}

function machineOf(bounds: Bounds): Machine<Lane> {
  const { limit, lengthMs, tickMs, resetInMs } = bounds;
  const start: Lane = {
    ...{ requests: [], isKilled: false, parkedMs: 0, cap: null, resetInMs, isResetTried: false },
  };
  return {
    name: `two processes under a limit of ${limit} requests in ${lengthMs / 1_000} s`,
    starts: [start, { ...start, parkedMs: 2 * tickMs }, { ...start, cap: { left: 1, untilMs: 2 * tickMs } }],
    steps: (lane) => [
      ...asks(lane, bounds),
      ...requestSteps(lane, bounds),
      ...timeSteps(lane, bounds),
      ...(lane.isKilled ? [] : [{ name: 'process 0 is killed', apply: () => ({ ...lane, isKilled: true }) }]),
    ],
    key: ({ requests, isKilled, parkedMs, cap, ...reset }) =>
      [
        ...[requests.map(nameOf).join(), String(isKilled), parkedMs, cap?.left, cap?.untilMs],
        ...[reset.resetInMs, String(reset.isResetTried)],
      ].join('|'),
    problem: ({ requests, isResetTried }) => {
      const counted = requests.filter(({ countedAgoMs }) => countedAgoMs !== null && countedAgoMs < lengthMs);
      // One more is allowed: the request that tests whether the counter was reset.
      const most = limit + (isResetTried ? 1 : 0);
      return counted.length > most
        ? `${counted.length} requests were counted in one window of ${limit}.`
        : null;
    },
    // The process can send, so nothing waits forever.
    isEnd: (lane) => fits(lane, bounds),
  };
}

export const limiterMachine = (limit: number): Machine<Lane> => machineOf({ limit, ...SHORT_WINDOW });
export const longLimiterMachine = (limit: number): Machine<Lane> => machineOf({ limit, ...LONG_WINDOW });

/** The reports of a ledger about one permit, in this order. */
type Report = 'open' | 'done' | 'released';

export interface LedgerCase {
  readonly histories: readonly (readonly Report[])[];
  readonly limit: number;
  /** How long ago the service was seen to have freed its window, in ms; null if it was not. */
  readonly freedAgoMs: number | null;
  /** Number of requests by others that the service counts until its reset, half a window from now. */
  readonly foreign: number;
}

/** A permit may be reported again, and its answer may be known here before its start. */
const HISTORIES: readonly (readonly Report[])[] = [
  ...([['open'], ['done'], ['released']] as const),
  ...([
    ['open', 'open'],
    ['open', 'done'],
    ['open', 'released'],
    ['done', 'done'],
    ['done', 'released'],
  ] as const),
];
const LENGTH_MS = 1_000;
/** Permits are answered alternately before and after the window was freed. */
const answeredAgo = (id: number): number => (id % 2 === 0 ? 100 : 300);

function* ledgerCases(): Generator<LedgerCase> {
  const lists: (readonly Report[])[][] = [[]];
  for (const one of HISTORIES) {
    lists.push([one]);
    for (const two of HISTORIES) {
      lists.push([one, two]);
      for (const three of HISTORIES) lists.push([one, two, three]);
    }
  }
  for (const histories of lists)
    for (let limit = 1; limit <= 3; limit += 1)
      for (const freedAgoMs of [null, 200])
        for (const foreign of [0, 1]) yield { histories, limit, freedAgoMs, foreign };
}

function ledgerProblem({ histories, limit, freedAgoMs, foreign }: LedgerCase): string | null {
  const ofOthers = {
    ...{ count: foreign, resetAtMs: NOW_MS + LENGTH_MS / 2 },
    ...{ untilMs: NOW_MS + LENGTH_MS, sentAtMs: NOW_MS },
  };
  const freedUntilMs = freedAgoMs === null ? null : NOW_MS - freedAgoMs;
  const learned = {
    ...{ ...initialState('unlisted', 0), source: 'stated', inFlightLimit: null },
    windows: [{ ...newWindow(limit, LENGTH_MS), freedUntilMs, foreign: foreign === 0 ? null : ofOthers }],
  };
  const limiter = new RateLimiter('unlisted', JSON.stringify(learned), NOW_MS);
  for (const turn of [0, 1])
    for (const [id, history] of histories.entries()) {
      const report = history[turn];
      if (report === undefined) continue;
      const doneAtMs = report === 'done' ? NOW_MS - answeredAgo(id) : null;
      const isReleased = report === 'released';
      limiter.apply({ id, laneId: 1, isReleased, openUntilMs: NOW_MS + LENGTH_MS, doneAtMs });
    }
  const open = histories.filter((history) => history.at(-1) === 'open').length;
  const isCounted = (id: number) => freedAgoMs === null || answeredAgo(id) < freedAgoMs;
  const done = histories.filter((history, id) => history.at(-1) === 'done' && isCounted(id)).length;
  if (limiter.inFlight !== open) return `${limiter.inFlight} requests count as under way, and ${open} are.`;
  const isGranted = limiter.decide(NOW_MS).kind === 'grant';
  const used = open + done + foreign;
  if (isGranted === used < limit) return null;
  return `${used} of ${limit} permits are used, and one more is ${isGranted ? 'granted' : 'refused'}.`;
}

/** All reports that the ledger can make about up to three permits. Each permit must count once. */
export const ledgerMachine: Machine<LedgerCase> = {
  name: 'reports of permits by the ledger',
  starts: [...ledgerCases()],
  steps: () => [],
  key: (state) => JSON.stringify(state),
  problem: ledgerProblem,
  isEnd: () => true,
};
