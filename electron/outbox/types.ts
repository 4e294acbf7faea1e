import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { JobSource } from '../jobs/source.ts';
import type { Resources } from '../resources/types.ts';
import type { AppError } from '../shared/errors.ts';
import type { PartDecision } from '../shared/job-contract.ts';
import type { JsonObject } from '../shared/json-body.ts';
import type { OutboxEntry, OutboxPlan } from '../shared/outbox-model.ts';

/** Pending changes of one connection, behind `outbox:*` and the channels `jobs:*`. */
export interface Outbox {
  /**
   * Stores a change without sending it. Throws INVALID_ARGUMENT (an unknown operation, one with its own workflow or
   * that can only be sent at once, an invalid body, a start time in the past), READ_ONLY, DISK_FULL, STORE_FAILED.
   */
  put(plan: OutboxPlan, startAtMs: number | null): OutboxEntry;
  /** Like `put`, but rejects with CONFLICT if a record of the change was read only at a former address. */
  create(plan: OutboxPlan, startAtMs: number | null): Promise<OutboxEntry>;
  /** Oldest first, which is the order of sending. */
  list(): OutboxEntry[];
  /** Throws INVALID_ARGUMENT for an unknown id. */
  get(entryId: string): OutboxEntry;
  /** Reads the target, then sends the change or asks the person. Throws CONFLICT if another process is running it. */
  send(entryId: string): OutboxEntry;
  /**
   * Sends all pending changes one after the other in their order, except those that need a decision. Returns their
   * number.
   */
  sendAll(): number;
  /**
   * Replaces the body. The person counts as having seen the service's record that is displayed. Throws INVALID_ARGUMENT
   * if the change is running or has ended.
   */
  edit(entryId: string, body: JsonObject | null): OutboxEntry;
  discard(entryId: string): OutboxEntry;
  /** Makes a discarded change pending again. Throws INVALID_ARGUMENT for any other change. */
  restore(entryId: string): OutboxEntry;
  schedule(entryId: string, startAtMs: number | null): OutboxEntry;
  unschedule(entryId: string): OutboxEntry;
  /** Answers a question, on the basis of the record that the person was shown. */
  decide(entryId: string, decision: PartDecision): OutboxEntry;
  /** Throws CONFLICT unless the change has ended. */
  forget(entryId: string): void;
  source: JobSource<'outbox'>;
  /** Resolves when the change is no longer active here. */
  whenIdle(entryId: string): Promise<OutboxEntry>;
  /** Resolves when every change that `sendAll` started was answered, asks a question, or waits. */
  whenSent(): Promise<void>;
  /**
   * Call after a start. `continues`: interrupted changes continue after their targets were read. Also removes old
   * history.
   */
  recover(continues: boolean): void;
  /**
   * Called when the service is reachable again. Interrupted changes continue; the others are sent if `sendsWhenBack`
   * says so.
   */
  wake(): void;
  suspend(error: AppError): void;
  stop(): Promise<void>;
}

export interface OutboxDeps {
  connectionId: string;
  store: Pick<UploadStore, 'outbox' | 'commit'>;
  resources: Pick<Resources, 'act' | 'describe' | 'readTarget'>;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  /** Time in milliseconds until one more request of an operation would be sent. */
  waitMs: (operation: string) => number;
  /**
   * Rejects with CONFLICT if a record of a change was read only at a former address, unless the change was requested
   * before the address was changed (`sinceMs`); undefined if there is none.
   */
  checkRead?: ((ids: readonly string[], sinceMs?: number) => Promise<void>) | undefined;
  /** The reason why this connection cannot change anything now, or null. */
  blockingError: () => AppError | null;
  /** True if pending changes are sent automatically when the service is reachable again. */
  sendsWhenBack: () => boolean;
  onChanged: (entry: OutboxEntry) => void;
}
