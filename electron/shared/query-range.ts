/** The time range that a question names, wherever its operation has it, and the question without it. Pure. */
import type { JsonObject } from './json-body.ts';
import type { ListQuery, TimeRange } from './model.ts';

const FIELDS = { start_time: '', end_time: '' };

function rangeIn(fields: Readonly<Record<string, unknown>> | undefined): TimeRange | null {
  const { start_time: start, end_time: end } = fields ?? {};
  if (typeof start !== 'string' || typeof end !== 'string') return null;
  const range = { startMs: Date.parse(start), endMs: Date.parse(end) };
  return range.endMs > range.startMs ? range : null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null where it names none: parameters, fields of the body, or the filters of a metric query. */
export function rangeOfQuery({ query, body }: ListQuery): TimeRange | null {
  const filters = body?.['filters'];
  const timeRange = isObject(filters) ? filters['time_range'] : undefined;
  return rangeIn(query) ?? rangeIn(body) ?? (isObject(timeRange) ? rangeIn(timeRange) : null);
}

/** Text of a canonical question without its range: the same for questions that differ in nothing else. */
export function textWithoutRange({ operation, path, query, body }: ListQuery): string {
  if (rangeIn(query) !== null) return JSON.stringify([operation, path, { ...query, ...FIELDS }, body]);
  if (body === undefined || rangeIn(body) !== null)
    return JSON.stringify([operation, path, query, { ...body, ...FIELDS }]);
  const { filters } = body;
  const rest = isObject(filters) ? { ...filters, time_range: FIELDS } : filters;
  return JSON.stringify([operation, path, query, { ...body, filters: rest }]);
}
