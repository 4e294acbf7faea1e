/**
 * A change waiting to be sent: its states, and the decision after its target was read. A value that the person has not
 * seen is never overwritten, and nothing is sent twice. Pure.
 */
import type { JsonObject } from '../../shared/json-body.ts';
import {
  isSameValue,
  type OutboxChange,
  type OutboxQuestion,
  type OutboxResult,
  type OutboxState,
} from '../../shared/outbox-model.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';
import { notNow } from './not-now.ts';
import { NO_START } from './start-plan.ts';

export type OutboxCore = JobCore<OutboxState>;

export type OutboxEvent =
  | JobEvent
  /** A person has to decide. */
  | { type: 'ask'; reason: string }
  /** The service has made the change. Accepted in any state. */
  | { type: 'succeed' }
  /** The body was edited. The change waits to be sent again. */
  | { type: 'edit' }
  /** Restores a discarded change, which then waits to be sent. */
  | { type: 'restore' };

export const NEW_ENTRY: OutboxCore = { ...NO_START, state: 'ready', reason: '', error: null };

const RULES: JobRules<OutboxState, OutboxCore> = {
  subject: 'this change of the outbox',
  phases: {
    ready: 'ready',
    running: 'running',
    waiting: 'waiting',
    paused: 'paused',
    'needs-decision': 'needs-decision',
    failed: 'failed',
    done: 'done',
    cancelled: 'cancelled',
  },
  resumable: ['paused', 'failed', 'needs-decision'],
  isReadyWhenPlanned: true,
  left: () => 'something',
};

/** Nothing is sent until a person or a planned start begins it. */
export function isOutboxIdle(state: OutboxState): boolean {
  return state !== 'running' && state !== 'waiting';
}

/** Returns the state after an event. Throws INVALID_ARGUMENT if the entry's state does not allow the event. */
export function outboxTransition(entry: OutboxCore, event: OutboxEvent): OutboxCore {
  const { state } = entry;
  const rest = { startAtMs: null, error: null };
  switch (event.type) {
    case 'succeed':
      return { ...entry, ...rest, state: 'done', reason: '' };
    case 'ask':
      if (isOutboxIdle(state)) throw notNow('ask', RULES.subject, state);
      return { ...entry, ...rest, state: 'needs-decision', reason: event.reason };
    case 'edit':
      if (!isOutboxIdle(state) || state === 'done' || state === 'cancelled')
        throw notNow('change', RULES.subject, state);
      return { ...entry, error: null, state: 'ready', reason: '' };
    case 'cancel':
      // A request in flight cannot be stopped.
      if (state === 'running') throw notNow('discard', RULES.subject, state);
      return { ...transition(RULES, entry, event), reason: 'Discarded.' };
    case 'restore':
      if (state !== 'cancelled') throw notNow('restore', RULES.subject, state);
      return { ...entry, state: 'ready', reason: '' };
    default:
      return transition(RULES, entry, event);
  }
}

/**
 * The current target at the service. `none`: it cannot be read or does not exist. `list`: records with the same name.
 */
export type OutboxTarget =
  | { kind: 'none' }
  | { kind: 'gone' }
  | { kind: 'record'; record: JsonObject }
  | { kind: 'list'; records: readonly JsonObject[] };

interface Judged {
  change: OutboxChange;
  /** The record as the person last saw it: when editing, or when making the last decision. */
  base: JsonObject | null;
  body: JsonObject | null;
  target: OutboxTarget;
  /** True if the change was sent before and its answer was lost. */
  wasSent: boolean;
  /** Whether the operation is idempotent. */
  isRepeatSafe: boolean;
  /** Ids of records with the same name that the person knows of, or that existed before the change was sent. */
  known: readonly string[];
}

export type Verdict =
  | { kind: 'send' }
  | { kind: 'done'; how: OutboxResult['how']; record: JsonObject | null }
  | { kind: 'ask'; reason: OutboxQuestion; theirs: JsonObject | null };

const SEND: Verdict = { kind: 'send' };

/** Decides what to do with a change after its target was read. */
export function judge(judged: Judged): Verdict {
  const { target, wasSent, isRepeatSafe, change } = judged;
  switch (target.kind) {
    case 'none':
      return wasSent && !isRepeatSafe ? ask('no-answer', null) : SEND;
    case 'gone':
      if (change === 'delete') return { kind: 'done', how: wasSent ? 'found' : 'same', record: null };
      // A POST that sets a value for the first time overwrites nothing.
      return isRepeatSafe ? ask('gone', null) : SEND;
    case 'record':
      return change === 'delete' ? ofDeletion(judged, target.record) : ofUpdate(judged, target.record);
    case 'list':
      return ofCreation(judged, target.records);
  }
}

const ask = (reason: OutboxQuestion, theirs: JsonObject | null): Verdict => ({ kind: 'ask', reason, theirs });

function ofDeletion({ base }: Judged, theirs: JsonObject): Verdict {
  if (base === null) return ask('unseen', theirs);
  const isChanged = Object.keys(base).some((field) => !isSameValue(base[field], theirs[field]));
  return isChanged ? ask('changed', theirs) : SEND;
}

function ofUpdate({ base, body, wasSent }: Judged, theirs: JsonObject): Verdict {
  const wanted = Object.entries(body ?? {});
  // Fields that the service's record does not contain cannot be compared.
  const shown = wanted.filter(([field]) => Object.hasOwn(theirs, field) || (base !== null && field in base));
  const missing = shown.filter(([field, mine]) => !isSameValue(mine, theirs[field]));
  if (missing.length === 0) {
    if (shown.length === wanted.length && wanted.length > 0)
      return { kind: 'done', how: wasSent ? 'found' : 'same', record: theirs };
    return wasSent ? ask('no-answer', theirs) : SEND;
  }
  const isSeen = missing.every(([field]) => base !== null && isSameValue(base[field], theirs[field]));
  if (isSeen) return SEND;
  return ask(base === null ? 'unseen' : 'changed', theirs);
}

function ofCreation({ body, wasSent, known }: Judged, records: readonly JsonObject[]): Verdict {
  const fresh = records.filter((record) => !known.includes(idOf(record)));
  const [first] = fresh;
  if (!wasSent) return first === undefined ? SEND : ask('exists', first);
  const made = fresh.filter((record) => isMadeOf(record, body ?? {}));
  const [only] = made;
  if (only !== undefined && made.length === 1) return { kind: 'done', how: 'found', record: only };
  return ask('no-answer', first ?? null);
}

/** Whether the record has all values of the body, as far as it contains these fields. */
function isMadeOf(record: JsonObject, body: JsonObject): boolean {
  return Object.entries(body).every(
    ([field, wanted]) => !Object.hasOwn(record, field) || isSameValue(record[field], wanted),
  );
}

/** Id of a record; empty if it has none. */
export function idOf(record: JsonObject): string {
  const id = record['id'] ?? record['uuid'];
  return typeof id === 'string' ? id : '';
}
