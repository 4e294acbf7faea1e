/** A change stored locally until it is sent: its contents, and its relation to the service's present record. Pure. */
import type { WireError } from './errors.ts';
import { canonicalJson } from './exact-json.ts';
import { boundedBody, type JsonObject } from './json-body.ts';
import type { LateStart } from './upload-model.ts';
import * as z from './zod.ts';

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
/** `ready`: in the outbox. `failed`: rejected by the service. `done`: the service has it. `cancelled`: discarded. */
export type OutboxState = (typeof OUTBOX_STATES)[number];

export const outboxRequest = z.strictObject({
  /** An operation of the endpoint table that changes something. */
  operation: z.string().max(60),
  path: z.record(z.string().max(60), z.string().min(1).max(500)),
  query: z.record(z.string().max(60), z.string().max(4_000)),
  body: boundedBody.nullable(),
});
export type OutboxRequest = z.infer<typeof outboxRequest>;

/** A change for the outbox. `base` is the record as the person saw it; null if they saw none. */
export const outboxPlan = z.strictObject({ request: outboxRequest, base: boundedBody.nullable() });
export type OutboxPlan = z.infer<typeof outboxPlan>;

/** `other`: no record at the service shows whether the change was made. */
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
 * Why a person has to decide. `changed`: the record differs from the one they saw. `unseen`: its present contents were
 * never shown. `gone`: it was deleted. `exists`: there is one with the same name. `no-answer`: the change was sent, its
 * answer was lost, and no record shows the outcome. `need-gone`: it refers to a record of the outbox that was
 * discarded. `need-unknown`: it refers to a record that was created, but no answer contained its ID.
 */
export type OutboxQuestion = (typeof OUTBOX_QUESTIONS)[number];

/**
 * How a change ended. `found`: its answer was lost, and the service shows that it was made. `same`: the service already
 * had it, so nothing was sent. `said`: a person confirmed that it was made.
 */
export const OUTBOX_ENDS = ['sent', 'found', 'same', 'said'] as const;

export interface OutboxResult {
  how: (typeof OUTBOX_ENDS)[number];
  atMs: number;
  /** HTTP status and row of the request log; null if there was no answer. */
  status: number | null;
  requestId: string | null;
  /** The service's answer or present record; null if there is none. */
  record: JsonObject | null;
}

/** A change of the outbox that creates a record this one refers to. */
interface OutboxNeed {
  entryId: string;
  title: string;
  /** Null if the change is no longer in the outbox. */
  state: OutboxState | null;
}

export interface OutboxEntry {
  entryId: string;
  connectionId: string;
  /** Example: `Change an alert rule: Churn drift` */
  title: string;
  change: OutboxChange;
  /** The request to send; an id of another entry represents the record that it creates. */
  request: OutboxRequest;
  /** The request in one line: `PATCH /v3/alert-rules/…` with its parameters. */
  line: string;
  state: OutboxState;
  /** Why the change waits or is idle; otherwise empty. */
  reason: string;
  error: WireError | null;
  question: OutboxQuestion | null;
  base: JsonObject | null;
  /** The service's record when it was last read; null if there was none, or if it was not read. */
  theirs: JsonObject | null;
  /** Time at which the change was sent, if the outcome is unknown. */
  sentAtMs: number | null;
  needs: OutboxNeed[];
  result: OutboxResult | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  createdAtMs: number;
  endedAtMs: number | null;
}

/** Whether nothing more will be sent for a change in this state. */
export function isOutboxOver(state: OutboxState): boolean {
  return state === 'done' || state === 'cancelled';
}

/**
 * Three versions of one field: as the person saw it, as they want it, and as the service has it. Undefined: the field
 * is missing.
 */
interface FieldRow {
  field: string;
  base: unknown;
  mine: unknown;
  theirs: unknown;
  isMine: boolean;
  isTheirs: boolean;
  /**
   * The service and the person changed the field to different values; for a deletion: the record differs from the one
   * that the person saw.
   */
  isConflict: boolean;
}

/** Whether two values of a field are equal. Key order has no meaning in JSON. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/**
 * Fields with any difference, conflicts first. `body` null: a deletion, where the wanted value of all fields is absent.
 * A field that the person did not see counts as changed by others if it differs from what they want.
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
