/** Two processes that share the permits of one lane, and a service that counts each request at any time until its answer. */
import type { PermitRecord } from '../../electron/core/limits/budget-ledger.ts';
import { initialState, newWindow } from '../../electron/core/limits/learned-state.ts';
import { RateLimiter } from '../../electron/core/limits/rate-limiter.ts';
import type { Machine, Step } from './explore.ts';

const LENGTH_MS = 1_000;
const TICK_MS = 250;
/** A request is answered, or taken as answered, by then. */
const OPEN_MS = 1_500;
/** Nothing older decides anything: longer than a window with its margin. */
const FORGOTTEN_MS = 2 * LENGTH_MS;
const PROCESSES = [0, 1] as const;

interface Request {
  readonly process: number;
  /** All times are before now, in ms. */
  readonly sentAgoMs: number;
  readonly countedAgoMs: number | null;
  readonly answeredAgoMs: number | null;
}

export interface Lane {
  readonly requests: readonly Request[];
  /** Processes that were killed: what they sent stays open until its bound. */
  readonly dead: readonly boolean[];
}

const NOW_MS = 1_000_000;

function limiterOf({ requests }: Lane, process: number, limit: number): RateLimiter {
  const learned = {
    ...{ ...initialState('unlisted', 0), windows: [newWindow(limit, LENGTH_MS)] },
    ...{ source: 'stated' as const, inFlightLimit: null },
  };
  const limiter = new RateLimiter('unlisted', JSON.stringify(learned), NOW_MS);
  for (const [id, { process: owner, sentAgoMs, answeredAgoMs }] of requests.entries()) {
    if (owner === process && answeredAgoMs === null) {
      limiter.start(id, NOW_MS - sentAgoMs);
      continue;
    }
    const record: PermitRecord = {
      ...{ id, laneId: 1, isReleased: false, openUntilMs: NOW_MS - sentAgoMs + OPEN_MS },
      doneAtMs: answeredAgoMs === null ? null : NOW_MS - answeredAgoMs,
    };
    limiter.apply(record);
  }
  return limiter;
}

const nameOf = ({ process, sentAgoMs, countedAgoMs, answeredAgoMs }: Request): string =>
  `${process}:${answeredAgoMs === null ? sentAgoMs : '-'}:${countedAgoMs ?? ''}:${answeredAgoMs ?? ''}`;

function tidied(requests: readonly Request[]): Request[] {
  return requests
    .filter(({ answeredAgoMs }) => answeredAgoMs === null || answeredAgoMs < FORGOTTEN_MS)
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const older = (request: Request): Request => ({
  ...request,
  sentAgoMs: request.sentAgoMs + TICK_MS,
  countedAgoMs: request.countedAgoMs === null ? null : request.countedAgoMs + TICK_MS,
  answeredAgoMs: request.answeredAgoMs === null ? null : request.answeredAgoMs + TICK_MS,
});

/** `limit`: requests in any interval of one window. */
export function limiterMachine(limit: number): Machine<Lane> {
  const asks = (lane: Lane): Step<Lane>[] =>
    PROCESSES.filter((process) => lane.dead[process] !== true).map((process) => ({
      name: `process ${process} asks`,
      apply: () => {
        if (limiterOf(lane, process, limit).decide(NOW_MS).kind !== 'grant') return null;
        const sent = { process, sentAgoMs: 0, countedAgoMs: null, answeredAgoMs: null };
        return { ...lane, requests: tidied([...lane.requests, sent]) };
      },
    }));
  const ofRequests = (lane: Lane): Step<Lane>[] =>
    lane.requests.flatMap((request, at) => {
      const change = (name: string, next: Request | null): Step<Lane> => ({
        name: `${name} (${nameOf(request)})`,
        apply: () => ({
          ...lane,
          requests: tidied([
            ...lane.requests.filter((_, index) => index !== at),
            ...(next === null ? [] : [next]),
          ]),
        }),
      });
      if (request.answeredAgoMs !== null) return [];
      if (request.countedAgoMs === null) {
        const isAlive = lane.dead[request.process] !== true;
        return [
          change('it is counted', { ...request, countedAgoMs: 0 }),
          ...(isAlive ? [change('it never left', null)] : []),
        ];
      }
      return lane.dead[request.process] === true
        ? []
        : [change('it is answered', { ...request, answeredAgoMs: 0 })];
    });
  const time = (lane: Lane): Step<Lane>[] => {
    // A request that nobody answers ends at its bound; until then the service may still count it.
    const isOverdue = ({ sentAgoMs, answeredAgoMs, process }: Request) =>
      answeredAgoMs === null && sentAgoMs + TICK_MS > OPEN_MS && lane.dead[process] !== true;
    if (lane.requests.some(isOverdue)) return [];
    const settled = lane.requests
      .map(older)
      .map((request) =>
        request.answeredAgoMs === null && request.sentAgoMs > OPEN_MS
          ? { ...request, answeredAgoMs: request.sentAgoMs - OPEN_MS }
          : request,
      );
    return [{ name: 'time passes', apply: () => ({ ...lane, requests: tidied(settled) }) }];
  };
  return {
    name: `two processes under a limit of ${limit} requests`,
    starts: [{ requests: [], dead: [false, false] }],
    steps: (lane) => [
      ...asks(lane),
      ...ofRequests(lane),
      ...time(lane),
      ...(lane.dead[0] === true
        ? []
        : [{ name: 'process 0 is killed', apply: () => ({ ...lane, dead: [true, false] }) }]),
    ],
    key: ({ requests, dead }) => `${requests.map(nameOf).join()}|${String(dead[0])}`,
    problem: ({ requests }) => {
      const counted = requests.filter(
        ({ countedAgoMs }) => countedAgoMs !== null && countedAgoMs < LENGTH_MS,
      );
      return counted.length > limit
        ? `${counted.length} requests were counted in one window of ${limit}.`
        : null;
    },
    // Somebody can send: nothing waits for ever.
    isEnd: (lane) => limiterOf(lane, 1, limit).decide(NOW_MS).kind === 'grant',
  };
}
