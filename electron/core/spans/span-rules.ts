/** Rules for filters and orderings of spans (SERVICE.md F2.1, F2.3). Pure. */
import { type FilterNode, isFilterGroup } from '../text/filters.ts';

/** Limits of a span filter, and its names of operators. */
export const SPAN_VOCABULARY = { aliases: { eq: 'equal' }, maxDepth: 3, maxRules: 10 } as const;
/** The default order of spans. */
export const SPAN_ORDERING = '-start_time';

const COLUMN = 'Span::';
const ATTRIBUTE = 'SpanAttribute::';
export const SPAN_COLUMNS: readonly string[] = [
  'span_id',
  'trace_id',
  'name',
  'status_code',
  'status_message',
  'start_time',
  'duration',
  'parent_span_id',
  'session_id',
  'span_type',
  'agent_id',
  'agent_name',
  'input',
  'output',
];

export const isSpanColumn = (name: string): boolean => SPAN_COLUMNS.includes(name);

/** A field of the filter that spans cannot have; null if all fields are known. */
export function unknownSpanField(node: FilterNode): string | null {
  if (isFilterGroup(node)) {
    for (const rule of node.rules) {
      const unknown = unknownSpanField(rule);
      if (unknown !== null) return unknown;
    }
    return null;
  }
  const { field } = node;
  const isKnown =
    (field.startsWith(ATTRIBUTE) && field.length > ATTRIBUTE.length) ||
    (field.startsWith(COLUMN) && isSpanColumn(field.slice(COLUMN.length)));
  return isKnown ? null : field;
}

/** A span's value for `Span::<column>` or `SpanAttribute::<key>`. */
export function spanField(span: Readonly<Record<string, unknown>>, field: string): unknown {
  if (field.startsWith(COLUMN)) return span[field.slice(COLUMN.length)];
  const attributes = span['span_attributes'];
  const key = field.slice(ATTRIBUTE.length);
  if (typeof attributes !== 'object' || attributes === null || !Object.hasOwn(attributes, key))
    return undefined;
  return Reflect.get(attributes, key);
}
