import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { JobSource } from '../jobs/source.ts';
import type { Resources } from '../resources/types.ts';
import type { AppError } from '../shared/errors.ts';
import type { PartDecision } from '../shared/job-contract.ts';
import type { JsonObject } from '../shared/json-body.ts';
import type { OutboxEntry, OutboxPlan } from '../shared/outbox-model.ts';

/** Changes of one connection that wait to be sent, behind `outbox:*` and the channels `jobs:*`. */
export interface Outbox {
  /**
   * Writes it down; nothing is sent. Throws INVALID_ARGUMENT (no such operation, one that has a way of its own or is
   * sent at once only, a body that is not as expected, a start that has passed), READ_ONLY, DISK_FULL, STORE_FAILED.
   */
  put(plan: OutboxPlan, startAtMs: number | null): OutboxEntry;
  /** Oldest first, as they are sent. */
  list(): OutboxEntry[];
  /** Throws INVALID_ARGUMENT where there is none. */
  get(entryId: string): OutboxEntry;
  /** Reads the target, then sends it or asks. Throws CONFLICT where another process is at work on it. */
  send(entryId: string): OutboxEntry;
  /** All that waits, one after the other in their order; what needs a decision is left. Answers how many. */
  sendAll(): number;
  /** Another body; what the service has as it was shown counts as seen. Throws INVALID_ARGUMENT for one under way or over. */
  edit(entryId: string, body: JsonObject | null): OutboxEntry;
  discard(entryId: string): OutboxEntry;
  /** One that was discarded waits to be sent again. Throws INVALID_ARGUMENT for any other. */
  takeBack(entryId: string): OutboxEntry;
  schedule(entryId: string, startAtMs: number | null): OutboxEntry;
  unschedule(entryId: string): OutboxEntry;
  /** Of one that needs a decision, and what the person was shown. */
  decide(entryId: string, decision: PartDecision): OutboxEntry;
  /** Throws CONFLICT for one that is not over. */
  forget(entryId: string): void;
  source: JobSource<'outbox'>;
  /** Resolves once nothing of it goes on here. */
  whenIdle(entryId: string): Promise<OutboxEntry>;
  /** Resolves once everything that `sendAll` began is answered, asked or waits. */
  whenSent(): Promise<void>;
  /** After a start. `continues`: what was being sent goes on, by its target first. Old history is removed. */
  recover(continues: boolean): void;
  /** There is a way to the service again: what was under way goes on, and the rest is sent where that is set. */
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
  /** Milliseconds until one request more of an operation would be sent. */
  waitMs: (operation: string) => number;
  /** Why this connection changes nothing now, or null. */
  refusal: () => AppError | null;
  /** Does what waits go by itself once the service can be reached again? */
  sendsWhenBack: () => boolean;
  onChanged: (entry: OutboxEntry) => void;
}
