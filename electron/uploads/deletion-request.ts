/** A deletion request: its body for the service and its wording for people. Pure. */
import { ageOf } from '../core/moments.ts';
import { numberText } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import { momentText } from '../shared/local-time.ts';
import * as z from '../shared/zod.ts';
import type { DeletionRequest } from './types.ts';

const byIds = z.looseObject({ event_ids: z.array(z.string()) });
const TIME = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

/** Returns the request body. Throws INVALID_ARGUMENT. */
export function bodyOf(request: DeletionRequest): Record<string, unknown> {
  const { modelId, eventIds, timeRange, updateMetrics } = request;
  if ((eventIds === null) === (timeRange === null)) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Expected either event ids or a time range, exactly one of the two.',
    );
  }
  if (eventIds !== null) {
    const ids = distinctIds(eventIds);
    if (ids.length === 0) throw new AppError('INVALID_ARGUMENT', 'Expected at least one event id, got none.');
    return { model_id: modelId, event_ids: ids, update_metrics: updateMetrics };
  }
  const start = checkTime(timeRange?.startTime ?? '', 'start');
  const end = checkTime(timeRange?.endTime ?? '', 'end');
  if (start >= end) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected a start before the end (the end itself is not deleted), got ${start} to ${end}.`,
    );
  }
  return {
    model_id: modelId,
    time_range: { start_time: start, end_time: end },
    update_metrics: updateMetrics,
  };
}

/** Checks that a time has the documented form (SERVICE.md F1.5). Texts of this form sort like the times. */
function checkTime(text: string, what: string): string {
  const parts = TIME.exec(text.trim());
  const [, year, month, day, hour, minute, second] = (parts ?? []).map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day ?? 0, hour ?? 0, minute ?? 0, second ?? 0));
  const isReal = parts !== null && date.toISOString().slice(0, 19).replace('T', ' ') === text.trim();
  if (isReal) return text.trim();
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected the ${what} as YYYY-MM-DD HH:mm:ss, such as 2024-09-27 17:00:00, got “${text}”.`,
  );
}

function distinctIds(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.trim()).filter((id) => id !== ''))];
}

/** The ids that a deletion's body names, or null for a deletion by time (receipts hold no event times). */
export function namedIds(body: unknown): ReadonlySet<string> | null {
  const found = byIds.safeParse(body);
  return found.success ? new Set(found.data.event_ids) : null;
}

/**
 * An undo by time is allowed only if its time range holds no other events. This is how long such a check stays valid.
 */
const PROVEN_FOR_MS = 600_000;

/** Throws CONFLICT if an undo by time starts after its proof has expired. */
export function checkStillProven(provenAtMs: number, nowMs: number): void {
  if (ageOf(provenAtMs, nowMs) <= PROVEN_FOR_MS) return;
  throw new AppError(
    'CONFLICT',
    `Expected to delete by time at ${momentText(provenAtMs)}, when nothing else lay in the range; since then other events may lie there. Nothing was sent. Undo the upload again.`,
    { outcome: 'unsent' },
  );
}

/** A short description, e.g. `2 events by id`. */
export function wordsOf({ eventIds, timeRange }: DeletionRequest): string {
  if (eventIds !== null) {
    const ids = distinctIds(eventIds);
    return ids.length === 1 ? `Event ${ids[0]}` : `${numberText(ids.length)} events by id`;
  }
  return `Events from ${timeRange?.startTime} up to ${timeRange?.endTime}`;
}
