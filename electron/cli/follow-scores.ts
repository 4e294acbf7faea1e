/** A score run until it rests, with its scores as CSV. */
import { dirname, join } from 'node:path';
import { isRunIdle } from '../core/jobs/score-run.ts';
import type { Session } from '../engine/session.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import type { CommandContext } from './context.ts';
import { counted, numberText } from './human-text.ts';
import { untilIdle } from './planned-start.ts';

/** Shows progress until the run rests; Ctrl-C pauses it, or leaves it planned. */
export async function followScores(context: CommandContext, session: Session, runId: string): Promise<void> {
  const { scores } = session.datasets;
  const stop = context.listen('jobs:changed', ({ job }) => {
    if (job?.kind !== 'scores' || job.id !== runId) return;
    const run = job.own;
    context.output.progress(
      `${run.state}: ${numberText(run.counts.scored)} of ${counted(run.counts.items, 'item')} scored`,
    );
  });
  try {
    const run = await untilIdle(context, {
      id: runId,
      idle: () => scores.whenIdle(runId),
      now: () => scores.get(runId),
      isPlanned: ({ startAtMs }) => startAtMs !== null,
      isUnderWay: ({ state }) => !isRunIdle(state),
      pause: () => scores.control(runId, 'pause'),
    });
    if (run.startAtMs !== null || !isRunIdle(run.state)) return answer(context, run, null);
    const path =
      context.args.text('output') ?? join(dirname(session.receiptsFile(runId)), `scores-${runId}.csv`);
    await scores.writeFile(runId, path);
    answer(context, run, path);
  } finally {
    stop();
  }
}

function answer(context: CommandContext, run: ScoreRun, scoresFile: string | null): void {
  const { counts, state, reason, runId, scoreNames } = run;
  const startAt = run.startAtMs === null ? null : new Date(run.startAtMs).toISOString();
  context.output.answer({ runId, state, reason, startAt, ...counts, scoreNames, scoresFile }, () => [
    startAt === null ? state : 'starts later',
    `${numberText(counts.scored)} of ${counted(counts.items, 'item')} scored (${scoreNames.join(', ')}), ${numberText(counts.failed)} failed, ${numberText(counts.unscored)} not scored`,
    ...(scoresFile === null ? [] : [`scores: ${scoresFile}`]),
  ]);
  // What is planned for later, or goes on elsewhere, has not failed.
  if (startAt !== null || !isRunIdle(state)) return;
  if (state !== 'done') throw whyNot(run);
  if (counts.failed > 0) {
    throw new AppError(
      'UNPROCESSABLE',
      `${numberText(counts.failed)} of ${counted(counts.items, 'item')} could not be scored; the file gives the reasons.`,
      { nextStep: `Score them again with: scores retry ${runId}` },
    );
  }
}

function whyNot({ state, reason, error, runId }: ScoreRun): AppError {
  const nextStep = `Resume with: scores resume ${runId}`;
  if (error === null) return new AppError('CANCELLED', `The run is ${state}. ${reason}`.trim(), { nextStep });
  const { code, message, details } = fromWire(error);
  return new AppError(code, message, {
    ...details,
    nextStep: `${details.nextStep ?? ''} ${nextStep}`.trim(),
  });
}
