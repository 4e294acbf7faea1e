/** The reason why a job is waiting, paused or failed, in plain words. Pure. */
import type { WireError } from '../../electron/shared/errors.ts';
import { isUnreachable } from '../../electron/shared/errors.ts';
import type { Job } from '../../electron/shared/job-contract.ts';
import { shownRepeat } from './repeat-choice.ts';
import { startsText } from './schedule.ts';

type Standing = Pick<Job, 'state' | 'reason' | 'error' | 'startAtMs' | 'repeat'>;

/** The reason of the job's state; empty if there is nothing to show. */
export function jobReason({ state, reason, error, startAtMs }: Standing): string {
  const waits = state === 'waiting' || startAtMs !== null;
  return (waits ? connectionText(error) : null) ?? error?.message ?? reason;
}

/** Until when a planned change of many records that is due is not started, as a phrase; empty if it is not due. */
export const obstacleOf = (
  { kind, startAtMs, reason }: Pick<Job, 'kind' | 'startAtMs' | 'reason'>,
  nowMs: number,
): string => (kind === 'bulk' && startAtMs !== null && startAtMs <= nowMs ? reason : '');

/**
 * The start time of a job. Once that time has passed, states whether the job waits for the service or for the computer.
 * `held`: why it waits for the computer, and until when; empty if it does not.
 */
export function startOfJob(
  { startAtMs, error, repeat = null }: Pick<Standing, 'startAtMs' | 'error' | 'repeat'>,
  nowMs: number,
  held = '',
): string {
  if (startAtMs === null)
    return repeat === null || repeat.isPaused ? '' : `starts ${shownRepeat(repeat.rule)}`;
  const starts =
    held !== ''
      ? `postponed: ${held}`
      : ((startAtMs <= nowMs ? connectionText(error) : null) ?? startsText(startAtMs, nowMs));
  return repeat === null || repeat.isPaused ? starts : `${starts}, then ${shownRepeat(repeat.rule)}`;
}

/** The connection problem that the job is waiting for; null if it waits for another reason. */
function connectionText(error: WireError | null): string | null {
  if (error?.code === 'OFFLINE') return 'waits until you go online';
  if (error === null || !isUnreachable(error.code)) return null;
  return `waits until the service can be reached (${error.title.toLowerCase()})`;
}
