/**
 * Writes the scores of a run as results of an experiment (SERVICE.md F10.2), as JSON Lines that can be uploaded. If the
 * run checked results of an experiment, each line is a stored result with only its new score, and the upload adds this
 * score to the checked experiment.
 */
import { resultAt } from '../core/items/check-results.ts';
import { createCheck, isUnchecked } from '../core/items/score-check.ts';
import type { StoredScoreItem, StoredScoreRun } from '../db/build-store.ts';
import { counted } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import { writeExact } from '../shared/exact-json.ts';
import { type ExperimentResult, readResult } from '../shared/experiment-result.ts';
import type { ScoreValue } from '../shared/score-model.ts';
import { resultsMissing } from './score-runner.ts';
import type { DatasetsDeps } from './types.ts';

type Deps = Pick<DatasetsDeps, 'store' | 'readResultsHere' | 'writeFile'>;

interface WrittenResults {
  rows: number;
  /** Sentences about missing parts of the file. */
  notes: string[];
}

/**
 * Throws NOT_STORED if the checked results are not stored completely any more, and INVALID_ARGUMENT if there is no
 * score.
 */
export async function writeScoreResults(
  deps: Deps,
  run: StoredScoreRun,
  items: Iterable<StoredScoreItem>,
  path: string,
): Promise<WrittenResults> {
  if (deps.store.scores.count(run.id, ['scored']) === 0)
    throw new AppError('INVALID_ARGUMENT', 'Expected a run with scores, but no item of it is scored.');
  return run.plan.experiment === undefined
    ? writeNewResults(deps, run, items, path)
    : addToResults(deps, run, run.plan.experiment, path);
}

async function writeNewResults(
  { writeFile }: Deps,
  { plan }: StoredScoreRun,
  items: Iterable<StoredScoreItem>,
  path: string,
): Promise<WrittenResults> {
  const count = { rows: 0, unscored: 0 };
  const judged = new Set(plan.inputs.flatMap(({ input, from }) => (from.kind === 'field' ? [input] : [])));
  function* lines(): Generator<string> {
    for (const { itemId, inputs, state, scores, error, atMs } of items) {
      if (state === 'unscored') {
        count.unscored += 1;
        continue;
      }
      count.rows += 1;
      const given = Object.entries(inputs ?? {}).filter(([name]) => judged.has(name));
      yield `${writeExact({
        dataset_item_id: itemId,
        outputs: Object.fromEntries(given),
        status: state === 'scored' ? 'SUCCESS' : state === 'failed' ? 'FAILED' : 'SKIPPED',
        ...(atMs === null ? {} : { timestamp: new Date(atMs).toISOString() }),
        ...(error === null ? {} : { error_reason: error.code, error_message: error.message }),
        scores: scores.map((score) => namedScore(plan.evaluator, score)),
      })}\n`;
    }
  }
  await writeFile(path, lines());
  const { rows, unscored } = count;
  return { rows, notes: unscored === 0 ? [] : [`${counted(unscored, 'item')} not scored yet.`] };
}

const namedScore = (evaluator: string, score: ScoreValue) => ({ evaluator_name: evaluator, ...score });

/** The fields of a stored result that an upload must repeat to add scores to it. */
export function sameResult(result: ExperimentResult): Record<string, unknown> {
  const { itemId, datasetItemId, outputs, status, durationMs, timestamp } = result;
  return {
    ...{ experiment_item_id: itemId, dataset_item_id: datasetItemId, outputs: outputs ?? {} },
    status: status === '' ? 'SUCCESS' : status,
    ...(durationMs === null ? {} : { duration_ms: durationMs }),
    ...(timestamp === null ? {} : { timestamp }),
  };
}

async function addToResults(
  { store, readResultsHere, writeFile }: Deps,
  { id: runId, plan }: StoredScoreRun,
  experiment: { id: string; name: string },
  path: string,
): Promise<WrittenResults> {
  const stored = readResultsHere(experiment.id);
  const { check } = plan;
  if (stored === null || check === undefined) throw resultsMissing(experiment.name);
  const names = plan.inputs.map(({ input }) => input);
  const scoreOf = createCheck(check, names);
  const count = { rows: 0, unchecked: 0 };
  /** The score of one result; null if the run did not check it. */
  const scoreOfResult = ({ resultIds, inputs, state, scores }: StoredScoreItem, resultId: string) => {
    const at = resultIds?.indexOf(resultId) ?? -1;
    if (state !== 'scored' || inputs === null || at < 0) return null;
    if (resultIds?.length === 1) return scores[0] ?? null;
    const own = scoreOf(resultAt(inputs, at));
    return isUnchecked(own) ? null : own;
  };
  async function* lines(results: AsyncIterable<Record<string, unknown>[]>): AsyncGenerator<string> {
    for await (const records of results) {
      const read = records.map(readResult);
      const ids = new Set(read.map(({ datasetItemId }) => datasetItemId));
      const checked = new Map(store.scores.itemsOf(runId, [...ids]).map((item) => [item.itemId, item]));
      for (const result of read) {
        const item = checked.get(result.datasetItemId);
        const score = item === undefined || result.itemId === '' ? null : scoreOfResult(item, result.itemId);
        if (score === null) {
          count.unchecked += 1;
          continue;
        }
        count.rows += 1;
        yield `${writeExact({
          ...{ experiment_id: experiment.id, ...sameResult(result) },
          scores: [namedScore(plan.evaluator, score)],
        })}\n`;
      }
    }
  }
  await writeFile(path, lines(stored));
  const { rows, unchecked } = count;
  return {
    rows,
    notes: unchecked === 0 ? [] : [`${counted(unchecked, 'result')} not checked, so without a score.`],
  };
}
