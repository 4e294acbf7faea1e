/** Finds the time range of a query, which operations have in different places, and removes or replaces it. Pure. */
import type { JsonObject } from './json-body.ts';
import type { ListQuery, TimeRange } from './model.ts';
import { isoTime } from './zone-time.ts';

const FIELDS = { start_time: '', end_time: '' };

function rangeIn(fields: Readonly<Record<string, unknown>> | undefined): TimeRange | null {
  const { start_time: start, end_time: end } = fields ?? {};
  if (typeof start !== 'string' || typeof end !== 'string') return null;
  const [startMs, endMs] = [isoTime(start), isoTime(end)];
  return startMs !== null && endMs !== null && endMs > startMs ? { startMs, endMs } : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Time range of a query, from its parameters, the fields of its body, or the filters of a metric query; null if it has
 * none.
 */
export function rangeOfQuery({ query, body }: ListQuery): TimeRange | null {
  const filters = body?.['filters'];
  const timeRange = isObject(filters) ? filters['time_range'] : undefined;
  return rangeIn(query) ?? rangeIn(body) ?? (isObject(timeRange) ? rangeIn(timeRange) : null);
}

/** Text of a canonical query without its range: equal for queries that differ only in range. */
export function textWithoutRange({ operation, path, query, body }: ListQuery): string {
  if (rangeIn(query) !== null) return JSON.stringify([operation, path, { ...query, ...FIELDS }, body]);
  if (body === undefined || rangeIn(body) !== null)
    return JSON.stringify([operation, path, query, { ...body, ...FIELDS }]);
  const { filters } = body;
  const rest = isObject(filters) ? { ...filters, time_range: FIELDS } : filters;
  return JSON.stringify([operation, path, query, { ...body, filters: rest }]);
}

/** The start and end that a query states, as written; null if it has none. */
export function timesOfQuery({ query, body }: ListQuery): { start_time: string; end_time: string } | null {
  const filters = body?.['filters'];
  const places = [query, body, isObject(filters) ? filters['time_range'] : undefined];
  for (const fields of places) {
    const { start_time, end_time } = isObject(fields) ? fields : {};
    if (typeof start_time === 'string' && typeof end_time === 'string') return { start_time, end_time };
  }
  return null;
}

/**
 * The same query with its range moved later by `byMs`. The given query is returned unchanged if `byMs` is 0 or it has
 * no range.
 */
export function movedQuery(asked: ListQuery, byMs: number): ListQuery {
  const range = rangeOfQuery(asked);
  if (range === null || byMs === 0) return asked;
  return withTimes(asked, {
    start_time: new Date(range.startMs + byMs).toISOString(),
    end_time: new Date(range.endMs + byMs).toISOString(),
  });
}

/** The same query with these times in the place of its own. */
export function withTimes(asked: ListQuery, times: { start_time: string; end_time: string }): ListQuery {
  const { query, body } = asked;
  if (rangeIn(query) !== null) return { ...asked, query: { ...query, ...times } };
  if (body === undefined || rangeIn(body) !== null) return { ...asked, body: { ...body, ...times } };
  const { filters } = body;
  const rest = isObject(filters) ? filters : {};
  const timeRange = isObject(rest['time_range']) ? rest['time_range'] : {};
  return { ...asked, body: { ...body, filters: { ...rest, time_range: { ...timeRange, ...times } } } };
}
