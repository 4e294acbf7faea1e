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
   * Stores a change; sends nothing. Throws INVALID_ARGUMENT (an unknown operation, one with its own workflow or that
   * can only be sent at once, an invalid body, a start time in the past), READ_ONLY, DISK_FULL, STORE_FAILED.
   */
  put(plan: OutboxPlan, startAtMs: number | null): OutboxEntry;
  /** Oldest first, the order of sending. */
  list(): OutboxEntry[];
  /** Throws INVALID_ARGUMENT if there is none. */
  get(entryId: string): OutboxEntry;
  /** Reads the target, then sends the change or asks. Throws CONFLICT if another process is running it. */
  send(entryId: string): OutboxEntry;
  /**
   * Sends all pending changes one after the other in their order, except those that need a decision. Returns their
   * number.
   */
  sendAll(): number;
  /**
   * Replaces the body; the displayed record of the service counts as seen. Throws INVALID_ARGUMENT if it is running or
   * over.
   */
  edit(entryId: string, body: JsonObject | null): OutboxEntry;
  discard(entryId: string): OutboxEntry;
  /** Restores a discarded change to pending. Throws INVALID_ARGUMENT for any other. */
  restore(entryId: string): OutboxEntry;
  schedule(entryId: string, startAtMs: number | null): OutboxEntry;
  unschedule(entryId: string): OutboxEntry;
  /** Decides a question, based on what the person was shown. */
  decide(entryId: string, decision: PartDecision): OutboxEntry;
  /** Throws CONFLICT if it is not over. */
  forget(entryId: string): void;
  source: JobSource<'outbox'>;
  /** Resolves when it is not active here any more. */
  whenIdle(entryId: string): Promise<OutboxEntry>;
  /** Resolves when every change that `sendAll` started is answered, asks or waits. */
  whenSent(): Promise<void>;
  /** After a start. `continues`: interrupted changes continue, after their targets were read. Removes old history. */
  recover(continues: boolean): void;
  /** The service can be reached again: interrupted changes continue, and the others are sent if that is set. */
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
  /** Milliseconds until one more request of an operation would be sent. */
  waitMs: (operation: string) => number;
  /** The reason why this connection cannot change anything now, or null. */
  blockingError: () => AppError | null;
  /** True if pending changes are sent automatically when the service can be reached again. */
  sendsWhenBack: () => boolean;
  onChanged: (entry: OutboxEntry) => void;
}
