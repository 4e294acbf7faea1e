/** Whether a reading for offline use ends before a time. Pure. */
import { counted } from './count-text.ts';
import type { KeepSync } from './keep-model.ts';

const MINUTE_MS = 60_000;

/**
 * Length of time in words, e.g. `less than a minute`, `12 min`, `2 h 5 min`. Rounded up, because a late end is worse
 * than an early one.
 */
function lengthText(ms: number): string {
  if (ms < MINUTE_MS) return 'less than a minute';
  const minutes = Math.ceil(ms / MINUTE_MS);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes} min`;
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

const syncLengthMs = ({ byLimitsMs, lastMs }: KeepSync): number => Math.max(byLimitsMs, lastMs ?? 0);

/**
 * Whether a reading that starts at `nowMs` ends before `byMs` (wall times), with the reasons in words. `timeText`
 * writes a wall time.
 */
export function readyBy(
  sync: KeepSync,
  { byMs, nowMs }: { byMs: number; nowMs: number },
  timeText: (ms: number) => string,
): { isReady: boolean; endMs: number; text: string } {
  const lengthMs = syncLengthMs(sync);
  const endMs = nowMs + lengthMs;
  const isReady = endMs <= byMs;
  const distance = lengthText(Math.abs(byMs - endMs));
  const basis =
    sync.lastMs === null
      ? 'by the limits alone: no reading has ended yet'
      : sync.lastMs >= sync.byLimitsMs
        ? 'as long as the last reading'
        : 'by the limits of the service';
  const requests = counted(sync.requests, 'request');
  return {
    isReady,
    endMs,
    text: `${isReady ? 'Yes' : 'No'}: begun now, it takes ${lengthMs < MINUTE_MS ? '' : 'about '}${lengthText(lengthMs)} for ${requests} (${basis}) and ends at ${timeText(endMs)}, ${distance} ${isReady ? 'before' : 'too late'}.`,
  };
}
