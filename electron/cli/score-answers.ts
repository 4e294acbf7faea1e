/** The command line's output about a score run, with its scores as CSV. */
import { dirname, join } from 'node:path';
import { isRunIdle } from '../core/jobs/score-run.ts';
import { AppError, fromWire, type WireError } from '../shared/errors.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import type { CommandContext } from './context.ts';
import type { Followed } from './follow.ts';
import { counted, numberText } from './human-text.ts';
import { statusOf } from './refusal.ts';
import { besideAnswer } from './result-file.ts';

/** Shows progress until the run stops, and writes its scores. Ctrl-C pauses the run; a planned one stays planned. */
export const SCORES: Followed<'scores'> = {
  kind: 'scores',
  word: 'scores',
  stays: (id) => `It is kept: scores resume ${id}`,
  isReading: true,
  onInterrupt: 'pause',
  hear:
    ({ output }) =>
    ({ state, counts }) =>
      output.progress(`${state}: ${numberText(counts.scored)} of ${counted(counts.items, 'item')} scored`),
  answer: async (context, session, run) => {
    if (run.startAtMs !== null || !isRunIdle(run.state)) return answer(context, run, null, null);
    const folder = dirname(session.receiptsFile(run.runId));
    const path = context.args.text('output') ?? join(folder, `scores-${run.runId}.csv`);
    const write = async () => {
      await session.datasets.scores.writeFile(run.runId, path);
      return path;
    };
    const { file, failure } = await besideAnswer(write, null);
    const [failed] = session.datasets.scores.listResults(run.runId, {
      show: 'failed',
      offset: 0,
      limit: 1,
    }).results;
    answer(context, run, file, failed?.error ?? null);
    if (failure !== null) throw failure;
  },
};

/** Prints the result. `failure`: why the first item without a score has none. */
function answer(
  context: CommandContext,
  run: ScoreRun,
  scoresFile: string | null,
  failure: WireError | null,
): void {
  const { counts, state, reason, runId, name, scoreNames } = run;
  const startAt = run.startAtMs === null ? null : new Date(run.startAtMs).toISOString();
  const { nothingExpected = 0 } = run;
  const facts = { runId, name, state, reason, startAt, ...counts, nothingExpected };
  context.output.answer({ ...facts, scoreNames, scoresFile }, () => [
    startAt === null ? state : 'starts later',
    `${numberText(counts.scored)} of ${counted(counts.items, 'item')} scored (${scoreNames.join(', ')}), ${skippedText(run)}, ${numberText(counts.failed)} failed, ${numberText(counts.unscored)} not scored`,
    ...(scoresFile === null ? [] : [`scores: ${scoresFile}`]),
  ]);
  // A run that is planned, or that continues in another process, has not failed.
  if (startAt !== null || !isRunIdle(state)) return;
  if (state !== 'done') throw failureOf(run);
  if (counts.skipped > 0 && counts.skipped === counts.items && nothingExpected > 0)
    throw new AppError(
      'INVALID_ARGUMENT',
      `The expected value of ${counted(nothingExpected, 'item')} is empty: nothing was scored.`,
      { nextStep: 'Choose a field that has the expected value: schema lists them.' },
    );
  if (counts.skipped > 0 && counts.skipped === counts.items) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `No item has the fields ${fieldsOf(run).join(', ')}: nothing was scored.`,
      { nextStep: 'Choose fields that the items have: schema lists them.' },
    );
  }
  if (counts.failed > 0) {
    throw new AppError(
      'UNPROCESSABLE',
      `${numberText(counts.failed)} of ${counted(counts.items, 'item')} could not be scored; the file gives the reasons.`,
      { nextStep: `Score them again with: scores retry ${runId}`, ...statusOf(failure) },
    );
  }
}

/** Example: `3 skipped without the field, 2 skipped because nothing is expected`. */
function skippedText({ counts, plan, nothingExpected = 0 }: ScoreRun): string {
  const lacking = `${numberText(counts.skipped - nothingExpected)} skipped without ${plan.experiment === undefined ? 'the field' : 'an output to check'}`;
  if (nothingExpected === 0) return lacking;
  return `${lacking}, ${numberText(nothingExpected)} skipped because nothing is expected`;
}

function fieldsOf({ plan }: ScoreRun): string[] {
  return plan.inputs.flatMap(({ from }) => (from.kind === 'field' ? [`${from.bucket}.${from.field}`] : []));
}

function failureOf({ state, reason, error, runId }: ScoreRun): AppError {
  const nextStep = `Resume with: scores resume ${runId}`;
  if (error === null) return new AppError('CANCELLED', `The run is ${state}. ${reason}`.trim(), { nextStep });
  const { code, message, details } = fromWire(error);
  return new AppError(code, message, {
    ...details,
    nextStep: `${details.nextStep ?? ''} ${nextStep}`.trim(),
  });
}
