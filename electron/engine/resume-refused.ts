/** Resumes jobs with a new token that were paused because the old token was refused. */
import type { Logger } from '../core/ports.ts';
import { isTokenRefused, toAppError } from '../shared/errors.ts';
import { JOB_KINDS, type Job, type JobKindId } from '../shared/job-contract.ts';
import type { JobAction } from '../shared/job-kinds/job-kind.ts';
import type { Session } from './session.ts';

/**
 * Actions by which a person continues jobs of a kind. A change in the outbox is sent only by a person's own action on
 * it.
 */
const CONTINUED: ReadonlyMap<JobKindId, 'resume' | 'retry'> = new Map([
  ...Object.values(JOB_KINDS)
    .filter(({ actions }: { actions: readonly JobAction[] }) => actions.includes('resume'))
    .map(({ id }) => [id, 'resume'] as const),
  // A file is sent from its beginning, or is only published if the service has it.
  ['file', 'retry'] as const,
]);

/**
 * Whether a job was paused because the token was refused. A job that a person paused has no error, and stays paused; one
 * that a person planned waits for its start.
 */
const isHeldBack = ({ error, startAtMs }: Job): boolean =>
  startAtMs === null && error !== null && isTokenRefused(error);

/**
 * Resumes the jobs of every kind in a session that were paused because a token was refused. A job that cannot be
 * resumed, e.g. because another process is running it, is logged and stays paused. Never throws.
 */
export async function resumeRefused({ jobs }: Pick<Session, 'jobs'>, logger: Logger): Promise<void> {
  const warn = (reason: string) => logger.warn('not resumed with a new token', { reason });
  try {
    const paused = { kinds: [...CONTINUED.keys()], states: ['paused' as const], search: null };
    const page = jobs.list({ ...paused, offset: 0, limit: Number.MAX_SAFE_INTEGER });
    for (const { error } of page.failures) warn(error.message);
    for (const { kind, id } of page.jobs.filter(isHeldBack)) {
      try {
        await jobs.control(kind, id, CONTINUED.get(kind) ?? 'resume', null);
      } catch (thrown) {
        warn(toAppError(thrown).message);
      }
    }
  } catch (thrown) {
    warn(toAppError(thrown).message);
  }
}
