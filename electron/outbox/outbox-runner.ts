/** Sends one outbox change: reads its target, and then either sends the change once or asks the person. */
import { suspensionOf } from '../core/jobs/bulk-act.ts';
import { judge } from '../core/jobs/outbox.ts';
import { classifyFailure } from '../core/jobs/send-outcome.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { idsIn } from '../shared/ids-in-request.ts';
import { jsonObject } from '../shared/json-body.ts';
import { isOutboxOver, type OutboxRequest } from '../shared/outbox-model.ts';
import { madeBy, type OutboxLedger } from './outbox-ledger.ts';
import { withMade } from './placeholder-ids.ts';
import type { OutboxDeps } from './types.ts';

/** Maximum number of requests for one change. Each repetition requires proof that the previous one was not done. */
const MAX_ATTEMPTS = 3;
/** Maximum age of a read target; an older one is read again before the change is sent. */
const LONG_WAIT_MS = 1_000;
/** 4xx statuses that depend on the token or on the load of the service. Every other 4xx concerns this change. */
const NOT_OF_CHANGE = new Set([401, 407, 408, 425, 429]);

export class OutboxRunner extends LedgerRunner<OutboxLedger> {
  readonly #deps: OutboxDeps;
  /** Why the last request may not have been carried out. */
  #lastError: AppError | null = null;
  /** The step before a repetition, if the target shows that the request was not carried out. */
  #beforeRepeat: 'wait' | 'pause' | null = null;

  constructor(deps: OutboxDeps, ledger: OutboxLedger) {
    super(deps, ledger);
    this.#deps = deps;
  }

  handleFailure(error: AppError): void {
    this.#suspend(suspensionOf(error), error);
  }

  #suspend(how: 'wait' | 'pause', error: AppError): void {
    if (this.phase() !== 'running') return;
    this.ledger.applyAnyhow([{ type: how, reason: error.message, error: error.toWire() }]);
  }

  async run(signal: AbortSignal): Promise<void> {
    const request = this.#request();
    if (request === null) return;
    this.#checkConnection(request);
    const { checkRead } = this.#deps;
    if (checkRead !== undefined) await checkRead(idsIn(request), this.ledger.stored.createdAtMs);
    const callOptions = { signal, priority: 'outbox' as const, group: `outbox ${this.ledger.id}` };
    const { resources } = this.#deps;
    const target = await resources.readTarget(request, callOptions);
    // The change was halted or discarded meanwhile.
    if (this.phase() !== 'running' || this.loop.isStopping) return;
    const { change, base, sentAtMs, known, attempts } = this.ledger.stored;
    const { isRepeatSafe } = resources.describe(request);
    const { body } = request;
    const verdict = judge({ change, base, body, target, wasSent: sentAtMs !== null, isRepeatSafe, known });
    if (verdict.kind === 'ask') return this.ledger.ask(verdict, this.#lastError);
    if (verdict.kind === 'done') {
      const { how, record } = verdict;
      return this.ledger.succeed({ how, record, status: null, requestId: null });
    }
    if (attempts >= MAX_ATTEMPTS) {
      if (target.kind !== 'none') return this.#suspend('pause', this.#lastError ?? notDone());
      return this.ledger.ask({ reason: 'no-answer', theirs: null }, this.#lastError);
    }
    const how = this.#beforeRepeat;
    this.#beforeRepeat = null;
    if (how !== null) return this.#suspend(how, this.#lastError ?? notDone());
    this.ledger.leave(target);
    await this.#send(request, callOptions, change === 'delete' && sentAtMs !== null);
  }

  /**
   * `isDeletedAgain`: the change is a deletion whose earlier answer was lost, so "not found" means that it was done.
   */
  async #send(
    request: OutboxRequest,
    callOptions: { signal: AbortSignal },
    isDeletedAgain: boolean,
  ): Promise<void> {
    const sent = await this.#deps.resources.act(request, { ...callOptions, isOnce: true }).catch(toAppError);
    if (!(sent instanceof AppError)) {
      const { status, requestId, record } = sent;
      const parsed = jsonObject.safeParse(record);
      this.ledger.succeed({ how: 'sent', status, requestId, record: parsed.success ? parsed.data : null });
      this.loop.succeed();
      return;
    }
    const { status = 0, requestId = null } = sent.details;
    if (isDeletedAgain && sent.code === 'NOT_FOUND' && status === 404) {
      this.ledger.succeed({ how: 'found', status, requestId, record: null });
      return;
    }
    const outcome = classifyFailure(sent);
    const isOfChange = status >= 400 && status < 500 && !NOT_OF_CHANGE.has(status);
    if (outcome.kind === 'unknown') {
      this.#lastError = sent;
      // The target shows the outcome. It is read at once, or after the wait that a busy service needs.
      if (outcome.next === 'continue' && status >= 500) this.#suspend('wait', sent);
      else this.#beforeRepeat = outcome.next === 'pause' ? 'pause' : 'wait';
      return;
    }
    if (outcome.kind === 'unsent' && !isOfChange) {
      this.ledger.stay([{ type: outcome.next, reason: sent.message, error: sent.toWire() }]);
    } else this.ledger.refuse(sent);
  }

  /** The request in its current form; null if it cannot be sent, in which case the reason was stored. */
  #request(): OutboxRequest | null {
    const { store } = this.#deps;
    const { id, request, needs, target, createdAtMs } = this.ledger.stored;
    const made = new Map<string, string>();
    for (const need of needs) {
      const entry = store.outbox.get(need);
      if (entry === null || entry.state === 'cancelled') {
        this.ledger.ask({ reason: 'need-gone', theirs: null });
        return null;
      }
      if (entry.state !== 'done') throw waitsFor(entry.title);
      const recordId = madeBy(entry);
      // The other entry has finished without an id, so waiting for one would never end.
      if (recordId === null) {
        this.ledger.ask({ reason: 'need-unknown', theirs: null });
        return null;
      }
      made.set(need, recordId);
    }
    const earlier =
      target === null
        ? undefined
        : store.outbox
            .list({ subject: target })
            .find((each) => each.id !== id && each.createdAtMs < createdAtMs && !isOutboxOver(each.state));
    if (earlier !== undefined) throw waitsFor(earlier.title);
    return withMade(request, made);
  }

  /**
   * Rejects if the request would wait in the queue for long, because it would then be sent on the basis of an outdated
   * read.
   */
  #checkConnection(request: OutboxRequest): void {
    const blockingError = this.#deps.blockingError();
    if (blockingError !== null) throw blockingError;
    const waitMs = this.#deps.waitMs(request.operation);
    if (waitMs <= LONG_WAIT_MS) return;
    throw new AppError(
      'RATE_LIMITED',
      'The limit of this operation is used up for now. It is sent when the limit resets.',
      { outcome: 'unsent', retryAfterMs: waitMs },
    );
  }
}

/** The error of a change whose requests were sent by a program that has ended. */
function notDone(): AppError {
  return new AppError(
    'TIMEOUT',
    'It was sent several times, and the service shows that it was not done. Send it again, or discard it.',
  );
}

/** The error that keeps the order of changes. */
function waitsFor(title: string): AppError {
  return new AppError('CONFLICT', `“${title}” waits in the outbox before it. Send or discard that first.`, {
    outcome: 'unsent',
  });
}
