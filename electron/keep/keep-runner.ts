/** Reads the kept lists and records one after another, page by page. */
import type { ServiceClient } from '../api/types.ts';
import { suspensionOf } from '../core/jobs/bulk-act.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { KeptRequest } from '../db/kept-store.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { incompleteError } from '../shared/incomplete.ts';
import type { BudgetShare } from './budget-share.ts';
import { isOfRequest, mayBeOfRequest } from './failed-request.ts';
import { followUps } from './follow-ups.ts';
import type { KeepLedger } from './keep-ledger.ts';
import { valuesOf } from './keep-requests.ts';
import type { KeepDeps } from './types.ts';

const READ_ROWS = 200;
/** Number of lists after which replaced rows are deleted. */
const SWEEP_EVERY = 100;
/** Attempts to read a list before another one shows whether the service answers at all. */
const MAX_ATTEMPTS = 3;
/** The same for the only list that is left, which no other one can show. They take several minutes. */
const MAX_LAST_ATTEMPTS = 10;

/** Number of lists without an answer in one run after which further ones of them wait for the next run. */
const MAX_SILENT = 3;

/** A list without a readable answer, because its query is too heavy or because the service is busy. */
interface Unanswered {
  at: KeptRequest;
  before: KeptRequest;
  error: AppError;
  attempts: number;
}

export class KeepRunner extends LedgerRunner<KeepLedger> {
  readonly #deps: KeepDeps;
  readonly #client: (signal: AbortSignal) => ServiceClient;
  #stretch = new AbortController();
  /** Waiting lists that failed in this way since the last answer, by position. */
  readonly #unanswered = new Map<number, Unanswered>();
  /** Skipped lists among these. An answer to a later list then shows that the service is not busy. */
  readonly #silent = new Map<number, Unanswered>();

  constructor(deps: KeepDeps, share: BudgetShare, ledger: KeepLedger) {
    super(deps, ledger);
    this.#deps = deps;
    this.#client = (signal) => withinShare(deps.client, share, signal);
  }

  handleFailure(error: AppError): void {
    if (this.phase() !== 'running') return;
    const how = suspensionOf(error);
    this.ledger.applyAnyhow([{ type: how, reason: error.message, error: error.toWire() }]);
    // Aborts waiting requests so that they are not sent later. The loop is not woken, because this would end its wait
    // at once.
    this.#stretch.abort();
  }

  /** Called when a person paused the job. */
  recall(): void {
    this.#stretch.abort();
    this.loop.wake();
  }

  async run(ending: AbortSignal): Promise<void> {
    const halt = new AbortController();
    this.#stretch = halt;
    const signal = AbortSignal.any([ending, halt.signal]);
    // If a person has resumed the job since it was halted, it runs again with a new signal.
    const continues = () => this.shouldContinue && !halt.signal.aborted;
    const { store, library, clock } = this.#deps;
    const slicer = new TimeSlicer(clock);
    const { id } = this.ledger;
    let readSince = 0;
    this.#silent.clear();
    try {
      for (let after = -1; continues(); ) {
        const blockingError = this.#deps.blockingError();
        if (blockingError !== null) throw blockingError;
        const request = store.nextWaiting(id, after);
        if (request === null) {
          this.#endUnanswered();
          if (store.nextWaiting(id, -1) === null) break;
          // An answer came after these were passed over, so their turn is now.
          after = -1;
          continue;
        }
        after = request.position;
        if (!this.#isPostponed(request)) {
          await this.#read(request, signal);
          readSince += 1;
          if (readSince % SWEEP_EVERY === 0) library.sweep();
        }
        await slicer.pause();
      }
    } finally {
      if (readSince > 0) library.sweep();
    }
    if (continues()) await this.#carryPassed();
    if (continues()) this.ledger.end();
  }

  /**
   * The entry then drops the lists of earlier days. Their rows that the service no longer has are kept in the new list.
   */
  async #carryPassed(): Promise<void> {
    const { library } = this.#deps;
    for (const { earlier, later } of this.ledger.passedSpans()) {
      const carried = await library.carryIntoLater(earlier.query, later.query);
      if (carried === null || !this.shouldContinue) continue;
      const { rows: rowCount, sizeBytes } = carried;
      if (rowCount !== later.rowCount) this.ledger.settle({ ...later, rowCount, sizeBytes }, later);
    }
  }

  async #read(request: KeptRequest, signal: AbortSignal): Promise<void> {
    const { library } = this.#deps;
    const { query, form } = request;
    let at = request;
    try {
      const found = await library.fetchAll({
        query,
        form,
        generationId: request.generationId,
        notBeforeMs: this.ledger.stored.notBeforeMs,
        until: 'end',
        client: this.#client(signal),
        group: `keep ${this.ledger.id}`,
        signal,
        onProgress: ({ generationId, rows, totalRows }) => {
          if (at.generationId !== generationId) {
            at = { ...at, generationId };
            this.ledger.saveRequest(at);
          }
          this.ledger.showReading({ query, rows, totalRows });
        },
      });
      if (request.leadsTo !== null) await this.#addWhatFollows(request);
      const { rows: rowCount, sizeBytes, readAtMs, missingRows } = found;
      const isGone = !found.isComplete;
      const error =
        missingRows === undefined ? null : incompleteError({ missingRows, rows: rowCount }).toWire();
      this.ledger.settle(
        {
          ...at,
          state: isGone ? 'failed' : 'read',
          generationId: null,
          rowCount,
          sizeBytes,
          readAtMs,
          error,
        },
        request,
      );
      this.#noteAnswer();
      this.loop.succeed();
    } catch (thrown) {
      this.#takeFailure(at, request, toAppError(thrown), signal);
    }
  }

  #takeFailure(at: KeptRequest, before: KeptRequest, error: AppError, signal: AbortSignal): void {
    // Paused meanwhile, by a person or because the network was lost. The pages received so far are stored.
    if (signal.aborted || this.phase() !== 'running') return;
    if (isOfRequest(error)) {
      this.#fail(at, before, error);
      this.#noteAnswer();
      return;
    }
    if (!mayBeOfRequest(error)) throw error;
    const { position } = before;
    const attempts = (this.#unanswered.get(position)?.attempts ?? 0) + 1;
    const unanswered = { at, before, error, attempts };
    this.#unanswered.set(position, unanswered);
    if (attempts < MAX_ATTEMPTS) throw error;
    this.#silent.set(position, unanswered);
  }

  /** A busy service is asked for only a few of many such lists in one run. */
  #isPostponed({ position }: KeptRequest): boolean {
    const attempts = this.#unanswered.get(position)?.attempts ?? 0;
    return this.#silent.size >= MAX_SILENT && attempts >= MAX_ATTEMPTS;
  }

  #fail(at: KeptRequest, before: KeptRequest, error: AppError): void {
    this.ledger.settle({ ...at, state: 'failed', generationId: null, error: error.toWire() }, before);
  }

  /** Since the service has answered another list, those that had no answer in this run fail. */
  #noteAnswer(): void {
    for (const { at, before, error } of this.#silent.values()) this.#fail(at, before, error);
    this.#silent.clear();
    this.#unanswered.clear();
  }

  /** Called when no other list is left to be read. */
  #endUnanswered(): void {
    const hasRead = this.ledger.counts.read > 0;
    for (const [position, { at, before, error, attempts }] of this.#silent) {
      if (attempts < MAX_LAST_ATTEMPTS || !hasRead) continue;
      this.#silent.delete(position);
      this.#unanswered.delete(position);
      this.#fail(at, before, error);
    }
    const [left] = this.#unanswered.values();
    if (left !== undefined) throw left.error;
  }

  /** Adds requests in small steps, because there may be thousands. Existing ones stay unchanged. */
  async #addWhatFollows(request: KeptRequest): Promise<void> {
    const { library, clock } = this.#deps;
    const { plan } = this.ledger.stored;
    const { query } = request;
    const slicer = new TimeSlicer(clock);
    if (request.leadsTo !== 'values') {
      this.ledger.addRequests(await followUps(library, plan, request));
      return;
    }
    for (let from = 0; ; ) {
      const rows = await library.readStored(query, from, READ_ROWS);
      const last = rows.at(-1);
      if (last === undefined) return;
      from = last.position + 1;
      const questions = rows.flatMap(({ record }) => valuesOf(plan.id, record));
      this.ledger.addRequests(questions);
      await slicer.rest();
    }
  }
}

/** Makes every request wait for its share of the budget. */
export function withinShare(client: ServiceClient, share: BudgetShare, signal: AbortSignal): ServiceClient {
  return {
    ...client,
    rows: (kind, operation, input, options) =>
      share.run(operation, signal, () => client.rows(kind, operation, input, options)),
  };
}
