/** Holds one score run in memory and on disk. */

import { isRunIdle, type RunCore, type RunEvent, runTransition } from '../core/jobs/score-run.ts';
import type { Clock, Logger } from '../core/ports.ts';
import type { DatasetStore, StoredScoreItem, StoredScoreRun } from '../db/build-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { ScoreItemState, ScoreRun } from '../shared/score-model.ts';
import { runName } from '../shared/score-names.ts';

interface ScoreLedgerDeps {
  connectionId: string;
  store: DatasetStore;
  clock: Clock;
  logger: Logger;
  onRunChanged: (run: ScoreRun) => void;
}

export class ScoreLedger extends JobLedger<RunCore, RunEvent, StoredScoreRun, ScoreRun> {
  readonly #deps: ScoreLedgerDeps;
  readonly #store: DatasetStore;
  #tallies: Record<ScoreItemState, number>;
  #names: string[];
  #nothingExpected: number;

  constructor(deps: ScoreLedgerDeps, run: StoredScoreRun) {
    const { store, onRunChanged: onChanged } = deps;
    super(
      {
        ...deps,
        id: run.id,
        what: 'score run',
        commit: (work) => store.commit(work),
        save: (stored) => store.scoreRuns.save(stored),
        onChanged,
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      run,
      coreOf(run),
    );
    this.#deps = deps;
    this.#store = store;
    this.#tallies = store.scores.tallies(run.id);
    this.#names = store.scores.scoreNames(run.id);
    this.#nothingExpected = store.scores.nothingExpected(run.id);
  }

  get isIdle(): boolean {
    return isRunIdle(this.core.state);
  }

  get unscored(): number {
    return this.#tallies.unscored;
  }

  get scored(): number {
    return this.#tallies.scored;
  }

  protected step(core: RunCore, event: RunEvent): RunCore {
    return runTransition(core, event);
  }

  protected isOver({ state }: RunCore): boolean {
    return state === 'done';
  }

  protected override kept({ isReading }: RunCore): Partial<StoredScoreRun> {
    return isReading ? {} : { readOffset: null };
  }

  /** Stores and counts items that were read. */
  addItems(items: readonly StoredScoreItem[], readOffset: number): void {
    this.apply([], { readOffset }, () => this.#store.scores.addItems(this.id, items));
    this.#recount();
  }

  /** Stores and counts results of unscored items, in one transaction. */
  saveItems(items: readonly StoredScoreItem[]): void {
    let saved: StoredScoreItem[] = [];
    this.apply([], {}, () => {
      saved = items.filter((item) => this.#store.scores.saveItem(this.id, item));
    });
    const tallies = { ...this.#tallies, unscored: this.#tallies.unscored - saved.length };
    for (const { state, inputs, scores } of saved) {
      tallies[state] += 1;
      if (state === 'skipped' && inputs !== null) this.#nothingExpected += 1;
      for (const { name } of scores) if (!this.#names.includes(name)) this.#names.push(name);
    }
    this.#tallies = tallies;
  }

  retryFailed(): void {
    this.apply([], {}, () => void this.#store.scores.retryFailed(this.id));
    this.#recount();
  }

  #recount(): void {
    this.#tallies = this.#store.scores.tallies(this.id);
    this.#nothingExpected = this.#store.scores.nothingExpected(this.id);
  }

  view(): ScoreRun {
    const { id: runId, plan, expectedItems, createdAtMs, endedAtMs } = this.stored;
    const { state, reason, error, startAtMs, lateStart } = this.core;
    const tallies = this.#tallies;
    const items = Object.values(tallies).reduce((sum, count) => sum + count, 0);
    return {
      runId,
      connectionId: this.#deps.connectionId,
      name: runName(plan),
      plan,
      state,
      reason,
      error,
      counts: { items, ...tallies },
      ...(this.#nothingExpected === 0 ? {} : { nothingExpected: this.#nothingExpected }),
      scoreNames: this.#names.toSorted(),
      expectedItems,
      startAtMs,
      lateStart,
      createdAtMs,
      endedAtMs,
    };
  }
}

function coreOf({ state, reason, error, startAtMs, lateStart, readOffset }: StoredScoreRun): RunCore {
  return { state, reason, error, startAtMs, lateStart, isReading: readOffset !== null };
}
