/** Score runs as a kind of durable job, and a person's actions on them. */

import type { RunEvent } from '../core/jobs/score-run.ts';
import { Jobs } from '../jobs/jobs.ts';
import { USUAL_STEPS } from '../jobs/types.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import { ScoreLedger } from './score-ledger.ts';
import { ScoreRunner } from './score-runner.ts';
import type { DatasetOptions, DatasetsDeps, RunAction } from './types.ts';

type ScoreRunsDeps = DatasetsDeps & { options: DatasetOptions };

export class ScoreRuns {
  readonly #deps: ScoreRunsDeps;
  readonly jobs: Jobs<ScoreLedger>;

  constructor(deps: ScoreRunsDeps) {
    this.#deps = deps;
    const { scoreRuns } = deps.store;
    this.jobs = new Jobs<ScoreLedger>(deps, {
      what: 'score run',
      rows: scoreRuns,
      load: (runId) => new ScoreLedger(deps, scoreRuns.load(runId)),
      run: (ledger) => new ScoreRunner(deps, ledger),
      ...USUAL_STEPS,
    });
  }

  /** Starts a run that was just stored. */
  begin(runId: string): ScoreRun {
    return this.jobs.start(runId, () => undefined).view();
  }

  /** Announces a run that was just stored as planned, so that it is started here at its time. */
  planned(runId: string): ScoreRun {
    this.jobs.starts.changed(runId);
    return this.jobs.ledger(runId).view();
  }

  /** `startAtMs` is only used by `schedule`. */
  act(runId: string, action: RunAction, startAtMs: number | null): ScoreRun {
    const { clock } = this.#deps;
    switch (action) {
      case 'schedule':
        this.#plan(runId, { type: 'schedule', startAtMs, nowMs: clock.nowMs() });
        break;
      case 'unschedule':
        this.#plan(runId, { type: 'unschedule', reason: 'Cancelled.' });
        break;
      case 'pause':
        this.jobs.toHalt(runId).apply([{ type: 'pause', reason: 'Paused.', error: null }]);
        this.jobs.runner(runId)?.loop.wake();
        break;
      case 'resume':
      case 'retry':
        this.jobs.own(runId);
        this.jobs.start(runId, (ledger) => {
          if (action === 'retry') ledger.retryFailed();
          if (ledger.isIdle) ledger.apply([{ type: 'resume' }]);
        });
    }
    return this.planned(runId);
  }

  #plan(runId: string, event: RunEvent): void {
    this.jobs.change(runId, (ledger) => ledger.apply([event]));
  }
}
