/** Queries for the tools of agents, over the SQL names of stored data. Pure. */
import { quoteText } from './sql-text.ts';

interface SpanConditions {
  application?: string | undefined;
  status?: string | undefined;
  type?: string | undefined;
  session?: string | undefined;
  /** Start time as text, inclusive. */
  since?: string | undefined;
  /** Start time as text, exclusive. */
  until?: string | undefined;
}

const EQUAL = {
  application: 'application',
  status: 'status_code',
  type: 'span_type',
  session: 'session_id',
} as const;

/** The column that each condition compares. */
export const SPAN_COLUMNS = { ...EQUAL, since: 'start_time', until: 'start_time' } as const;

/** Selects spans that meet all conditions, newest first. */
export function spansQuery(conditions: SpanConditions): string {
  const equal = Object.entries(EQUAL).flatMap(([name, column]) => {
    const value = conditions[name as keyof typeof EQUAL];
    return value === undefined ? [] : [`${column} = ${quoteText(value)}`];
  });
  const all = [...equal, ...bound(conditions.since, '>='), ...bound(conditions.until, '<')];
  return `SELECT * FROM spans${all.length === 0 ? '' : ` WHERE ${all.join(' AND ')}`} ORDER BY start_time DESC`;
}

function bound(time: string | undefined, operator: string): string[] {
  if (time === undefined) return [];
  return [`CAST(start_time AS TIMESTAMPTZ) ${operator} CAST(${quoteText(time)} AS TIMESTAMPTZ)`];
}

/** Selects the spans of a trace, ordered by start, then by id. */
export function traceQuery(traceId: string): string {
  return `SELECT * FROM spans WHERE trace_id = ${quoteText(traceId)} ORDER BY start_time, span_id`;
}

/** Selects one row for each column of a table. */
export function summaryQuery(table: string): string {
  return `SELECT * FROM (SUMMARIZE SELECT * FROM ${table})`;
}
