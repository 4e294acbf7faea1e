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
  /** A permit of a dead process counts as answered at this time. */
  openUntilMs: number;
  /** Null while the answer is pending. */
  doneAtMs: number | null;
  /** True if the request was certainly not sent: it occupies nothing. */
  isReleased: boolean;
}

export interface LaneRecord {
  id: number;
  key: LaneKey;
  /** The limiter's stored knowledge about the lane; null if there is none. */
  learned: string | null;
}

/**
 * A process that is alone on the budget checks at least this often whether it still is before it sends; one that joins
 * waits this long before its first permit. From then on each sees the other's permits and knowledge.
 */
export const LOOK_ALONE_MS = 100;

/** Changes by other processes since the last check. */
export interface LedgerChanges {
  permits: PermitRecord[];
  lanes: LaneRecord[];
}

export interface LedgerWriter {
  /**
   * Records a permit. It is durable once the surrounding `transact` has returned. At most `mostSpare` more may be
   * recorded with it for later, see `take`.
   */
  permit(laneId: number, openUntilMs: number, keepUntilMs: number, mostSpare?: number): number;
  /** Stored together with the permits, if `BudgetLedger.saveLearned` would be too late. */
  saveLearned(laneId: number, learned: string): void;
}

export interface BudgetLedger {
  nowMs(): number;
  /** Whether another process uses, or may use, the budget, as of the last check. */
  readonly isShared: boolean;
  /** Nothing is sent before this ledger time: see `LOOK_ALONE_MS`. */
  readonly readyAtMs: number;
  /**
   * Finds or adds a lane, with the permits that may still occupy one of its windows. `unknownBeforeMs`: permits were
   * lost, so what was sent before that ledger time is not known; null if every permit is.
   */
  lane(key: LaneKey): { lane: LaneRecord; permits: PermitRecord[]; unknownBeforeMs: number | null };
  /** Ledger id of the token last used with a service; null if there was none. */
  lastToken(origin: string): string | null;
  /** Cheap if nothing changed. */
  refresh(): LedgerChanges;
  /**
   * Runs `work` exclusively among all processes: it sees every permit granted so far. If `isDurable`, the commit
   * survives a power cut. Throws AppError STORE_FAILED, DISK_FULL; then nothing was recorded.
   */
  transact<R>(isDurable: boolean, work: (changes: LedgerChanges, writer: LedgerWriter) => R): R;
  /**
   * Takes a permit recorded in advance for a lane that was busy while this process was alone; null if there is none.
   * Other processes have counted it as open since it was recorded, so a state of them that is `LOOK_ALONE_MS` old is
   * sufficient.
   */
  take(laneId: number, openUntilMs: number, keepUntilMs: number): number | null;
  /** Kept in memory until `flush` or the next `transact`: until then other processes count it as open. */
  finish(permitId: number, doneAtMs: number, keepUntilMs: number): void;
  release(permitId: number): void;
  extend(permitId: number, openUntilMs: number): void;
  saveLearned(laneId: number, learned: string): void;
  serviceTime(origin: string): ServiceTime | null;
  saveServiceTime(time: ServiceTime): void;
  /**
   * Moves every permit of `origin`, and the knowledge about its lanes, back by time that passed unseen. If `isKnown`
   * says of the stored service time that another process already did, returns false without a change.
   */
  shiftBack(origin: string, unseen: UnseenTime, isKnown: (stored: ServiceTime | null) => boolean): boolean;
  /**
   * Writes changes of `finish`, `release`, `extend` and the `save` functions still in memory; releases spare permits.
   */
  flush(): void;
  close(): void;
}
