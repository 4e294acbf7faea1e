/** A build until it rests, with its receipts. */
import { isIdle } from '../core/jobs/build-job.ts';
import type { Session } from '../engine/session.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { answerBuild, progressText } from './build-answers.ts';
import type { CommandContext } from './context.ts';
import { untilIdle } from './planned-start.ts';

/** Shows progress until the build rests; Ctrl-C pauses it, so that it can be resumed, or leaves it planned. */
export async function followBuild(context: CommandContext, session: Session, buildId: string): Promise<void> {
  const { builds } = session.datasets;
  const stop = context.listen('jobs:changed', ({ job }) => {
    if (job?.kind === 'build' && job.id === buildId) context.output.progress(progressText(job.own));
  });
  try {
    let ended = await untilIdle(context, {
      id: buildId,
      idle: () => builds.whenIdle(buildId),
      now: () => builds.get(buildId),
      isPlanned: ({ startAtMs }) => startAtMs !== null,
      isUnderWay: ({ state }) => !isIdle(state),
      pause: () => builds.control(buildId, 'pause'),
    });
    if (ended.state === 'done' && context.args.flag('verify'))
      ended = await builds.control(buildId, 'verify');
    answerBuild(context, session, ended, await writeReceipts(context, session, ended));
  } finally {
    stop();
  }
}

/** Where they lie; null where nothing was written yet. */
export async function writeReceipts(
  context: CommandContext,
  session: Session,
  build: DatasetBuild,
): Promise<string | null> {
  if (build.counts.acknowledged === 0) return null;
  const path = context.args.text('output') ?? session.receiptsFile(build.buildId);
  await session.datasets.builds.writeFile(build.buildId, 'receipts', path);
  return path;
}
