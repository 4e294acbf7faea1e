/**
 * A change that waits to be sent: its states, and what is done with it once its target was read. Nothing is
 * overwritten that the person has not seen, and nothing is sent twice. Pure.
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
  /** The service has it. The truth, in whatever state it becomes known. */
  | { type: 'succeed' }
  /** Its body is another one: it waits to be sent. */
  | { type: 'edit' }
  /** It was not meant to be discarded: it waits to be sent. */
  | { type: 'take-back' };

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

/** Nothing of it is sent until a person or a planned start says so. */
export function isOutboxIdle(state: OutboxState): boolean {
  return state !== 'running' && state !== 'waiting';
}

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the entry's state. */
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
      // What is on its way cannot be taken back.
      if (state === 'running') throw notNow('discard', RULES.subject, state);
      return { ...transition(RULES, entry, event), reason: 'Discarded.' };
    case 'take-back':
      if (state !== 'cancelled') throw notNow('take back', RULES.subject, state);
      return { ...entry, state: 'ready', reason: '' };
    default:
      return transition(RULES, entry, event);
  }
}

/** What the service showed of the target. `none`: nothing there can be read. `list`: those of the same name. */
export type OutboxTarget =
  | { kind: 'none' }
  | { kind: 'gone' }
  | { kind: 'record'; record: JsonObject }
  | { kind: 'list'; records: readonly JsonObject[] };

interface Judged {
  change: OutboxChange;
  /** The record as the person saw it, or as they were shown it when they last decided. */
  base: JsonObject | null;
  body: JsonObject | null;
  target: OutboxTarget;
  /** It was sent before, and its answer was lost. */
  wasSent: boolean;
  /** May it be sent twice without harm, as far as the operation goes? */
  isRepeatSafe: boolean;
  /** Ids of those of the same name that the person knows of, or that were there before it was sent. */
  known: readonly string[];
}

export type Verdict =
  | { kind: 'send' }
  | { kind: 'done'; how: OutboxResult['how']; record: JsonObject | null }
  | { kind: 'ask'; why: OutboxQuestion; theirs: JsonObject | null };

const SEND: Verdict = { kind: 'send' };

/** What is done next with a change whose target was read just now. */
export function judge(judged: Judged): Verdict {
  const { target, wasSent, isRepeatSafe, change } = judged;
  switch (target.kind) {
    case 'none':
      return wasSent && !isRepeatSafe ? ask('no-answer', null) : SEND;
    case 'gone':
      if (change === 'delete') return { kind: 'done', how: wasSent ? 'found' : 'same', record: null };
      // What a POST sets for the first time overwrites nothing.
      return isRepeatSafe ? ask('gone', null) : SEND;
    case 'record':
      return change === 'delete' ? ofDeletion(judged, target.record) : ofUpdate(judged, target.record);
    case 'list':
      return ofCreation(judged, target.records);
  }
}

const ask = (why: OutboxQuestion, theirs: JsonObject | null): Verdict => ({ kind: 'ask', why, theirs });

function ofDeletion({ base }: Judged, theirs: JsonObject): Verdict {
  if (base === null) return ask('unseen', theirs);
  const isChanged = Object.keys(base).some((field) => !isSameValue(base[field], theirs[field]));
  return isChanged ? ask('changed', theirs) : SEND;
}

function ofUpdate({ base, body, wasSent }: Judged, theirs: JsonObject): Verdict {
  const wanted = Object.entries(body ?? {});
  // What the record never shows cannot be compared.
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
  if (!wasSent) return fresh.length === 0 ? SEND : ask('exists', fresh[0] ?? null);
  const made = fresh.filter((record) => isMadeOf(record, body ?? {}));
  const [only] = made;
  if (only !== undefined && made.length === 1) return { kind: 'done', how: 'found', record: only };
  return ask('no-answer', fresh[0] ?? null);
}

/** Does the record hold everything that it was to be made with, as far as it shows that? */
function isMadeOf(record: JsonObject, body: JsonObject): boolean {
  return Object.entries(body).every(
    ([field, wanted]) => !Object.hasOwn(record, field) || isSameValue(record[field], wanted),
  );
}

/** Id of a record; empty where it has none. */
export function idOf(record: JsonObject): string {
  const id = record['id'] ?? record['uuid'];
  return typeof id === 'string' ? id : '';
}
