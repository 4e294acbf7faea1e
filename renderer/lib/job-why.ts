/** Why a job waits, rests or failed, in words a person understands. Pure. */
import type { WireError } from '../../electron/shared/errors.ts';
import { isUnreachable } from '../../electron/shared/errors.ts';
import type { Job } from '../../electron/shared/job-contract.ts';
import { startsText } from './schedule.ts';

type Standing = Pick<Job, 'state' | 'reason' | 'error' | 'startAtMs'>;

/** Empty where there is nothing to say. */
export function whyOfJob({ state, reason, error, startAtMs }: Standing): string {
  const waits = state === 'waiting' || startAtMs !== null;
  return (waits ? wayText(error) : null) ?? error?.message ?? reason;
}

/** When it starts; where its time has come and there is no way to the service, what it waits for. */
export function startOfJob(
  { startAtMs, error }: Pick<Standing, 'startAtMs' | 'error'>,
  nowMs: number,
): string {
  if (startAtMs === null) return '';
  return (startAtMs <= nowMs ? wayText(error) : null) ?? startsText(startAtMs, nowMs);
}

/** What it waits for, where that is a way to the service; null where it is something else. */
function wayText(error: WireError | null): string | null {
  if (error?.code === 'OFFLINE') return 'waits until you go online';
  if (error === null || !isUnreachable(error.code)) return null;
  return `waits until the service can be reached (${error.title.toLowerCase()})`;
}
