/** Holds the state of one outbox change, in memory and on disk. */
import {
  idOf,
  isOutboxIdle,
  type OutboxCore,
  type OutboxEvent,
  type OutboxTarget,
  outboxTransition,
  type Verdict,
} from '../core/jobs/outbox.ts';
import type { StoredOutboxEntry } from '../db/upload-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { AppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json-body.ts';
import {
  isOutboxOver,
  type OutboxEntry,
  type OutboxQuestion,
  type OutboxRequest,
  type OutboxResult,
} from '../shared/outbox-model.ts';
import type { OutboxDeps } from './types.ts';

/** Sentences that explain to the person why a decision is needed. */
const REASONS: Readonly<Record<OutboxQuestion, string>> = {
  changed: 'The record has changed at the service since this change was made.',
  unseen: 'The record was not stored here when this change was made.',
  gone: 'The record was deleted at the service.',
  exists: 'The service already has one with this name.',
  'no-answer': 'It was sent and no answer came. Nothing shows whether it was done.',
  'need-gone': 'It refers to a record of the outbox that was discarded.',
  'need-unknown':
    'It refers to a record that was created from the outbox, and the ID of that record is not known here.',
};

type Ask = Extract<Verdict, { kind: 'ask' }>;

export class OutboxLedger extends JobLedger<OutboxCore, OutboxEvent, StoredOutboxEntry, OutboxEntry> {
  readonly #deps: OutboxDeps;

  constructor(deps: OutboxDeps, entry: StoredOutboxEntry) {
    const { store } = deps;
    super(
      {
        ...deps,
        id: entry.id,
        what: 'change in the outbox',
        commit: (work) => store.commit(work),
        save: (stored) => store.outbox.save(stored),
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      entry,
      coreOf(entry),
    );
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return isOutboxIdle(this.core.state);
  }

  protected step(core: OutboxCore, event: OutboxEvent): OutboxCore {
    return outboxTransition(core, event);
  }

  protected isOver({ state }: OutboxCore): boolean {
    return isOutboxOver(state);
  }

  /**
   * Stores the change as sent before its request is sent. `target`: the record before the change, with which a lost
   * answer can be resolved.
   */
  leave(target: OutboxTarget): void {
    const { attempts, known } = this.stored;
    const there = target.kind === 'list' ? target.records.map(idOf) : known;
    const sentAtMs = this.#deps.clock.nowMs();
    this.apply([], { sentAtMs, attempts: attempts + 1, known: there, question: null });
  }

  /** Called if the request was not sent, or if the service reported that it did nothing. Such requests do not count. */
  stay(events: readonly OutboxEvent[]): void {
    const attempts = Math.max(0, this.stored.attempts - 1);
    this.apply(this.isIdle ? [] : events, { sentAtMs: null, attempts });
  }

  succeed(result: Omit<OutboxResult, 'atMs'>): void {
    const atMs = this.#deps.clock.nowMs();
    this.apply([{ type: 'succeed' }], { sentAtMs: null, question: null, result: { ...result, atMs } });
  }

  /** `lastError`: why the last request may not have been carried out. */
  ask({ reason, theirs }: Omit<Ask, 'kind'>, lastError: AppError | null = null): void {
    // A person has discarded or halted the change meanwhile.
    if (this.isIdle) return;
    const wasAnswered = reason === 'no-answer' && lastError?.details.status !== undefined;
    const text = wasAnswered ? `${lastError.message} Nothing shows whether it was done.` : REASONS[reason];
    this.apply([{ type: 'ask', reason: text }], { question: reason, theirs });
  }

  /** From now on, the person counts as having seen the displayed record. */
  rebase(events: readonly OutboxEvent[], request: OutboxRequest, needs: string[]): void {
    const { question, theirs, base, known } = this.stored;
    const isShown = question !== null && theirs !== null;
    const isMade = question === 'exists' || question === 'no-answer';
    this.apply(events, {
      request,
      needs,
      question: null,
      sentAtMs: null,
      attempts: 0,
      base: isShown && !(isMade && this.stored.change === 'create') ? theirs : base,
      known: isShown ? [...new Set([...known, idOf(theirs)])] : known,
    });
  }

  /**
   * A change that was in flight when a program ended keeps its state, because its target shows the outcome. Returns
   * false if there was none.
   */
  interrupt(): boolean {
    if (this.isIdle) return false;
    this.apply([{ type: 'interrupt' }]);
    return true;
  }

  refuse(error: AppError): void {
    this.stay([{ type: 'fail', reason: error.message, error: error.toWire() }]);
  }

  view(): OutboxEntry {
    const { id: entryId, title, change, request, base, theirs, question } = this.stored;
    const { sentAtMs, needs, result, createdAtMs, endedAtMs } = this.stored;
    const { state, reason, error, startAtMs, lateStart } = this.core;
    return {
      entryId,
      connectionId: this.#deps.connectionId,
      title,
      change,
      request,
      line: this.#deps.resources.describe(request).line,
      state,
      reason,
      error,
      question,
      base,
      theirs,
      sentAtMs,
      needs: needs.map((need) => {
        const made = this.#deps.store.outbox.get(need);
        return {
          entryId: need,
          title: made?.title ?? 'A change that was removed',
          state: made?.state ?? null,
        };
      }),
      result,
      startAtMs,
      lateStart,
      createdAtMs,
      endedAtMs,
    };
  }
}

function coreOf({ state, reason, error, startAtMs, lateStart }: StoredOutboxEntry): OutboxCore {
  return { state, reason, error, startAtMs, lateStart };
}

/** The id of the record that an entry created, if known. */
export function madeBy({ result }: StoredOutboxEntry): string | null {
  const record: JsonObject | null = result?.record ?? null;
  const id = record === null ? '' : idOf(record);
  return id === '' ? null : id;
}
