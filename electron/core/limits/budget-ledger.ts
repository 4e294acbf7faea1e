/**
 * The scheduler's interface to the shared budget file. The scheduler keeps the state of every lane in memory; the
 * ledger makes permits durable before their request is sent, and reports the changes of other processes.
 *
 * All times are *ledger time*: monotonic milliseconds, the same in every process on this computer and independent of
 * the wall clock.
 */
import type { LimitCategory } from './limits.ts';
import type { ServiceTime, UnseenTime } from './service-clock.ts';

export interface LaneKey {
  origin: string;
  /** Identifies the access token without revealing it. Limits are per token. */
  tokenId: string;
  /** Method and path template, e.g. `GET /v3/applications/{application_id}/catalog`. */
  operation: string;
}

export interface Lane extends LaneKey {
  category: LimitCategory;
}

/** One request in the budget. It occupies every window of its lane until `doneAtMs` + window length. */
export interface PermitRecord {
  id: number;
  laneId: number;
  /** If the process of the permit dies, the permit counts as answered at this time. */
  openUntilMs: number;
  /** Time of the answer; null while it is pending. */
  doneAtMs: number | null;
  /** True if the request was certainly not sent, so that it occupies no window. */
  isReleased: boolean;
}

export interface LaneRecord {
  id: number;
  key: LaneKey;
  /** Stored knowledge of the limiter about the lane; null if there is none. */
  learned: string | null;
}

/**
 * A process that uses the budget alone checks at least this often, before sending, whether another has joined. A
 * joining process waits this long before its first permit. From then on, each sees the permits and the knowledge of the
 * other.
 */
export const LOOK_ALONE_MS = 100;

/** Changes by other processes since the last check. */
export interface LedgerChanges {
  permits: PermitRecord[];
  lanes: LaneRecord[];
}

/** Another process that has requests in flight. */
export interface OtherHolder {
  pid: number;
  /** Whether it is known to be suspended, for example by Ctrl-Z, so that it reports no answer. */
  isStopped: boolean;
}

export interface LedgerWriter {
  /**
   * Records a permit. It is durable once the surrounding `transact` has returned. Up to `mostSpare` more may be
   * recorded in advance, see `take`.
   */
  permit(laneId: number, openUntilMs: number, keepUntilMs: number, mostSpare?: number): number;
  /** Stores the lane's knowledge together with the permits, if `BudgetLedger.saveLearned` would be too late. */
  saveLearned(laneId: number, learned: string): void;
}

export interface BudgetLedger {
  nowMs(): number;
  /** Whether another process uses, or may use, the budget, as of the last check. */
  readonly isShared: boolean;
  /** Nothing is sent before this ledger time: see `LOOK_ALONE_MS`. */
  readonly readyAtMs: number;
  /**
   * Finds or adds a lane, with the permits that may still occupy one of its windows. `unknownBeforeMs`: ledger time
   * before which permits were lost, so that it is unknown which requests were sent; null if no permit was lost.
   */
  lane(key: LaneKey): { lane: LaneRecord; permits: PermitRecord[]; unknownBeforeMs: number | null };
  /** Ledger id of the token last used with a service; null if there was none. */
  lastToken(origin: string): string | null;
  /** The other processes with open permits of a lane, as far as they can be distinguished. */
  holdersOf(laneId: number): readonly OtherHolder[];
  /** Returns the changes by other processes. Cheap if there are none. */
  refresh(): LedgerChanges;
  /**
   * Runs `work` exclusively among all processes: it sees every permit granted so far. If `isDurable`, the commit
   * survives a power cut. Throws AppError STORE_FAILED, DISK_FULL; then nothing was recorded.
   */
  transact<R>(isDurable: boolean, work: (changes: LedgerChanges, writer: LedgerWriter) => R): R;
  /**
   * Takes a permit that was recorded in advance for a busy lane while this process was alone; null if there is none.
   * Other processes have counted it as open since then. So it may be taken if the knowledge about other processes is up
   * to `LOOK_ALONE_MS` old.
   */
  take(laneId: number, openUntilMs: number, keepUntilMs: number): number | null;
  /**
   * Records the answer to a request. Kept in memory until `flush` or the next `transact`; until then other processes
   * count the request as open.
   */
  finish(permitId: number, doneAtMs: number, keepUntilMs: number): void;
  release(permitId: number): void;
  extend(permitId: number, openUntilMs: number): void;
  saveLearned(laneId: number, learned: string): void;
  serviceTime(origin: string): ServiceTime | null;
  saveServiceTime(time: ServiceTime): void;
  /**
   * Moves every permit of `origin`, and the knowledge about its lanes, back by time that passed unseen. Returns false
   * without a change if `isKnown` finds, from the stored service time, that another process already did so.
   */
  shiftBack(origin: string, unseen: UnseenTime, isKnown: (stored: ServiceTime | null) => boolean): boolean;
  /**
   * Writes changes by `finish`, `release`, `extend` and the `save` functions that are still in memory, and releases
   * spare permits.
   */
  flush(): void;
  close(): void;
}
