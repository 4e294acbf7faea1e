/** Sends one change of the outbox: reads its target, decides by that, and sends it once or asks. */
import { haltOf } from '../core/jobs/bulk-act.ts';
import { judge } from '../core/jobs/outbox.ts';
import { classifyFailure } from '../core/jobs/send-outcome.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { jsonObject } from '../shared/json-body.ts';
import { isOutboxOver, type OutboxRequest } from '../shared/outbox-model.ts';
import { madeBy, type OutboxLedger } from './outbox-ledger.ts';
import { withMade } from './placeholder-ids.ts';
import type { OutboxDeps } from './types.ts';

/** Requests for one change, each after the service showed that the one before was not done. */
const MOST_ATTEMPTS = 3;
/** What was read longer ago than this is read again before anything is sent over it. */
const LONG_WAIT_MS = 1_000;
/** Answers that come and go with the token or the load of the service; every other 4xx is about this change. */
const NOT_OF_CHANGE = new Set([401, 407, 408, 425, 429]);

export class OutboxRunner extends LedgerRunner<OutboxLedger> {
  readonly #deps: OutboxDeps;

  constructor(deps: OutboxDeps, ledger: OutboxLedger) {
    super(deps, ledger);
    this.#deps = deps;
  }

  stumble(error: AppError): void {
    this.#halt(haltOf(error), error);
  }

  #halt(how: 'wait' | 'pause', error: AppError): void {
    if (this.phase() !== 'running') return;
    this.ledger.applyAnyhow([{ type: how, reason: error.message, error: error.toWire() }]);
  }

  async run(signal: AbortSignal): Promise<void> {
    const request = this.#request();
    if (request === null) return;
    this.#checkWay(request);
    const way = { signal, priority: 'outbox' as const, group: `outbox ${this.ledger.id}` };
    const { resources } = this.#deps;
    const target = await resources.readTarget(request, way);
    // Halted or discarded meanwhile.
    if (this.phase() !== 'running' || this.loop.isStopping) return;
    const { change, base, sentAtMs, known, attempts } = this.ledger.stored;
    const { isRepeatSafe } = resources.describe(request);
    const { body } = request;
    const verdict = judge({ change, base, body, target, wasSent: sentAtMs !== null, isRepeatSafe, known });
    if (verdict.kind === 'ask') return this.ledger.ask(verdict);
    if (verdict.kind === 'done') {
      const { how, record } = verdict;
      return this.ledger.succeed({ how, record, status: null, requestId: null });
    }
    if (attempts >= MOST_ATTEMPTS) return this.ledger.ask({ why: 'no-answer', theirs: null });
    this.ledger.leave(target);
    await this.#send(request, way, change === 'delete' && sentAtMs !== null);
  }

  /** `isDeletedAgain`: a deletion whose answer was lost before, so that "not found" says that it was done. */
  async #send(request: OutboxRequest, way: { signal: AbortSignal }, isDeletedAgain: boolean): Promise<void> {
    const sent = await this.#deps.resources.act(request, { ...way, isOnce: true }).catch(toAppError);
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
    // Its target says what came of it: it is read next, once there is a way to it.
    if (outcome.kind === 'unknown') return;
    if (outcome.kind === 'unsent' && !isOfChange) {
      this.ledger.stay([{ type: outcome.next, reason: sent.message, error: sent.toWire() }]);
    } else this.ledger.refuse(sent);
  }

  /** As it goes now; null where it cannot, and what it says of that. */
  #request(): OutboxRequest | null {
    const { store } = this.#deps;
    const { id, request, needs, target, createdAtMs } = this.ledger.stored;
    const made = new Map<string, string>();
    for (const need of needs) {
      const entry = store.outbox.get(need);
      if (entry === null || entry.state === 'cancelled') {
        this.ledger.ask({ why: 'need-gone', theirs: null });
        return null;
      }
      if (entry.state !== 'done') throw waitsFor(entry.title);
      const recordId = madeBy(entry);
      // It is done and will never say more: to wait for it would never end.
      if (recordId === null) {
        this.ledger.ask({ why: 'need-unknown', theirs: null });
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

  /** What would wait for long in the queue of requests would be sent over what was read long before. */
  #checkWay(request: OutboxRequest): void {
    const refusal = this.#deps.refusal();
    if (refusal !== null) throw refusal;
    const waitMs = this.#deps.waitMs(request.operation);
    if (waitMs <= LONG_WAIT_MS) return;
    throw new AppError(
      'RATE_LIMITED',
      'The limit of this operation is used up for now. It is sent when the limit resets.',
      { outcome: 'unsent', retryAfterMs: waitMs },
    );
  }
}

/** Their order is kept. */
function waitsFor(title: string): AppError {
  return new AppError('CONFLICT', `“${title}” waits in the outbox before it. Send or discard that first.`, {
    outcome: 'unsent',
  });
}
