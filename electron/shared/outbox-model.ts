/** A change that waits on this computer until it is sent: what it is, and how it stands beside what the service has. Pure. */
import { z } from 'zod';
import type { WireError } from './errors.ts';
import { canonicalJson } from './exact-json.ts';
import { boundedBody, type JsonObject } from './json-body.ts';
import type { LateStart } from './upload-model.ts';

export const OUTBOX_STATES = [
  'ready',
  'running',
  'waiting',
  'paused',
  'needs-decision',
  'failed',
  'done',
  'cancelled',
] as const;
/** `ready`: in the outbox. `failed`: refused by the service. `done`: the service has it. `cancelled`: discarded. */
export type OutboxState = (typeof OUTBOX_STATES)[number];

export const outboxRequest = z.strictObject({
  /** One of the endpoint table that changes something. */
  operation: z.string().max(60),
  path: z.record(z.string().max(60), z.string().min(1).max(500)),
  query: z.record(z.string().max(60), z.string().max(4_000)),
  body: boundedBody.nullable(),
});
export type OutboxRequest = z.infer<typeof outboxRequest>;

/** What is put into the outbox. `base`: the record as the person saw it; null where they saw none. */
export const outboxPlan = z.strictObject({ request: outboxRequest, base: boundedBody.nullable() });
export type OutboxPlan = z.infer<typeof outboxPlan>;

/** `other`: nothing at the service shows whether it was made. */
export const OUTBOX_CHANGES = ['create', 'update', 'delete', 'other'] as const;
export type OutboxChange = (typeof OUTBOX_CHANGES)[number];

export const OUTBOX_QUESTIONS = [
  'changed',
  'unseen',
  'gone',
  'exists',
  'no-answer',
  'need-gone',
  'need-unknown',
] as const;
/**
 * Why a person has to decide. `changed`: the record is not as they saw it. `unseen`: what it holds now was never seen.
 * `gone`: it was deleted. `exists`: one of the same name is there. `no-answer`: it was sent, its answer was lost, and
 * nothing shows what came of it. `need-gone`: it names a record of the outbox that was discarded. `need-unknown`: it
 * names one that was made, and no answer showed its ID.
 */
export type OutboxQuestion = (typeof OUTBOX_QUESTIONS)[number];

/**
 * How a sent one ended. `found`: its answer was lost, and the service shows that it was made. `same`: the service had
 * it already, nothing was sent. `said`: a person said that it was made.
 */
export const OUTBOX_ENDS = ['sent', 'found', 'same', 'said'] as const;

export interface OutboxResult {
  how: (typeof OUTBOX_ENDS)[number];
  atMs: number;
  /** HTTP status and row of the request log; null where nothing was answered to it. */
  status: number | null;
  requestId: string | null;
  /** What the service answered or holds; null where that is nothing. */
  record: JsonObject | null;
}

/** A change of the outbox that makes what this one names. */
interface OutboxNeed {
  entryId: string;
  title: string;
  /** Null: it is not in the outbox any more. */
  state: OutboxState | null;
}

export interface OutboxEntry {
  entryId: string;
  connectionId: string;
  /** `Change an alert rule: Churn drift` */
  title: string;
  change: OutboxChange;
  /** As it will go; an id of another entry stands for the record that it makes. */
  request: OutboxRequest;
  /** `PATCH /v3/alert-rules/…` with its parameters. */
  line: string;
  state: OutboxState;
  /** Why it waits or rests, in words; empty otherwise. */
  reason: string;
  error: WireError | null;
  question: OutboxQuestion | null;
  base: JsonObject | null;
  /** The record as the service had it when it was last read; null where it was not read or was not there. */
  theirs: JsonObject | null;
  /** When it left, where its outcome is not known. */
  sentAtMs: number | null;
  needs: OutboxNeed[];
  result: OutboxResult | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  createdAtMs: number;
  endedAtMs: number | null;
}

/** Nothing of it is left to be sent. */
export function isOutboxOver(state: OutboxState): boolean {
  return state === 'done' || state === 'cancelled';
}

/** One field beside itself: as the person saw it, as they want it, as the service has it. Undefined: not there. */
interface FieldRow {
  field: string;
  base: unknown;
  mine: unknown;
  theirs: unknown;
  isMine: boolean;
  isTheirs: boolean;
  /** Both changed it, to different values; of a deletion: it is not as it was seen. */
  isConflict: boolean;
}

/** Are two values of a field the same? The order of keys is none of JSON. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/**
 * Fields that differ anywhere, what is in conflict first. `body` null: of a deletion, where mine is the absence of all.
 * A field that the person did not see counts as changed by others where it is not what they want.
 */
export function compareFields(
  base: JsonObject | null,
  body: JsonObject | null,
  theirs: JsonObject | null,
): FieldRow[] {
  const was = base ?? {};
  const is = theirs ?? {};
  const names = new Set([
    ...Object.keys(body ?? {}),
    ...Object.keys(was),
    ...(base === null ? Object.keys(is) : []),
  ]);
  const rows = [...names].map((field): FieldRow => {
    const wants = body !== null && Object.hasOwn(body, field);
    const mine = wants ? body[field] : was[field];
    const isTheirs = theirs !== null && !isSameValue(was[field], is[field]);
    const isMine = wants && !isSameValue(was[field], mine);
    const isConflict = isTheirs && (body === null || (wants && !isSameValue(mine, is[field])));
    return { field, base: was[field], mine, theirs: is[field], isMine, isTheirs, isConflict };
  });
  const place = ({ isConflict, isMine }: FieldRow) => (isConflict ? 0 : isMine ? 1 : 2);
  return rows
    .filter(
      ({ isMine, isTheirs, field }) => isMine || isTheirs || (body !== null && Object.hasOwn(body, field)),
    )
    .toSorted((one, other) => place(one) - place(other));
}
