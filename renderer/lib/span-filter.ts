/** Fields that a filter of spans can be about: the published columns and the attribute keys that were seen. Pure. */
import type { FilterField } from './filter/fields.ts';
import { isObject, type JsonObject } from './records.ts';
import { formatShare, type SpanFieldFacts } from './span-fields.ts';

const COLUMNS: readonly FilterField[] = [
  {
    name: 'Span::span_type',
    type: 'text',
    values: ['llm', 'tool', 'chain', 'agent'].map((value) => ({ value })),
  },
  { name: 'Span::name', type: 'text' },
  { name: 'Span::status_code', type: 'text', values: ['OK', 'ERROR', 'UNSET'].map((value) => ({ value })) },
  { name: 'Span::agent_name', type: 'text' },
  { name: 'Span::agent_id', type: 'text' },
  { name: 'Span::session_id', type: 'text' },
  { name: 'Span::trace_id', type: 'text' },
  { name: 'Span::span_id', type: 'text' },
  { name: 'Span::parent_span_id', type: 'text' },
];

/** Choices are offered for texts that few of them differ in; an id is its span's own. */
const MOST_CHOICES = 20;
const LONGEST_CHOICE = 80;

function choicesOf(values: readonly unknown[]): FilterField['values'] {
  const texts = values.filter(
    (value): value is string => typeof value === 'string' && value !== '' && value.length <= LONGEST_CHOICE,
  );
  const distinct = [...new Set(texts)].toSorted();
  if (distinct.length === 0 || distinct.length > MOST_CHOICES || distinct.length === texts.length)
    return undefined;
  return distinct.map((value) => ({ value }));
}

function typeOf(values: readonly unknown[]): FilterField['type'] {
  const types = new Set(
    values.filter((value) => value !== null && value !== undefined).map((value) => typeof value),
  );
  if (types.size !== 1) return null;
  return types.has('number')
    ? 'number'
    : types.has('boolean')
      ? 'boolean'
      : types.has('string')
        ? 'text'
        : null;
}

/** `rows`: spans at hand, whose values become choices. */
export function spanFilterFields(facts: SpanFieldFacts | null, rows: readonly JsonObject[]): FilterField[] {
  const columns = COLUMNS.map((field) => {
    const seen = choicesOf(rows.map((row) => row[field.name.slice('Span::'.length)]));
    const values = field.values ?? seen;
    return values === undefined ? field : { ...field, values };
  });
  const attributes = (facts?.attributes ?? []).map(({ name, share }): FilterField => {
    const seen = rows.map((row) =>
      isObject(row['span_attributes']) ? row['span_attributes'][name] : undefined,
    );
    const values = choicesOf(seen);
    return {
      name: `SpanAttribute::${name}`,
      type: typeOf(seen),
      ...(share === null ? {} : { note: formatShare(share) }),
      ...(values === undefined ? {} : { values }),
    };
  });
  return [...columns, ...attributes];
}
