/** Scores the items of one run: reads them, then requests the score of each. Scoring stores nothing at the service. */

import { ResultGroups, scoreOfResults } from '../core/items/check-results.ts';
import { createCheck, isUnchecked } from '../core/items/score-check.ts';
import { suspensionOf } from '../core/jobs/bulk-act.ts';
import { writeDurably } from '../core/jobs/durable-write.ts';
import { readScores, scoreInputsOf } from '../core/jobs/score-run.ts';
import { classifyFailure, isOwnTrouble } from '../core/jobs/send-outcome.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import { bucketsOf } from '../core/spans/span-mapping.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredScoreItem } from '../db/build-store.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { ScorePlan } from '../shared/score-model.ts';
import { type ItemRecord, idOf, readItems } from './read-items.ts';
import type { ScoreLedger } from './score-ledger.ts';
import type { DatasetOptions, DatasetsDeps } from './types.ts';

type ScoreRunnerDeps = Pick<DatasetsDeps, 'store' | 'client' | 'readItemsHere' | 'readResultsHere'> & {
  clock: Clock;
  random: Random;
  logger: Logger;
  options: Pick<DatasetOptions, 'pageRows' | 'maxScoring'>;
};

/** After this many consecutive failures without any success, the next request would fail too. */
const MAX_FAILURES_IN_A_ROW = 5;
/** Number of items written in one transaction. */
const CHECKED_AT_ONCE = 100;

export class ScoreRunner extends LedgerRunner<ScoreLedger> {
  readonly #deps: ScoreRunnerDeps;
  #failuresInARow = 0;
  /** Position of the last item that a lane has started. */
  #taken = -1;
  /** Positions of the items that a lane has started and that have no stored result yet. */
  readonly #inFlight = new Set<number>();

  constructor(deps: ScoreRunnerDeps, ledger: ScoreLedger) {
    super(deps, ledger);
    this.#deps = deps;
  }

  handleFailure(error: AppError): void {
    const { kind } = classifyFailure(error);
    const how = suspensionOf(error);
    // If an answer was unreadable, a person may fix the program that sent it. A rejection by the service is final.
    const isFinal = how === 'pause' && kind !== 'unknown' && !isOwnTrouble(error);
    this.#suspend(isFinal ? 'fail' : how, error);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.ledger.stored.readOffset !== null) await this.#read(this.ledger.stored.readOffset, signal);
    if (!this.shouldContinue) return;
    this.#taken = -1;
    const { check, inputs } = this.ledger.stored.plan;
    if (check === undefined) {
      const { maxScoring } = this.#deps.options;
      await Promise.all(Array.from({ length: maxScoring }, () => this.#laneToItsEnd(signal)));
    } else
      await this.#check(
        createCheck(
          check,
          inputs.map(({ input }) => input),
        ),
        signal,
      );
    if (this.shouldContinue && this.ledger.unscored === 0) this.ledger.apply([{ type: 'settle' }]);
  }

  /** Reads items until all wanted ones are stored. */
  async #read(from: number, signal: AbortSignal): Promise<void> {
    const { client, options, store, clock } = this.#deps;
    const { id: runId, plan, wantsAll } = this.ledger.stored;
    if (plan.experiment !== undefined) return this.#readResults(plan.experiment);
    const wanted = wantsAll ? null : store.scores.wanted(runId);
    const slicer = new TimeSlicer(clock);
    const reading = {
      client,
      datasetId: plan.datasetId,
      pageRows: options.pageRows,
      options: { priority: 'click' as const, group: `scores ${runId}`, signal },
    };
    // Checks do not need the service if every item is stored here.
    const stored = plan.check === undefined ? null : this.#deps.readItemsHere(plan.datasetId, from);
    for await (const { items, offset } of stored ?? readItems(reading, from)) {
      const rows = items.flatMap((item, index) => {
        const position = wanted === null ? offset - items.length + index : wanted.get(idOf(item));
        if (position === undefined) return [];
        wanted?.delete(idOf(item));
        return [this.#toRow(item, position)];
      });
      this.ledger.addItems(rows, offset);
      if (!this.shouldContinue || wanted?.size === 0) break;
      await slicer.pause();
    }
    if (!this.shouldContinue) return;
    this.ledger.addItems([...(wanted ?? [])].map(goneRow), this.ledger.stored.readOffset ?? 0);
    this.ledger.apply([{ type: 'read' }]);
  }

  /** All results are read before any is stored, because the results of an item may be anywhere in the list. */
  async #readResults({ id, name }: NonNullable<ScorePlan['experiment']>): Promise<void> {
    const stored = this.#deps.readResultsHere(id);
    if (stored === null) throw resultsMissing(name);
    const groups = new ResultGroups(this.ledger.stored.plan.inputs);
    for await (const records of stored) {
      for (const record of records) groups.add(record);
      if (!this.shouldContinue) return;
    }
    const rows = groups
      .rows()
      .map(({ itemId, resultIds, inputs, problem, leftOut }, position): StoredScoreItem => {
        const reason = problem ?? leftOut;
        return {
          ...{ itemId, resultIds, inputs, position, scores: [], atMs: null },
          state: problem === null ? 'unscored' : 'skipped',
          error: reason === null ? null : new AppError('INVALID_ARGUMENT', reason).toWire(),
        };
      });
    const slicer = new TimeSlicer(this.#deps.clock);
    for (let from = 0; from < rows.length; from += CHECKED_AT_ONCE) {
      this.ledger.addItems(rows.slice(from, from + CHECKED_AT_ONCE), 0);
      if (!this.shouldContinue) return;
      await slicer.pause();
    }
    this.ledger.apply([{ type: 'read' }]);
  }

  #toRow(item: ItemRecord, position: number): StoredScoreItem {
    const { inputs, missing } = scoreInputsOf(bucketsOf(item), this.ledger.stored.plan.inputs);
    const row = { position, itemId: idOf(item), scores: [], atMs: null };
    if (missing.length === 0) return { ...row, inputs, state: 'unscored', error: null };
    const what = missing.length === 1 ? 'the field' : 'the fields';
    const error = new AppError(
      'INVALID_ARGUMENT',
      `The item lacks ${what} ${missing.join(', ')} that the evaluator needs.`,
    ).toWire();
    return { ...row, inputs: null, state: 'skipped', error };
  }

  /** Checks the items locally, without a request. */
  async #check(scoreOf: ReturnType<typeof createCheck>, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#deps;
    const slicer = new TimeSlicer(clock);
    while (this.shouldContinue && !signal.aborted) {
      const items = store.scores.next(this.ledger.id, this.#taken, CHECKED_AT_ONCE);
      if (items.length === 0) return;
      this.#taken = items.at(-1)?.position ?? this.#taken;
      const scored: StoredScoreItem[] = [];
      for (const item of items) {
        const { inputs, resultIds, error } = item;
        const score = scoreOfResults(scoreOf, inputs ?? {}, resultIds?.length ?? 1, error?.message ?? null);
        const checked = { ...item, atMs: clock.nowMs() };
        if (isUnchecked(score)) {
          const reason = new AppError('INVALID_ARGUMENT', score.skipped).toWire();
          scored.push({ ...checked, state: 'skipped', scores: [], error: reason });
        } else scored.push({ ...checked, state: 'scored', scores: [score], error: null });
        await slicer.pause();
      }
      this.ledger.saveItems(scored);
    }
  }

  /** A failure suspends the run, and the requests of the other lanes are still waited for. */
  async #laneToItsEnd(signal: AbortSignal): Promise<void> {
    try {
      await this.#lane(signal);
    } catch (problem) {
      if (!this.loop.isStopping) this.handleFailure(toAppError(problem));
    }
  }

  /** Sends one request after another until every item has been started. */
  async #lane(signal: AbortSignal): Promise<void> {
    while (this.shouldContinue) {
      const [item] = this.#deps.store.scores.next(this.ledger.id, this.#taken, 1);
      if (item === undefined) return;
      this.#taken = item.position;
      // After an item was returned, the items that follow it are looked at again, and some of them may be in flight.
      if (this.#inFlight.has(item.position)) continue;
      this.#inFlight.add(item.position);
      try {
        await this.#score(item, signal);
      } finally {
        this.#inFlight.delete(item.position);
      }
    }
  }

  async #score(item: StoredScoreItem, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    const { id: runId, plan } = this.ledger.stored;
    const body = { evaluator_name: plan.evaluator, parameters: plan.parameters, inputs: item.inputs ?? {} };
    const options = { priority: 'click' as const, group: `scores ${runId}`, signal };
    let answer: ReturnType<typeof readScores>;
    try {
      const { value } = await client.call('evaluators.score', { body }, options);
      answer = readScores(value.scores);
    } catch (problem) {
      this.#takeFailure(item, toAppError(problem));
      return;
    }
    const { scores, failed } = answer;
    const error = scores.length === 0 || failed.length > 0 ? emptyScores(failed) : null;
    const state = error === null ? 'scored' : 'failed';
    const scored = { ...item, state, scores, error: error?.toWire() ?? null, atMs: clock.nowMs() } as const;
    // A score may have cost money, so it stays in memory until the disk accepts it. No further score is requested
    // meanwhile.
    const onTrouble = (trouble: AppError) => this.#suspend('pause', trouble);
    await writeDurably(() => this.ledger.saveItems([scored]), { clock, signal, onTrouble });
    this.#failuresInARow = 0;
    this.loop.succeed();
  }

  #suspend(type: 'pause' | 'wait' | 'fail', error: AppError, reason = error.message): void {
    if (this.phase() !== 'resting') this.ledger.applyAnyhow([{ type, reason, error: error.toWire() }]);
  }

  #takeFailure(item: StoredScoreItem, error: AppError): void {
    const outcome = classifyFailure(error);
    const isCancelled = error.code === 'CANCELLED' || this.loop.isStopping;
    // Scoring has no side effects, so a request is repeated even if a busy service may have executed it.
    const isBusy = error.details.status === 503;
    if (isCancelled || isBusy || outcome.kind === 'unsent') {
      // The item stays unscored and will be started again.
      this.#taken = Math.min(this.#taken, item.position - 1);
      if (!isCancelled) this.handleFailure(error);
      return;
    }
    this.#failuresInARow += 1;
    this.ledger.saveItems([
      { ...item, state: 'failed', scores: [], error: error.toWire(), atMs: this.#deps.clock.nowMs() },
    ]);
    if (this.#failuresInARow < MAX_FAILURES_IN_A_ROW || !this.shouldContinue) return;
    const reason = `${this.#failuresInARow} items in a row failed. The last error: ${error.message}`;
    this.#suspend('fail', error, reason);
  }
}

/** Results that are not stored completely cannot be checked, because a part would be taken for all of them. */
export const resultsMissing = (name: string): AppError =>
  new AppError(
    'NOT_STORED',
    `Expected all results of ${name} on this computer. Keep the experiment offline, or read its results to the end, then try again.`,
  );

function emptyScores(names: readonly string[]): AppError {
  const what = names.length === 0 ? 'no score' : `neither a value nor a label for ${names.join(', ')}`;
  return new AppError('ANSWER_INVALID', `The evaluator returned ${what}.`);
}

function goneRow([itemId, position]: [string, number]): StoredScoreItem {
  const error = new AppError('NOT_FOUND', 'The dataset no longer has this item.').toWire();
  return { position, itemId, inputs: null, state: 'failed', scores: [], error, atMs: null };
}
