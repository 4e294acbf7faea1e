/** Score runs of one connection, behind the channels `scores:*`. */
import { delimitedLine } from '../core/delimited-line.ts';
import { LeaseKeeper } from '../core/lease.ts';
import { isRunIdle } from '../core/score-run.ts';
import type { ItemScores, StoredScoreItem } from '../db/build-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { ScoreResult, ScoreRun } from '../shared/score-model.ts';
import { ScoreLedger } from './score-ledger.ts';
import { ScoreRunner } from './score-runner.ts';
import type { DatasetOptions, DatasetsDeps, Scores } from './types.ts';

export type ScoresDeps = DatasetsDeps & {
  options: DatasetOptions;
  /** Deletes what was forgotten, in the background. */
  tidyUp: () => void;
};

export interface Scoring {
  scores: Scores;
  recover(continues: boolean): void;
  wake(): void;
  stop(graceMs: number): Promise<void>;
}

interface Active {
  ledger: ScoreLedger;
  runner: ScoreRunner;
  ended: Promise<void>;
}

export function createScores(deps: ScoresDeps): Scoring {
  const { store, clock, random } = deps;
  const runs = new ScoreRuns(deps);
  return {
    scores: {
      start: ({ itemIds, ...plan }) => {
        const runId = random.uuid();
        store.commit(() => {
          const run = { runId, plan, reason: '', error: null, createdAtMs: clock.nowMs(), endedAtMs: null };
          store.scores.create({ ...run, state: 'reading', readOffset: 0 }, itemIds === null);
          if (itemIds !== null) store.scores.want(runId, [...new Set(itemIds)]);
        });
        return runs.start(runId, null);
      },
      list: (datasetId) => store.scores.list(datasetId).map(({ runId }) => runs.ledger(runId).view()),
      get: (runId) => runs.ledger(runId).view(),
      control: (runId, action) => runs.control(runId, action),
      forget: (runId) => {
        runs.checkIdle(runId);
        store.commit(() => store.scores.forget(runId));
        deps.tidyUp();
      },
      listResults: (runId, { show, offset, limit }) => {
        const states = show === 'all' ? null : [show];
        const { evaluator } = runs.ledger(runId).run.plan;
        const items = store.scores.page(runId, states, offset, limit);
        return {
          results: fitting(items.map((item) => resultOf({ ...item, runId, evaluator }))),
          total: store.scores.count(runId, states),
        };
      },
      ofItems: (datasetId, itemIds) =>
        withShortReasons(store.scores.ofItems(datasetId, itemIds).map(resultOf)),
      writeFile: (runId, path) => writeScores(deps, runs.ledger(runId), path),
      whenIdle: (runId) => runs.whenIdle(runId),
    },
    recover: (continues) => runs.recover(continues),
    wake: () => runs.wake(),
    stop: (graceMs) => runs.stop(graceMs),
  };
}

function resultOf({ itemId, runId, evaluator, state, scores, error, atMs }: ItemScores): ScoreResult {
  return { itemId, runId, evaluator, state, scores, error, atMs };
}

/** A message carries about this much. */
const PAGE_CHARACTERS = 90_000;
/** Beside an item only the beginning of a long reasoning is seen. */
const SHORT_REASON = 300;

/** As many as fit into a message, one at least; the rest is asked for after the last one. */
function fitting(results: readonly ScoreResult[]): ScoreResult[] {
  const kept: ScoreResult[] = [];
  let characters = 0;
  for (const result of results) {
    characters += JSON.stringify(result).length;
    if (kept.length > 0 && characters > PAGE_CHARACTERS) break;
    kept.push(result);
  }
  return kept;
}

/** Every result; where they are too much for a message, reasonings are cut. */
function withShortReasons(results: ScoreResult[]): ScoreResult[] {
  if (JSON.stringify(results).length <= PAGE_CHARACTERS) return results;
  const cut = (text: string | null) =>
    text !== null && text.length > SHORT_REASON ? `${text.slice(0, SHORT_REASON)}…` : text;
  return results.map((result) => ({
    ...result,
    scores: result.scores.map((score) => ({ ...score, reasoning: cut(score.reasoning) })),
  }));
}

class ScoreRuns {
  readonly #deps: ScoresDeps;
  readonly #leases: LeaseKeeper;
  readonly #active = new Map<string, Active>();
  #isStopping = false;

  constructor(deps: ScoresDeps) {
    this.#deps = deps;
    const owner = deps.random.uuid();
    this.#leases = new LeaseKeeper({ ...deps, table: deps.store.scoreLeases, what: 'score run', owner });
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
  start(runId: string, event: 'resume' | null): ScoreRun {
    const ledger = this.ledger(runId);
    const runner: { now: ScoreRunner | null } = { now: null };
    const release = this.#leases.take(runId, () => runner.now?.loop.abort());
    try {
      if (event !== null) ledger.apply([{ type: event }]);
    } catch (problem) {
      release();
      throw problem;
    }
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

  control(runId: string, action: 'pause' | 'resume' | 'retry'): ScoreRun {
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
    return this.start(runId, 'resume');
  }

  #recoverOne(ledger: ScoreLedger): void {
    if (!isRunIdle(ledger.run.state)) ledger.apply([{ type: 'interrupt' }]);
  }

  recover(continues: boolean): void {
    for (const { runId, state } of this.#deps.store.scores.list(null)) {
      if (isRunIdle(state) || this.#active.has(runId) || this.#leases.isElsewhere(runId)) continue;
      this.#recoverOne(this.ledger(runId));
      if (continues) this.start(runId, 'resume');
    }
  }

  wake(): void {
    for (const { runner } of this.#active.values()) runner.loop.wake();
  }

  async whenIdle(runId: string): Promise<ScoreRun> {
    for (let active = this.#active.get(runId); active !== undefined; active = this.#active.get(runId)) {
      await active.ended;
    }
    return this.ledger(runId).view();
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const all = [...this.#active.values()];
    for (const { runner } of all) runner.loop.stop();
    const cancel = this.#deps.clock.setTimer(() => {
      for (const { runner } of all) runner.loop.abort();
    }, graceMs);
    await Promise.all(all.map(({ ended }) => ended));
    cancel();
  }
}

const SLICE = 500;

/** One line for each item, a column for each score; answers the lines. */
async function writeScores(
  { store, writeFile }: ScoresDeps,
  ledger: ScoreLedger,
  path: string,
): Promise<{ rows: number }> {
  const { runId } = ledger.run;
  const names = ledger.view().scoreNames;
  const count = { rows: 0 };
  async function* lines(): AsyncGenerator<string> {
    yield delimitedLine([
      'item_id',
      'state',
      ...names.flatMap((name) => [name, `${name} label`, `${name} reasoning`]),
      'error',
    ]);
    for (let offset = 0; ; offset += SLICE) {
      const items = store.scores.page(runId, null, offset, SLICE);
      for (const item of items) {
        count.rows += 1;
        yield scoreLine(item, names);
      }
      if (items.length < SLICE) return;
    }
  }
  await writeFile(path, lines());
  return count;
}

function scoreLine({ itemId, state, scores, error }: StoredScoreItem, names: readonly string[]): string {
  const cells = names.flatMap((name) => {
    const score = scores.find((candidate) => candidate.name === name);
    const value = score?.value ?? null;
    return [value === null ? '' : String(value), score?.label ?? '', score?.reasoning ?? ''];
  });
  return delimitedLine([itemId, state, ...cells, error?.message ?? '']);
}
