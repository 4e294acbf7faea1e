/** Changes waiting to be sent, as jobs. */
import { type JobRecord, recordFields, wallMs } from '../core/jobs/job-record.ts';
import { type JsonObject, jsonObject } from '../shared/json-body.ts';
import {
  OUTBOX_CHANGES,
  OUTBOX_ENDS,
  OUTBOX_QUESTIONS,
  OUTBOX_STATES,
  type OutboxChange,
  type OutboxQuestion,
  type OutboxRequest,
  type OutboxResult,
  type OutboxState,
  outboxRequest,
} from '../shared/outbox-model.ts';
import * as z from '../shared/zod.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import type { Database } from './open.ts';

export interface StoredOutboxEntry extends JobRecord {
  state: OutboxState;
  change: OutboxChange;
  title: string;
  /** The target of the change; null for a new record. Entries with the same target are sent in order. */
  target: string | null;
  request: OutboxRequest;
  base: JsonObject | null;
  theirs: JsonObject | null;
  question: OutboxQuestion | null;
  /** Ids of records with the same name, see `Judged`. */
  known: string[];
  /** Time at which the change was sent, while its outcome is unknown. */
  sentAtMs: number | null;
  /** Number of requests since a person last chose to send the change. */
  attempts: number;
  /** Ids of the entries that create the records it refers to. */
  needs: string[];
  result: OutboxResult | null;
}

const result = z.object({
  how: z.enum(OUTBOX_ENDS),
  atMs: wallMs,
  status: z.number().nullable(),
  requestId: z.string().nullable(),
  record: jsonObject.nullable(),
});

export function createOutboxStore(db: Database): JobStore<StoredOutboxEntry> {
  return createJobStore(db, {
    kind: 'outbox',
    what: 'change in the outbox',
    schema: z.object({
      ...recordFields,
      state: z.enum(OUTBOX_STATES),
      change: z.enum(OUTBOX_CHANGES),
      title: z.string(),
      target: z.string().nullable(),
      request: outboxRequest,
      base: jsonObject.nullable(),
      theirs: jsonObject.nullable(),
      question: z.enum(OUTBOX_QUESTIONS).nullable(),
      known: z.array(z.string()),
      sentAtMs: wallMs.nullable(),
      attempts: z.number(),
      needs: z.array(z.string()),
      result: result.nullable(),
    }),
    plan: ['change', 'target'],
    title: ({ title }) => title,
    subject: ({ target }) => target,
  });
}
