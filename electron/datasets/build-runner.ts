/** Sends one build: creates its dataset, sends call after call, and then checks that everything has arrived. */

import type { BuildEvent } from '../core/jobs/build-job.ts';
import { isPassing } from '../core/jobs/send-outcome.ts';
import type { Clock, Random } from '../core/ports.ts';
import { nextSearch, notFoundText } from '../core/spans/wider-search.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { nextTurn } from '../jobs/next-turn.ts';
import type { SpanState } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import { askService } from './ask-service.ts';
import { checkCount } from './build-check.ts';
import type { BuildLedger } from './build-ledger.ts';
import { BuildSender, gone } from './build-sender.ts';
import { type EvidenceDeps, tryGatherEvidence } from './gather-evidence.ts';
import { recheck, takeNow } from './recheck.ts';
import { ensureDataset, readItemCount, targetJobOf } from './target-dataset.ts';
import type { DatasetsDeps } from './types.ts';

type RunnerDeps = EvidenceDeps &
  Pick<DatasetsDeps, 'logger'> & {
    clock: Clock;
    random: Random;
  };

/** Number of spans compared with receipts in one step. */
const MARK_SLICE = 2_000;

export class BuildRunner extends LedgerRunner<BuildLedger> {
  readonly #deps: RunnerDeps;
  readonly #sender: BuildSender;
  #isFirst = true;

  constructor(deps: RunnerDeps, ledger: BuildLedger) {
    super(deps, ledger);
    this.#deps = deps;
    this.#sender = new BuildSender({ ...deps, ledger, onSuccess: () => this.loop.succeed() });
  }

  handleFailure(problem: AppError): void {
    const error = problem.details.status === 404 ? gone(problem) : problem;
    if (this.phase() === 'resting') return;
    const suspension = isPassing(error) ? 'wait' : isForPerson(error) ? 'fail' : 'pause';
    this.#deps.logger.warn('build halted', { build: this.ledger.id, code: error.code, how: suspension });
    this.ledger.applyAnyhow([{ type: suspension, reason: error.message, error: error.toWire() }]);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    if (this.#isFirst) await tryGatherEvidence(this.#deps, this.ledger, signal);
    if (this.ledger.stored.ask?.phase === 'due') await askService(this.#deps, this.ledger, signal);
    if (!(await this.#recheck(signal))) return;
    const datasetId = await ensureDataset(this.#deps, targetJobOf(this.ledger), signal);
    await this.#readBaseline(datasetId, signal);
    // Later, a person may have decided to add the rest anyway; spans skipped before stay skipped.
    if (this.#isFirst && this.ledger.stored.skipsAdded) await markAdded(this.#deps, this.ledger);
    this.#isFirst = false;
    while (this.shouldContinue) {
      const { callSpans } = this.ledger.stored;
      const next = (isItem: boolean) =>
        store.spans.page(this.ledger.id, { states: ['unsent'], shapeIds: null, isItem }, 0, callSpans);
      const spans = next(false);
      const items = spans.length === 0 ? next(true) : [];
      if (spans.length > 0) await this.#sender.send(datasetId, spans, signal);
      else if (items.length > 0) await this.#sender.sendItems(datasetId, items, signal);
      else if (!this.#widen()) return this.#finish(signal);
      // Storing the result of a call and the next call takes 5 ms each, so other work may run in between.
      await nextTurn();
    }
  }

  /**
   * Marks spans that were not found to be sent again with a wider range. Returns false if there is nothing more to
   * search.
   */
  #widen(): boolean {
    const { search, marginMs, skipsUnresolved, nextPosition } = this.ledger.stored;
    if (search === null || search.end !== null) return false;
    const next = nextSearch(search, this.ledger.core.tallies.unresolved, marginMs);
    const to = next.end === null ? 'unsent' : skipsUnresolved ? 'excluded' : null;
    const { spans } = this.#deps.store;
    this.ledger.apply([], { search: next }, undefined, () => {
      if (to === null) return [];
      const states = { from: 'unresolved', to } as const;
      return [move('unresolved', to, spans.move(this.ledger.id, states, 0, nextPosition))];
    });
    const { unresolved } = this.ledger.core.tallies;
    if (next.end !== null && unresolved > 0) {
      const error = new AppError('UNPROCESSABLE', notFoundText(unresolved, next));
      this.ledger.apply([{ type: 'fail', reason: error.message, error: error.toWire() }]);
    }
    return next.end === null;
  }

  /** Returns false if a person must decide first. */
  async #recheck(signal: AbortSignal): Promise<boolean> {
    const phase = this.ledger.stored.recheck?.phase;
    if (phase === 'due') return recheck(this.#deps, this.ledger, signal);
    if (phase === 'found') await takeNow(this.#deps, this.ledger);
    return true;
  }

  async #readBaseline(datasetId: string, signal: AbortSignal): Promise<void> {
    if (this.ledger.stored.baseline !== null) return;
    const { fields: _, ...baseline } = await readItemCount(this.#deps, this.ledger, datasetId, signal);
    this.ledger.apply([], { baseline });
  }

  async #finish(signal: AbortSignal): Promise<void> {
    if (this.ledger.core.tallies.unknown > 0) {
      await tryGatherEvidence(this.#deps, this.ledger, signal);
    }
    if (!this.shouldContinue) return;
    this.ledger.apply([{ type: 'settle' }]);
    if (this.ledger.core.state === 'done') await checkCount(this.#deps, this.ledger, signal);
  }
}

/**
 * True if the service rejected the request for its content, or if the build itself is invalid. A retry would fail
 * again.
 */
function isForPerson({ details, code }: AppError): boolean {
  const codes = ['INVALID_ARGUMENT', 'CONFLICT', 'NOT_FOUND', 'BAD_REQUEST', 'UNPROCESSABLE'];
  return codes.includes(code) || [400, 404, 409, 422].includes(details.status ?? 0);
}

/** Marks unsent spans whose item is already in the target, or removes such marks. Works in small steps. */
export async function markAdded(
  { store, clock }: Pick<DatasetsDeps, 'store' | 'clock'>,
  ledger: BuildLedger,
): Promise<void> {
  const slicer = new TimeSlicer(clock);
  const { target, skipsAdded, datasetId } = ledger.stored;
  const known = datasetId ?? (target?.kind === 'existing' ? target.datasetId : null);
  const compared = skipsAdded ? known : null;
  if (compared === null && ledger.core.tallies.added === 0) return;
  for (let from = 0; from < ledger.stored.nextPosition; from += MARK_SLICE) {
    const to = from + MARK_SLICE;
    ledger.apply([], {}, undefined, () => [
      move('added', 'unsent', store.spans.unmarkAdded(ledger.id, compared, from, to)),
      move('unsent', 'added', compared === null ? 0 : store.spans.markAdded(ledger.id, compared, from, to)),
    ]);
    await slicer.pause();
  }
}

function move(from: SpanState, to: SpanState, count: number): BuildEvent {
  return { type: 'move', from, to, count };
}
