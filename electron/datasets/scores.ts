/** Score runs of one connection. */

import { createCheck } from '../core/items/score-check.ts';
import { futureStart } from '../core/jobs/start-plan.ts';
import type { ItemScores, StoredScoreItem, StoredScoreRun } from '../db/build-store.ts';
import { removableJob } from '../jobs/free-job.ts';
import type { JobSource } from '../jobs/source.ts';
import { cutText } from '../shared/cut-text.ts';
import { delimitedLine } from '../shared/delimited.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { checkName } from '../shared/score-check.ts';
import type { ScorePlan, ScoreResult, ScoreStart } from '../shared/score-model.ts';
import { freeRunName, runName } from '../shared/score-names.ts';
import { tracesOf } from './item-traces.ts';
import { scoreSource } from './job-sources.ts';
import type { ScoreLedger } from './score-ledger.ts';
import { writeScoreResults } from './score-results-file.ts';
import { resultsMissing } from './score-runner.ts';
import { ScoreRuns } from './score-runs.ts';
import type { DatasetOptions, DatasetsDeps, Scores } from './types.ts';

type ScoresDeps = DatasetsDeps & {
  options: DatasetOptions;
  /** Deletes the rows of removed runs in the background. */
  tidyUp: () => void;
};

const AT_ONCE: ScoreStart = { startAtMs: null, expectedItems: null };

interface Scoring {
  scores: Scores;
  source: JobSource<'scores'>;
  recover(continues: boolean): void;
  wake(): void;
  stop(graceMs: number): Promise<void>;
}

export function createScores(deps: ScoresDeps): Scoring {
  const { store, clock, random } = deps;
  const runs = new ScoreRuns(deps);
  const scores: Scores = {
    start: ({ itemIds, ...asked }, { startAtMs, expectedItems } = AT_ONCE) => {
      const taken = store.scoreRuns
        .list({ subject: asked.datasetId })
        .map(({ plan: other }) => runName(other));
      const { check, inputs } = asked;
      checkSource(deps, asked, itemIds);
      // Reports an invalid check before anything is stored.
      if (check !== undefined)
        createCheck(
          check,
          inputs.map(({ input }) => input),
        );
      const evaluator = check === undefined ? asked.evaluator : checkName(check);
      const plan = { ...asked, evaluator, name: freeRunName(runName({ ...asked, evaluator }), taken) };
      const runId = random.uuid();
      const nowMs = clock.nowMs();
      const run: StoredScoreRun = {
        ...{ id: runId, plan, reason: '', error: null, readOffset: 0, lateStart: null, endedAtMs: null },
        wantsAll: itemIds === null,
        expectedItems: itemIds?.length ?? expectedItems,
        state: startAtMs === null ? 'reading' : 'paused',
        startAtMs: startAtMs === null ? null : futureStart(startAtMs, nowMs),
        createdAtMs: nowMs,
      };
      store.commit(() => {
        store.scoreRuns.create(run);
        if (itemIds !== null) store.scores.want(runId, [...new Set(itemIds)]);
      });
      if (startAtMs === null) return runs.begin(runId);
      return runs.planned(runId);
    },
    create: async (plan, start) => {
      await deps.checkRead?.([plan.datasetId]);
      return scores.start(plan, start);
    },
    list: (subject) => store.scoreRuns.list({ subject }).map(({ id }) => runs.jobs.ledger(id).view()),
    get: (runId) => runs.jobs.ledger(runId).view(),
    control: (runId, action, startAtMs = null) => runs.act(runId, action, startAtMs),
    forget: (runId) => {
      const ledger = removableJob(runs.jobs, runId);
      store.commit(() => {
        ledger.checkOwn();
        store.scoreRuns.forget(runId);
      });
      runs.jobs.starts.look();
      deps.tidyUp();
      deps.forgetCompared({ kind: 'scores', id: runId }).catch((problem: unknown) => {
        deps.logger.warn('columns of a removed run not deleted', { reason: toAppError(problem).message });
      });
    },
    listResults: (runId, { show, offset, limit }) => {
      const states = show === 'all' ? null : [show];
      const { evaluator } = runs.jobs.ledger(runId).stored.plan;
      const items = store.scores.page(runId, states, offset, limit);
      return {
        results: fitting(items.map((item) => resultOf({ ...item, runId, evaluator }))),
        total: store.scores.count(runId, states),
      };
    },
    *results(runId, state) {
      const { evaluator } = runs.jobs.ledger(runId).stored.plan;
      for (const item of eachItem(store, runId, state === null ? null : [state]))
        yield resultOf({ ...item, runId, evaluator });
    },
    ofItems: (datasetId, itemIds) => withShortReasons(store.scores.ofItems(datasetId, itemIds).map(resultOf)),
    tracesOf: (datasetId) => tracesOf(store, clock, datasetId),
    writeResults: (runId, path) =>
      writeScoreResults(deps, runs.jobs.ledger(runId).stored, eachItem(store, runId, null), path),
    writeFile: (runId, path) => writeScores(deps, runs.jobs.ledger(runId), path),
    whenIdle: async (runId) => (await runs.jobs.whenOver(runId)).view(),
  };
  return {
    scores,
    source: scoreSource(scores, runs.jobs),
    recover: (continues) => runs.jobs.recover(continues),
    wake: () => runs.jobs.wake(),
    stop: (graceMs) => runs.jobs.stop(graceMs),
  };
}

/** Throws INVALID_ARGUMENT, and NOT_STORED if the results are not stored here. */
function checkSource(
  { readResultsHere }: ScoresDeps,
  { experiment, check, inputs }: Omit<ScorePlan, 'itemIds'>,
  itemIds: ScorePlan['itemIds'],
): void {
  const usesOutputs = inputs.some(({ from }) => from.kind === 'field' && from.bucket === 'outputs');
  if (experiment === undefined) {
    if (!usesOutputs) return;
    throw new AppError('INVALID_ARGUMENT', 'Items of a dataset have no outputs. Choose an experiment.');
  }
  if (check === undefined || itemIds !== null)
    throw new AppError('INVALID_ARGUMENT', 'Expected a check over all results of the experiment.');
  if (readResultsHere(experiment.id) === null) throw resultsMissing(experiment.name);
}

function resultOf({ itemId, runId, evaluator, state, scores, error, atMs }: ItemScores): ScoreResult {
  return { itemId, runId, evaluator, state, scores, error, atMs };
}

/** Approximate message limit in characters. */
const PAGE_CHARACTERS = 90_000;
/** Maximum length of a reasoning shown next to an item. */
const SHORT_REASON = 300;

/** Returns as many results as fit into a message, at least one. The rest is requested after the last one. */
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

/** Returns every result. If they exceed a message, reasonings are shortened. */
function withShortReasons(results: ScoreResult[]): ScoreResult[] {
  if (JSON.stringify(results).length <= PAGE_CHARACTERS) return results;
  const cut = (text: string | null) => (text === null ? null : cutText(text, SHORT_REASON));
  return results.map((result) => ({
    ...result,
    scores: result.scores.map((score) => ({ ...score, reasoning: cut(score.reasoning) })),
  }));
}

const SLICE = 500;

function* eachItem(
  store: ScoresDeps['store'],
  runId: string,
  states: readonly ScoreResult['state'][] | null,
): Generator<StoredScoreItem> {
  for (let offset = 0; ; offset += SLICE) {
    const items = store.scores.page(runId, states, offset, SLICE);
    yield* items;
    if (items.length < SLICE) return;
  }
}

/** One line for each item, with a column for each score; returns the number of lines. */
async function writeScores(
  { store, writeFile }: ScoresDeps,
  ledger: ScoreLedger,
  path: string,
): Promise<{ rows: number }> {
  const { id: runId } = ledger;
  const names = ledger.view().scoreNames;
  const count = { rows: 0 };
  function* lines(): Generator<string> {
    yield delimitedLine([
      'item_id',
      'state',
      ...names.flatMap((name) => [name, `${name} label`, `${name} reasoning`]),
      'error',
    ]);
    for (const item of eachItem(store, runId, null)) {
      count.rows += 1;
      yield scoreLine(item, names);
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
