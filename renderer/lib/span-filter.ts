/** Fields available for span filters: the documented columns, and the attribute keys found so far. Pure. */

import { spanStatusWords } from '../../electron/shared/constant-words.ts';
import { parseFilterTree } from '../../electron/shared/filter-tree.ts';
import { type FieldValue, isScalar } from './filter/by-value.ts';
import { type FilterField, fieldTitle, nameOfValue } from './filter/fields.ts';
import { SPAN_FILTERS, vocabularyOf } from './filter/language.ts';
import { checkFilterText } from './filter/text.ts';
import { filterWords } from './filter/words.ts';
import { isObject, type JsonObject } from './records.ts';
import { formatShare, type SpanFieldFacts } from './span-fields.ts';

const COLUMN = 'Span::';
/** Prefix of the id of an attribute column. */
const ATTRIBUTE_COLUMN = 'span_attributes.';
const ATTRIBUTE = 'SpanAttribute::';
const COLUMNS: readonly FilterField[] = [
  {
    name: 'Span::span_type',
    title: 'Type',
    note: 'column',
    type: 'text',
    values: ['llm', 'tool', 'chain', 'agent'].map((value) => ({ value })),
  },
  { name: 'Span::name', title: 'Name', note: 'column', type: 'text' },
  {
    name: 'Span::status_code',
    title: 'Status',
    note: 'column',
    type: 'text',
    values: ['OK', 'ERROR', 'UNSET'].map((value) => ({ value, title: spanStatusWords(value) })),
  },
  { name: 'Span::agent_name', title: 'Agent', note: 'column', type: 'text' },
  { name: 'Span::agent_id', title: 'Agent id', note: 'column', type: 'text' },
  { name: 'Span::session_id', title: 'Session', note: 'column', type: 'text' },
  { name: 'Span::trace_id', title: 'Trace', note: 'column', type: 'text' },
  { name: 'Span::span_id', title: 'Span', note: 'column', type: 'text' },
  { name: 'Span::parent_span_id', title: 'Parent', note: 'column', type: 'text' },
];

/** Maximum number of distinct texts offered as choices; ids would be different in every span. */
const MAX_CHOICES = 20;
const LONGEST_CHOICE = 80;

function choicesOf(values: readonly unknown[]): FilterField['values'] {
  const texts = values.filter(
    (value): value is string => typeof value === 'string' && value !== '' && value.length <= LONGEST_CHOICE,
  );
  const distinct = [...new Set(texts)].toSorted();
  if (distinct.length === 0 || distinct.length > MAX_CHOICES || distinct.length === texts.length)
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

/** `rows`: loaded spans, whose values are offered as choices. */
export function spanFilterFields(facts: SpanFieldFacts | null, rows: readonly JsonObject[]): FilterField[] {
  const columns = COLUMNS.map((field) => {
    const seen = choicesOf(rows.map((row) => row[field.name.slice(COLUMN.length)]));
    const values = field.values ?? seen;
    return values === undefined ? field : { ...field, values };
  });
  const attributes = (facts?.attributes ?? []).map(({ name, share }): FilterField => {
    const seen = rows.map((row) =>
      isObject(row['span_attributes']) ? row['span_attributes'][name] : undefined,
    );
    const values = choicesOf(seen);
    return {
      name: `${ATTRIBUTE}${name}`,
      title: name,
      type: typeOf(seen),
      ...(share === null ? {} : { note: formatShare(share) }),
      ...(values === undefined ? {} : { values }),
    };
  });
  return [...columns, ...attributes];
}

/** The filter field for a value in a span column; null if it cannot be filtered. */
export function spanFilterValue(row: JsonObject, column: string): FieldValue | null {
  const key = column.startsWith(ATTRIBUTE_COLUMN) ? column.slice(ATTRIBUTE_COLUMN.length) : null;
  if (key !== null) {
    const attributes = row['span_attributes'];
    const value = isObject(attributes) ? attributes[key] : undefined;
    return isScalar(value) ? { field: `${ATTRIBUTE}${key}`, value } : null;
  }
  const field = `${COLUMN}${column}`;
  const value = row[column];
  return COLUMNS.some(({ name }) => name === field) && isScalar(value) ? { field, value } : null;
}

/** A filter of spans in words: `Type is agent and Name is plan`. Null if the text is no such filter. */
export function spanFilterText(text: string): string | null {
  const checked = checkFilterText(text, SPAN_FILTERS);
  if (!checked.isOk || checked.tree === null) return null;
  return filterWords(parseFilterTree(checked.tree, vocabularyOf(SPAN_FILTERS)), {
    field: (name) => fieldTitle(COLUMNS, name, SPAN_FILTERS),
    value: (field, value) => nameOfValue(COLUMNS, field, value),
  });
}
