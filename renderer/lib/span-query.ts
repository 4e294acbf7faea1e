/** Converts the parameters of a spans tab to bodies of spans.query and spans.fields. Pure. */
import { parseExact } from '../../electron/shared/exact-json.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { SpanRange } from './span-range.ts';

type Json = NonNullable<ListQuery['body']>;

export const SPAN_ORDERINGS = [
  { value: '-start_time', title: 'Newest first' },
  { value: 'start_time', title: 'Oldest first' },
  { value: '-duration', title: 'Longest first' },
  { value: 'duration', title: 'Shortest first' },
  { value: 'name', title: 'By name' },
  { value: 'span_type', title: 'By type' },
] as const;

interface SpanQuery {
  applicationId: string;
  range: SpanRange;
  /** A tree of rules in the format of the service; null if there is no filter. */
  filter: Json | null;
  ordering: string;
}

/** Body without paging and ordering, also used for spans.fields. */
function selection({ applicationId, range, filter }: SpanQuery): Json {
  return {
    application_id: applicationId,
    start_time: new Date(range.startMs).toISOString(),
    end_time: new Date(range.endMs).toISOString(),
    ...(filter === null ? {} : { filter }),
  };
}

export function spansQuery(query: SpanQuery): ListQuery {
  const body = { ...selection(query), ordering: query.ordering };
  return { operation: 'spans.query', path: {}, query: {}, body };
}

export function fieldsQuery(query: SpanQuery): ListQuery {
  return { operation: 'spans.fields', path: {}, query: {}, body: selection(query) };
}

/** A filter with one rule, e.g. for all spans of a trace or session. */
export function ruleFilter(field: string, value: string): Json {
  return { condition: 'AND', rules: [{ field, operator: 'eq', value }] };
}

/** A filter stored in a tab parameter; null if it is absent or invalid. */
export function filterOfParam(text: string | undefined): Json | null {
  if (text === undefined || text === '') return null;
  try {
    const tree = parseExact(text);
    if (typeof tree !== 'object' || tree === null || !('rules' in tree)) return null;
    return Array.isArray(tree.rules) && tree.rules.length > 0 ? (tree as Json) : null;
  } catch {
    return null;
  }
}

/** The names in a list that is stored as a parameter. */
export function namesOfParam(text: string | undefined): string[] {
  try {
    const names = parseExact(text ?? '[]');
    return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
  } catch {
    return [];
  }
}
