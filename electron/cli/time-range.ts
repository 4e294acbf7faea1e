/** Time ranges on the command line: lengths before now, and the service's time formats. Pure. */
import { AppError } from '../shared/errors.ts';

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const ZONED = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;
const MAX_MS = 100 * 366 * 86_400_000;

/** `7d`, `12h`, `30m`, `2w`. Throws INVALID_ARGUMENT. */
export function lengthMs(text: string): number {
  const [, count = '', unit = ''] = /^(\d+)([smhdw])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (count !== '' && ms > 0 && ms <= MAX_MS) return ms;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--since expects a length of time such as 30m, 12h, 7d or 2w, got ${text}.`,
  );
}

/** `2026-05-01T00:00:00Z` */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** `2026-05-01 00:00:00` in UTC, the form for event deletions and metric queries; any other text stays unchanged. */
export function plainTimeText(text: string): string {
  const ms = ZONED.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? text : timeText(ms).replace('T', ' ').replace('Z', '');
}
