import { ENDPOINTS, isOperationId, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import { MAX_SENDING } from '../bulk/bulk-runner.ts';
import { DAY_MS, LIMIT_CATEGORIES } from '../core/limits/limits.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { MAX_SCORING } from '../datasets/datasets.ts';
import type {
  Lane,
  RequestScheduler,
  RequestsToPlan,
  LaneStatus as ScheduledLane,
} from '../scheduler/types.ts';
import type { AppError } from '../shared/errors.ts';
import type { LaneStatus, WindowStatus } from '../shared/traffic-model.ts';
import type { DeletionBudget } from '../shared/upload-model.ts';
import { MAX_UPLOADING } from '../uploads/uploads.ts';

type Token = Pick<Lane, 'origin' | 'tokenId'>;

/** The rate limit lane of an operation: method and path template (SERVICE.md S8 rule 1). */
export function laneOf(token: Token, operation: OperationId): Lane {
  const { method, path, limit } = ENDPOINTS[operation];
  return { ...token, operation: `${method} ${path}`, category: limit };
}

/** Maximum requests in flight for some operations, whether or not they are repeatable. */
const AT_ONCE: Partial<Record<OperationId, number>> = {
  'evaluators.score': MAX_SCORING,
  'events.publish': MAX_UPLOADING,
  // Updates are sent in the order of the file.
  'events.update': 1,
};

/** The requests of a job for a lane, and how many of them the job sends at the same time. */
export function askedOf(token: Token, operation: OperationId, count: number): RequestsToPlan {
  const { isWrite, isRepeatSafe } = ENDPOINTS[operation];
  // Only repeatable changes are made in bulk; other changes are sent one after another.
  const ofChange = isRepeatSafe ? MAX_SENDING : 1;
  const atOnce = AT_ONCE[operation] ?? (isWrite ? ofChange : undefined);
  return { lane: laneOf(token, operation), count, atOnce };
}

/** Milliseconds until `requests` further requests of an operation would be answered. */
export function sendDurationMs(
  scheduler: RequestScheduler,
  token: Token,
  operation: OperationId,
  requests: number,
  nowMs: number,
): number {
  const { finishAtMs } = scheduler.plan([askedOf(token, operation, requests)]);
  return Math.max(0, finishAtMs - nowMs);
}

/** The same for requests of several operations. Unknown operations take no time. */
export function sendAllDurationMs(
  scheduler: RequestScheduler,
  token: Token,
  requests: readonly { operation: string; count: number }[],
  nowMs: number,
): number {
  const asked = requests.flatMap(({ operation, count }) =>
    isOperationId(operation) ? [askedOf(token, operation, count)] : [],
  );
  return asked.length === 0 ? 0 : Math.max(0, scheduler.plan(asked).finishAtMs - nowMs);
}

/** Milliseconds until a further request of an operation would be sent, without the time for its answer. */
export function sendWaitMs(
  scheduler: Pick<RequestScheduler, 'plan'>,
  token: Token,
  operation: OperationId,
  nowMs: number,
): number {
  const { finishAtMs, lanes } = scheduler.plan([askedOf(token, operation, 1)]);
  return Math.max(0, finishAtMs - nowMs - (lanes[0]?.latencyMs ?? 0));
}

/** The limits of an operation that are known now; empty if it has none. */
export function windowsOf(
  scheduler: Pick<RequestScheduler, 'plan'>,
  token: Token,
  operation: OperationId,
): readonly WindowStatus[] {
  return scheduler.plan([{ lane: laneOf(token, operation), count: 0 }]).lanes[0]?.windows ?? [];
}

/** The event deletions that are left on this day (SERVICE.md S8: 30 requests per day). */
export function deletionBudget(scheduler: RequestScheduler, token: Token): DeletionBudget {
  const lane = laneOf(token, 'events.delete');
  const { leftToday } = scheduler.plan([{ lane, count: 0 }]);
  const day = scheduler
    .status()
    .find((status) => isSameLane(status, lane))
    ?.windows.find(({ lengthMs }) => lengthMs === DAY_MS);
  const limit = day?.count ?? LIMIT_CATEGORIES['event-deletion'].windows[0].count;
  return { usedToday: limit - (leftToday ?? limit), limit, resetsAtMs: day?.resetsAtMs ?? null };
}

/** Loads a token's counters from the budget file into the scheduler, so that they can be shown. */
export function loadLanes(scheduler: RequestScheduler, token: Token): void {
  scheduler.plan(OPERATION_IDS.map((operation) => ({ lane: laneOf(token, operation), count: 0 })));
}

/**
 * Stands in if the budget file cannot be opened. Nothing may be sent, because it is unknown what was sent before, so
 * every request fails with the reason. Stored data stays readable.
 */
export function schedulerWithoutBudget(error: AppError, clock: Clock, logger: Logger): RequestScheduler {
  logger.error('budget file not opened', { code: error.code, reason: error.message });
  return {
    submit: () => Promise.reject(error),
    choosePriority: () => undefined,
    orderGroups: () => undefined,
    groupOrder: () => null,
    waiting: () => [],
    forget: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
    pauseLanes: () => undefined,
    resumeLanes: () => undefined,
    areLanesPaused: () => false,
    carryChoices: () => undefined,
    status: () => [],
    lastToken: () => null,
    plan: () => {
      const nowMs = clock.nowMs();
      return {
        requests: 0,
        startAtMs: nowMs,
        finishAtMs: nowMs,
        leftToday: 0,
        bindingWindow: null,
        lanes: [],
      };
    },
    onChange: () => () => undefined,
    allowAttempts: () => undefined,
    stop: () => Promise.resolve(),
  };
}

/**
 * The lanes of one token that were used, have waiting requests, count by the day, or were paused by name, with the
 * titles of their operations.
 */
export function lanesOf(scheduler: RequestScheduler, token: Token): LaneStatus[] {
  const areAllPaused = scheduler.areLanesPaused(token);
  return scheduler
    .status()
    .filter((lane) => lane.origin === token.origin && lane.tokenId === token.tokenId)
    .filter((lane) => isWorthShowing(lane) || (lane.isPaused && !areAllPaused))
    .map(({ tokenId: _, category: __, wasUsed: ___, ...lane }) => ({
      ...lane,
      title: titleOf(lane.operation),
    }));
}

function isWorthShowing(lane: ScheduledLane): boolean {
  const { windows, queued, inFlight, parkedUntilMs, learned } = lane;
  const isUsed = lane.wasUsed || windows.some(({ used, lengthMs }) => used > 0 || lengthMs === DAY_MS);
  return isUsed || queued > 0 || inFlight > 0 || parkedUntilMs !== null || learned.refusals > 0;
}

/** Titles of all operations, by the name of their lane: method and path. */
export const OPERATION_TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(ENDPOINTS).map(({ method, path, title }) => [`${method} ${path}`, title]),
);

/** Title of the operation that names a lane; the name itself if the table has none. */
export const titleOf = (operation: string): string => OPERATION_TITLES[operation] ?? operation;

function isSameLane(one: Lane, other: Lane): boolean {
  return one.origin === other.origin && one.tokenId === other.tokenId && one.operation === other.operation;
}
