/** The limit categories of SERVICE.md S8, as data. These are defaults; a deployment may override or disable each. */
export interface LimitWindow {
  /** At most `count` requests in any interval of `lengthMs`. */
  count: number;
  lengthMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/**
 * The longest plausible wait: a day for the daily limits, plus an hour for a possible penalty. Afterwards one request
 * is sent, and its answer shows whether to keep waiting.
 */
export const MAX_WAIT_MS = DAY_MS + 60 * MINUTE_MS;

export const LIMIT_CATEGORIES = {
  'metadata-read': {
    title: 'Metadata read',
    windows: [
      { count: 30, lengthMs: SECOND_MS },
      { count: 1_000, lengthMs: MINUTE_MS },
    ],
  },
  'metadata-write': {
    title: 'Metadata write',
    windows: [
      { count: 10, lengthMs: SECOND_MS },
      { count: 300, lengthMs: MINUTE_MS },
    ],
  },
  'spans-query': {
    title: 'Span query',
    windows: [
      { count: 10, lengthMs: SECOND_MS },
      { count: 120, lengthMs: MINUTE_MS },
    ],
  },
  'event-deletion': { title: 'Event deletion', windows: [{ count: 30, lengthMs: DAY_MS }] },
  'genai-deletion': {
    title: 'Trace and session deletion',
    windows: [
      { count: 5, lengthMs: SECOND_MS },
      { count: 100, lengthMs: DAY_MS },
    ],
  },
  /** Endpoints without a limit in SERVICE.md S8. The scheduler starts cautiously and adapts. */
  unlisted: { title: 'No published limit', windows: [] },
} as const satisfies Record<string, { title: string; windows: readonly LimitWindow[] }>;

export type LimitCategory = keyof typeof LIMIT_CATEGORIES;
