/** The score runs that are under way or planned: one runner for each, and one process. */

import { LeaseKeeper } from '../core/lease.ts';
import { type PlannedSource, PlannedStarts } from '../core/planned-starts.ts';
import { readable } from '../core/readable.ts';
import { isRunIdle, type RunEvent } from '../core/score-run.ts';
import { stopAll } from '../core/work-loop.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import { ScoreLedger } from './score-ledger.ts';
import { ScoreRunner } from './score-runner.ts';
import type { DatasetOptions, DatasetsDeps, RunAction } from './types.ts';

export type ScoreRunsDeps = DatasetsDeps & { options: DatasetOptions };

interface Active {
  ledger: ScoreLedger;
  runner: ScoreRunner;
  ended: Promise<void>;
}

export class ScoreRuns {
  readonly #deps: ScoreRunsDeps;
  readonly #leases: LeaseKeeper;
  readonly starts: PlannedStarts;
  readonly #active = new Map<string, Active>();
  #isStopping = false;

  constructor(deps: ScoreRunsDeps) {
    this.#deps = deps;
    const owner = deps.random.uuid();
    this.#leases = new LeaseKeeper({ ...deps, table: deps.store.scoreLeases, what: 'score run', owner });
    this.starts = new PlannedStarts({
      ...deps,
      what: 'score run',
      planned: () => deps.store.scores.scheduled(),
      begin: (runId, nowMs) => this.#beginDue(runId, nowMs),
    });
  }

  /** Throws INVALID_ARGUMENT for a run that is not there. */
  ledger(runId: string): ScoreLedger {
    const active = this.#active.get(runId);
    if (active !== undefined) return active.ledger;
    const run = this.#deps.store.scores.get(runId);
    if (run !== null) return new ScoreLedger(this.#deps, run);
    throw new AppError('INVALID_ARGUMENT', `Expected a score run; there is none with the id ${runId}.`);
  }

  checkIdle(runId: string): void {
    if (this.#active.has(runId))
      throw new AppError('CONFLICT', 'This score run is under way. Pause it first.');
    this.#leases.checkFree(runId);
  }

  /** Begins or goes on. `event`: how it leaves the state it rests in. */
  start(runId: string, event: RunEvent | null): ScoreRun {
    const runner: { now: ScoreRunner | null } = { now: null };
    const release = this.#leases.take(runId, () => runner.now?.loop.abort());
    const ledger = this.#holding(release, () => {
      // Read only now: whoever held the lease before may have begun or changed it.
      const read = this.ledger(runId);
      if (event !== null) read.apply([event]);
      return read;
    });
    const started = new ScoreRunner(this.#deps, ledger);
    runner.now = started;
    if (this.#isStopping) started.loop.stop();
    const ended = started.loop.done
      .catch((problem: unknown) => {
        this.#deps.logger.error('score run failed', { run: runId, reason: toAppError(problem).message });
      })
      .then(() => {
        this.#active.delete(runId);
        release();
        ledger.close();
        if (!this.#isStopping && !isRunIdle(ledger.run.state)) this.start(runId, null);
      });
    this.#active.set(runId, { ledger, runner: started, ended });
    return ledger.view();
  }

  #holding<T>(release: () => void, work: () => T): T {
    try {
      return work();
    } catch (problem) {
      release();
      throw problem;
    }
  }

  /** What was stored as planned is begun here at its time. */
  planned(runId: string): ScoreRun {
    this.starts.changed(runId);
    return this.ledger(runId).view();
  }

  /** `startAtMs` belongs to `schedule`. */
  act(runId: string, action: RunAction, startAtMs: number | null): ScoreRun {
    if (action === 'schedule') {
      this.#plan(runId, { type: 'schedule', startAtMs, nowMs: this.#deps.clock.nowMs() });
    } else if (action === 'unschedule') this.#plan(runId, { type: 'unschedule' });
    else this.#control(runId, action);
    return this.planned(runId);
  }

  /** Changes when it begins. The lease keeps another process from beginning it at the same moment. */
  #plan(runId: string, event: RunEvent): void {
    const active = this.#active.get(runId);
    if (active !== undefined) {
      active.ledger.apply([event]);
      return;
    }
    const release = this.#leases.take(runId, () => undefined);
    try {
      const ledger = this.ledger(runId);
      this.#recoverOne(ledger);
      ledger.apply([event]);
    } finally {
      release();
    }
  }

  /** Its time has come. Another process on the same folder may be quicker. */
  #beginDue(runId: string, nowMs: number): void {
    if (this.#active.has(runId) || this.#leases.isElsewhere(runId)) return;
    const { startAtMs } = this.ledger(runId).run;
    if (startAtMs !== null && startAtMs <= nowMs) this.start(runId, { type: 'due', nowMs });
  }

  #control(runId: string, action: 'pause' | 'resume' | 'retry'): ScoreRun {
    const active = this.#active.get(runId);
    if (action === 'pause') {
      if (active === undefined) this.#leases.checkFree(runId);
      const ledger = this.ledger(runId);
      ledger.apply([{ type: 'pause', reason: 'Paused.', error: null }]);
      active?.runner.loop.wake();
      return ledger.view();
    }
    if (active !== undefined) {
      if (action === 'retry') active.ledger.retryFailed();
      if (isRunIdle(active.ledger.run.state)) active.ledger.apply([{ type: 'resume' }]);
      active.runner.loop.wake();
      return active.ledger.view();
    }
    this.#leases.checkFree(runId);
    if (action === 'retry') this.ledger(runId).retryFailed();
    this.#recoverOne(this.ledger(runId));
    return this.start(runId, { type: 'resume' });
  }

  #recoverOne(ledger: ScoreLedger): void {
    if (!isRunIdle(ledger.run.state)) ledger.apply([{ type: 'interrupt' }]);
  }

  recover(continues: boolean): void {
    for (const { runId, state } of this.#deps.store.scores.list(null)) {
      if (isRunIdle(state) || this.#active.has(runId) || this.#leases.isElsewhere(runId)) continue;
      this.#recoverOne(this.ledger(runId));
      if (continues) this.start(runId, { type: 'resume' });
    }
    if (continues) this.starts.lookAfterAll();
  }

  wake(): void {
    for (const { runner } of this.#active.values()) runner.loop.wake();
    this.starts.wake();
  }

  async whenIdle(runId: string): Promise<ScoreRun> {
    for (;;) {
      const active = this.#active.get(runId);
      if (active !== undefined) await active.ended;
      else if (!(await this.starts.wait(runId))) return this.ledger(runId).view();
    }
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.starts.stop();
    const all = [...this.#active.values()].map(({ runner, ended }) => ({ loop: runner.loop, ended }));
    await stopAll(all, this.#deps.clock, graceMs);
  }

  source(): PlannedSource {
    const { scores } = this.#deps.store;
    return {
      kind: 'scores',
      starts: this.starts,
      list: () =>
        readable(scores.scheduled(), ({ id, startAtMs }) => {
          const { plan, error, counts, expectedItems } = this.ledger(id).view();
          const { evaluator: title, datasetId, datasetName } = plan;
          const of = { id: datasetId, name: datasetName };
          const requests = scoreRequests(counts.unscored || (expectedItems ?? 1));
          return { kind: 'scores', id, title, startAtMs, error, requests, of };
        }),
      control: async (id, action, startAtMs) => {
        const actions = { start: 'resume', schedule: 'schedule', cancel: 'unschedule' } as const;
        this.act(id, actions[action], startAtMs);
      },
    };
  }
}

/** Reading the items takes a request for a page of them; that is small beside a request for each. */
function scoreRequests(count: number): { operation: string; count: number }[] {
  return [{ operation: 'evaluators.score', count }];
}
