/** `scores`: lists score runs, and acts on one. */
import { resolve } from 'node:path';
import type { Scores } from '../datasets/types.ts';
import { AppError } from '../shared/errors.ts';
import type { RunRef } from '../shared/run-comparison.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import { byId, byIdOrOnly, chosenAction } from './choose.ts';
import { COMPARE_FLAGS, compareRuns } from './compare-runs-command.ts';
import { checkForgetting } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { noteDamaged } from './damaged-notes.ts';
import { follow } from './follow.ts';
import { counted, readable } from './human-text.ts';
import { tableOr } from './output.ts';
import { fileFormat } from './row-files.ts';
import { SCORES } from './score-answers.ts';
import { quotedForShell } from './terminal-text.ts';

const ACTIONS = {
  results: ['output'],
  resume: ['output'],
  retry: ['output'],
  compare: COMPARE_FLAGS,
  forget: ['yes'],
};

/**
 * Runs `scores`, `scores resume ID`, `scores retry ID` (scores failed items again), `scores compare ID ID [ID ID]` and
 * `scores forget ID`.
 */
export async function scores(context: CommandContext): Promise<void> {
  const [, given] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const session = await context.session();
  const runs = session.datasets.scores;
  const all = runs.list(null);
  if (action === undefined) {
    noteDamaged(context, session, 'score');
    return list(context, all);
  }
  if (action === 'compare') {
    const choice = { all, idOf: ({ runId }: ScoreRun) => runId, what: 'score run', listedBy: 'scores' };
    const runOf = (typed: string): Promise<RunRef> =>
      Promise.resolve({ kind: 'scores', id: byId(context, typed, choice).runId });
    return compareRuns(context, { given: context.args.positionals.slice(1), what: 'score runs', runOf });
  }
  const fits = action === 'resume' ? all.filter(({ state }) => state !== 'done') : all;
  const choice = { all, idOf: ({ runId }: ScoreRun) => runId, what: 'score run', fits };
  const { runId, plan } = byIdOrOnly(context, [action, given], choice);
  await session.jobs.whenJudged('scores', runId);
  if (action === 'forget') {
    checkForgetting(context, `the scores by ${plan.evaluator} of ${plan.datasetName}`);
    runs.forget(runId);
    return context.output.answer({ runId }, () => [
      `Forgotten: the scores by ${plan.evaluator} of ${plan.datasetName}.`,
    ]);
  }
  if (action === 'results') return writeResults(context, runs, runId);
  if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. Nothing was sent.');
  runs.control(runId, action);
  await follow(context, session, SCORES, runId);
}

/** Writes the scores as results of an experiment. */
async function writeResults({ args, output }: CommandContext, runs: Scores, runId: string): Promise<void> {
  const path = args.text('output');
  if (path === null)
    throw new AppError('INVALID_ARGUMENT', 'scores results expects --output FILE, a .jsonl file.');
  fileFormat(path, ['jsonl']);
  const { name, plan } = runs.get(runId);
  const { rows, notes } = await runs.writeResults(runId, resolve(path));
  const target = plan.experiment === undefined ? 'EXPERIMENT' : quotedForShell(plan.experiment.name);
  const what = plan.experiment === undefined ? 'sends them' : 'adds them to its results';
  output.answer({ runId, file: resolve(path), rows, notes }, () => [
    `Wrote ${counted(rows, 'result')} of ${name} to ${path}: experiments upload ${target} ${path} ${what}.`,
    ...notes,
  ]);
}

function list({ output }: CommandContext, runs: readonly ScoreRun[]): void {
  const items = runs.map(({ runId, name, plan, state, reason, counts, startAtMs }) => ({
    id: runId,
    dataset: plan.datasetName,
    name,
    evaluator: plan.evaluator,
    state,
    ...counts,
    startAt: startAtMs === null ? null : new Date(startAtMs).toISOString(),
    reason,
  }));
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    tableOr('No score runs on this connection. Start one with: score-items', items.map(readable), [
      'id',
      'dataset',
      'name',
      'state',
      'items',
      'scored',
      'skipped',
      'failed',
      'unscored',
    ]),
  );
}
