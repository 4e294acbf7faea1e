/** One score run as memory and disk hold it. */
import { Notices } from '../core/notices.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { type RunCore, type RunEvent, runTransition } from '../core/score-run.ts';
import type { DatasetStore, StoredScoreItem, StoredScoreRun } from '../db/build-store.ts';
import { toAppError } from '../shared/errors.ts';
import type { ScoreRun } from '../shared/score-model.ts';

export interface ScoreLedgerDeps {
  connectionId: string;
  store: DatasetStore;
  clock: Clock;
  logger: Logger;
  onRunChanged: (run: ScoreRun) => void;
}

const NOTIFY_EVERY_MS = 250;

export class ScoreLedger {
  readonly #deps: ScoreLedgerDeps;
  readonly #store: DatasetStore;
  #run: StoredScoreRun;
  #tallies: { unscored: number; scored: number; failed: number };
  #names: string[];
  readonly #notices: Notices;

  constructor(deps: ScoreLedgerDeps, run: StoredScoreRun) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#run = run;
    this.#notices = new Notices(deps.clock, NOTIFY_EVERY_MS, () => deps.onRunChanged(this.view()));
    this.#tallies = this.#store.scores.tallies(run.runId);
    this.#names = this.#store.scores.scoreNames(run.runId);
  }

  get run(): StoredScoreRun {
    return this.#run;
  }

  get unscored(): number {
    return this.#tallies.unscored;
  }

  get scored(): number {
    return this.#tallies.scored;
  }

  #core(): RunCore {
    const { state, reason, error, startAtMs, lateStart, readOffset } = this.#run;
    return { state, reason, error, startAtMs, lateStart, isReading: readOffset !== null };
  }

  /** Throws what `runTransition` throws, DISK_FULL and STORE_FAILED; then nothing has changed. */
  apply(
    events: readonly RunEvent[],
    changes: Partial<StoredScoreRun> = {},
    also: () => void = () => undefined,
  ): void {
    const { isReading, ...core } = events.reduce(runTransition, this.#core());
    const endedAtMs = core.state === 'done' ? (this.#run.endedAtMs ?? this.#deps.clock.nowMs()) : null;
    const run: StoredScoreRun = { ...this.#run, ...changes, ...core, endedAtMs };
    const next = isReading ? run : { ...run, readOffset: null };
    this.#store.commit(() => {
      also();
      this.#store.scores.save(next);
    });
    const isUrgent = next.state !== this.#run.state || next.startAtMs !== this.#run.startAtMs;
    this.#run = next;
    this.#notices.note(isUrgent);
  }

  applyAnyhow(event: RunEvent): void {
    try {
      this.apply([event]);
    } catch (problem) {
      const found = toAppError(problem);
      if (found.code !== 'DISK_FULL' && found.code !== 'STORE_FAILED') throw found;
      const { isReading: _, ...core } = runTransition(this.#core(), event);
      this.#run = { ...this.#run, ...core };
      this.#notices.note(true);
    }
  }

  /** Items that were read: written and counted. */
  addItems(items: readonly StoredScoreItem[], readOffset: number): void {
    this.apply([], { readOffset }, () => this.#store.scores.addItems(this.#run.runId, items));
    this.#recount();
  }

  saveItem(item: StoredScoreItem, before: StoredScoreItem['state']): void {
    this.#store.commit(() => this.#store.scores.saveItem(this.#run.runId, item));
    this.#tallies = {
      ...this.#tallies,
      [before]: this.#tallies[before] - 1,
    };
    this.#tallies = { ...this.#tallies, [item.state]: this.#tallies[item.state] + 1 };
    for (const { name } of item.scores) if (!this.#names.includes(name)) this.#names.push(name);
    this.#notices.note(false);
  }

  retryFailed(): void {
    this.#store.commit(() => this.#store.scores.retryFailed(this.#run.runId));
    this.#recount();
  }

  #recount(): void {
    this.#tallies = this.#store.scores.tallies(this.#run.runId);
  }

  /** The last notice is given now, no timer is left. */
  close(): void {
    this.#notices.flush();
  }

  view(): ScoreRun {
    const { runId, plan, state, reason, error, expectedItems, startAtMs, lateStart } = this.#run;
    const { createdAtMs, endedAtMs } = this.#run;
    const { unscored, scored, failed } = this.#tallies;
    return {
      runId,
      connectionId: this.#deps.connectionId,
      plan,
      state,
      reason,
      error,
      counts: { items: unscored + scored + failed, unscored, scored, failed },
      scoreNames: this.#names.toSorted(),
      expectedItems,
      startAtMs,
      lateStart,
      createdAtMs,
      endedAtMs,
    };
  }
}
