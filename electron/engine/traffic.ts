/** Lanes, pauses and plans of one connection, for the channels `traffic:*` and the command `budget`. */

import { isOperationId } from '../api/endpoints.ts';
import { tokenId } from '../connections/token-vault.ts';
import type { Lane, RequestScheduler } from '../scheduler/types.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import type { ChosenPriority, LaneOverview, TrafficPlan } from '../shared/traffic-model.ts';
import { askedOf, lanesOf, loadLanes, titleOf } from './budgets.ts';

type Token = Pick<Lane, 'origin' | 'tokenId'>;

/** Prefix of the request groups of uploads; the id of the upload follows. */
const UPLOAD = 'upload ';
/** Stands for the token of a service that was never used. */
const NO_TOKEN = 'none';

/** Every method throws if the budget file cannot be used, because it is then unknown what was sent. */
export interface Traffic {
  /**
   * The lanes of a connection's token that were used, have waiting requests or count by the day, including use by
   * earlier processes.
   */
  lanes(connectionId: string): LaneOverview;
  /**
   * Holds back the requests of one operation, or of all present and later ones (`null`), until `resume`. Applies to
   * this process only. Requests stay queued, except those for the screen, which are refused.
   */
  pause(connectionId: string, operation: string | null): LaneOverview;
  resume(connectionId: string, operation: string | null): LaneOverview;
  /** Uploads send in this order, followed by those that are not listed; null: in turn. The order is not stored. */
  orderUploads(connectionId: string, jobIds: readonly string[] | null): LaneOverview;
  /** Sets the priority of a group's waiting and later requests; null: they get their own priorities again. */
  choosePriority(connectionId: string, group: string, priority: ChosenPriority | null): LaneOverview;
  /** Resets a lane to its published limits. Throws NOT_FOUND for a lane that is not listed. */
  forget(connectionId: string, operation: string): LaneOverview;
  /** Throws INVALID_ARGUMENT for an operation that is not in the endpoint table. */
  plan(
    connectionId: string,
    requests: readonly { operation: string; count: number }[],
    startAtMs: number | null,
  ): TrafficPlan;
}

interface TrafficDeps {
  scheduler: RequestScheduler;
  /** Why the budget file cannot be used, if it cannot. */
  blockingError: () => AppError | null;
  /** Returns a connection. Throws NOT_FOUND. */
  connection: (connectionId: string) => Connection;
  heldToken: (connection: Connection) => string | null;
  /** Called after a choice for this token, which stands for the token of the connection because that is unknown. */
  onChosenWithoutToken: (connectionId: string, token: Token) => void;
  /** Called when refused requests for the screen can be repeated. */
  onResumed: (connectionId: string) => void;
}

/**
 * The token of a connection's lanes; `token` null: unknown, e.g. because the keychain is locked. The counters of the
 * token that was last used with the service can then be read.
 */
function laneTokenOf(
  scheduler: Pick<RequestScheduler, 'lastToken'>,
  { baseUrl }: Pick<Connection, 'baseUrl'>,
  token: string | null,
): Token {
  const { origin } = new URL(baseUrl);
  return { origin, tokenId: token === null ? (scheduler.lastToken(origin) ?? NO_TOKEN) : tokenId(token) };
}

export function createTraffic(deps: TrafficDeps): Traffic {
  const { scheduler, blockingError } = deps;
  const loaded = new Set<string>();
  const ownerOf = (connectionId: string): Token => {
    const error = blockingError();
    if (error !== null) throw error;
    const connection = deps.connection(connectionId);
    return laneTokenOf(scheduler, connection, deps.heldToken(connection));
  };
  const lanes = (connectionId: string): LaneOverview => {
    const owner = ownerOf(connectionId);
    const chosen = {
      isAllPaused: scheduler.areLanesPaused(owner),
      uploadOrder: scheduler.groupOrder(owner, UPLOAD)?.map((name) => name.slice(UPLOAD.length)) ?? null,
    };
    if (owner.tokenId === NO_TOKEN) return { lanes: [], waiting: [], ...chosen };
    const name = owner.origin + owner.tokenId;
    if (!loaded.has(name)) {
      loaded.add(name);
      loadLanes(scheduler, owner);
    }
    return { lanes: lanesOf(scheduler, owner), waiting: scheduler.waiting(owner), ...chosen };
  };
  /** Makes a person's choice for the token of a connection, and for its next one if the token is unknown. */
  const choose = (connectionId: string, choice: (owner: Token) => void): void => {
    const owner = ownerOf(connectionId);
    choice(owner);
    if (deps.heldToken(deps.connection(connectionId)) === null)
      deps.onChosenWithoutToken(connectionId, owner);
  };
  return {
    lanes,
    pause: (connectionId, operation) => {
      choose(connectionId, (owner) => scheduler.pauseLanes(owner, operation));
      return lanes(connectionId);
    },
    resume: (connectionId, operation) => {
      choose(connectionId, (owner) => scheduler.resumeLanes(owner, operation));
      deps.onResumed(connectionId);
      return lanes(connectionId);
    },
    orderUploads: (connectionId, jobIds) => {
      const names = jobIds?.map((jobId) => UPLOAD + jobId) ?? null;
      choose(connectionId, (owner) => scheduler.orderGroups(owner, UPLOAD, names));
      return lanes(connectionId);
    },
    choosePriority: (connectionId, group, priority) => {
      choose(connectionId, (owner) => scheduler.choosePriority(owner, group, priority));
      return lanes(connectionId);
    },
    forget: (connectionId, operation) => {
      // Loads the lanes of earlier processes first.
      lanes(connectionId);
      const { origin, tokenId } = ownerOf(connectionId);
      const known = scheduler
        .status()
        .find((lane) => lane.origin === origin && lane.tokenId === tokenId && lane.operation === operation);
      if (known === undefined) {
        throw new AppError(
          'NOT_FOUND',
          `Expected a lane that was used, got "${cutText(operation, 60)}". Choose one of the lanes shown.`,
        );
      }
      scheduler.forget({ origin, tokenId, operation, category: known.category });
      return lanes(connectionId);
    },
    plan: (connectionId, requests, startAtMs) => {
      const owner = ownerOf(connectionId);
      const wanted = requests.map(({ operation, count }) => {
        if (isOperationId(operation)) return askedOf(owner, operation, count);
        throw new AppError(
          'INVALID_ARGUMENT',
          `"${cutText(operation, 60)}" is not an operation of this service.`,
        );
      });
      const { lanes: planned, ...plan } = scheduler.plan(wanted, startAtMs);
      return {
        ...plan,
        startAtMs: startOf(plan.startAtMs, startAtMs),
        finishAtMs: Math.ceil(plan.finishAtMs),
        budgets: planned.map(({ operation, ...rest }) => ({ operation, title: titleOf(operation), ...rest })),
      };
    },
  };
}

/**
 * Maximum difference of two planned times that counts as none: reading two clocks one after the other shifts a time by
 * a millisecond or two.
 */
const CLOCK_STEP_MS = 10;

/** The requested time if the plan starts then; otherwise the start of the plan. */
function startOf(plannedMs: number, askedMs: number | null): number {
  return askedMs !== null && Math.abs(plannedMs - askedMs) < CLOCK_STEP_MS ? askedMs : Math.round(plannedMs);
}
