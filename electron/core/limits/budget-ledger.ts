/**
 * What the scheduler needs from the shared budget file. The scheduler keeps the picture of every lane in
 * memory; the ledger makes permits durable before their request leaves and tells what other processes did.
 *
 * All times are *ledger time*: milliseconds that only go forward, are the same in every process on this
 * computer and do not follow changes of the wall clock.
 */
import type { LimitCategory } from './limits.ts';
import type { ServiceTime, UnseenTime } from './service-clock.ts';

export interface LaneKey {
  origin: string;
  /** Names the access token without being it. Limits are per token. */
  tokenId: string;
  /** Method and path template, e.g. `GET /v3/applications/{application_id}/catalog`. */
  operation: string;
}

export interface Lane extends LaneKey {
  category: LimitCategory;
}

/** One request as the budget sees it. It occupies every window of its lane until `doneAtMs` + window length. */
export interface PermitRecord {
  id: number;
  laneId: number;
  /** A permit whose process died is taken as answered at this time. */
  openUntilMs: number;
  /** Null while the answer is outstanding. */
  doneAtMs: number | null;
  /** True where the request surely never left: it occupies nothing. */
  isReleased: boolean;
}

export interface LaneRecord {
  id: number;
  key: LaneKey;
  /** What was learned about the lane, as the limiter wrote it; null when nothing was. */
  learned: string | null;
}

/**
 * A process that is alone on the budget looks at least so often whether it still is before it sends; one that joins
 * waits so long before its first permit. From then on each sees the other's permits and what the other learned.
 */
export const LOOK_ALONE_MS = 100;

/** What other processes changed since the last look. */
export interface LedgerChanges {
  permits: PermitRecord[];
  lanes: LaneRecord[];
}

export interface LedgerWriter {
  /**
   * Records a permit. It is durable once the surrounding `transact` has returned. At most `mostSpare` further ones may
   * be recorded with it for later, see `take`.
   */
  permit(laneId: number, openUntilMs: number, keepUntilMs: number, mostSpare?: number): number;
  /** Stored together with the permits, where `BudgetLedger.saveLearned` would be too late. */
  saveLearned(laneId: number, learned: string): void;
}

export interface BudgetLedger {
  nowMs(): number;
  /** Does, or may, another process use the budget? As far as the last look said. */
  readonly isShared: boolean;
  /** Nothing is sent before this ledger time: see `LOOK_ALONE_MS`. */
  readonly readyAtMs: number;
  /** Finds or adds a lane, with the permits that may still occupy one of its windows. */
  lane(key: LaneKey): { lane: LaneRecord; permits: PermitRecord[] };
  /** The token that was used last with a service, by its name in the ledger; null where none was. */
  lastToken(origin: string): string | null;
  /** Cheap when nothing changed. */
  refresh(): LedgerChanges;
  /**
   * Runs `work` alone among all processes: it sees every permit granted so far. When `isDurable`, the
   * commit survives a power cut. Throws AppError STORE_FAILED, DISK_FULL; then nothing was recorded.
   */
  transact<R>(isDurable: boolean, work: (changes: LedgerChanges, writer: LedgerWriter) => R): R;
  /**
   * A permit that was recorded beforehand, for a lane that was busy while this process was alone; null when there is
   * none. To others it is open since it was recorded, so a picture of them that is `LOOK_ALONE_MS` old is enough.
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
   * Moves every permit of `origin`, and what was learned about its lanes, back in time: it passed unseen. Not where
   * `isKnown` says of the service's time as the file has it that another process did; then returns false.
   */
  shiftBack(origin: string, unseen: UnseenTime, isKnown: (stored: ServiceTime | null) => boolean): boolean;
  /** Writes what `finish`, `release`, `extend` and the `save` functions left in memory; gives back what is spare. */
  flush(): void;
  close(): void;
}
