/** Resumes jobs with a new token that were paused because the old token was refused. */
import type { Logger } from '../core/ports.ts';
import { type ErrorCode, toAppError, type WireError } from '../shared/errors.ts';
import type { Session } from './session.ts';

const REFUSED: readonly ErrorCode[] = ['UNAUTHORIZED', 'NO_TOKEN'];

/**
 * Whether a job was paused because the token was refused. A job that a person paused has no error, and stays paused.
 */
function isHeldBack({ state, error }: { state: string; error: WireError | null }): boolean {
  return state === 'paused' && error !== null && REFUSED.includes(error.code);
}

/**
 * Resumes the uploads, builds, score runs and bulk changes of a session that were paused because a token was refused. A
 * job that cannot be resumed, e.g. because another process is running it, is logged and stays paused. Never throws.
 */
export async function resumeRefused(
  { uploads, datasets, bulk }: Pick<Session, 'uploads' | 'datasets' | 'bulk'>,
  logger: Logger,
): Promise<void> {
  const tryTo = async (work: () => unknown) => {
    try {
      await work();
    } catch (thrown) {
      logger.warn('not resumed with a new token', { reason: toAppError(thrown).message });
    }
  };
  const { builds, scores } = datasets;
  await tryTo(async () => {
    for (const { jobId } of uploads.listJobs().filter(isHeldBack))
      await tryTo(() => uploads.controlJob(jobId, 'resume'));
  });
  await tryTo(async () => {
    for (const { buildId } of builds.list().filter(isHeldBack))
      await tryTo(() => builds.control(buildId, 'resume'));
  });
  await tryTo(async () => {
    for (const { runId } of scores.list(null).filter(isHeldBack))
      await tryTo(() => scores.control(runId, 'resume'));
  });
  await tryTo(async () => {
    for (const { bulkId } of bulk.list().filter(isHeldBack))
      await tryTo(() => bulk.control(bulkId, 'resume', null));
  });
}
