/** Converts records of every kind to documents of the search: title, texts, time, and the record that a hit opens. */
import { expect, test } from 'vitest';
import {
  documentOf,
  fieldsOf,
  kindOf,
  noteOf,
  targetOf,
  titleOf,
} from '../../electron/core/search/documents.ts';

type Query = Parameters<typeof targetOf>[1];
const query = (operation: string, given: Partial<Query> = {}): Query =>
  ({ operation, path: {}, query: {}, body: null, ...given }) as Query;

test('summaries and alert records are not searched', () => {
  expect(kindOf('datasets.list')).toBe('resources');
  expect(kindOf('alert-rules.summary')).toBeNull();
});

test('every leaf of a record is a text, except times and values without one', () => {
  const record = {
    name: 'Tone',
    size: 12,
    isOn: false,
    none: null,
    at: '2026-01-02T03:04:05Z',
    list: ['a', { deep: 'b' }],
    said: '"two\\nlines \\u0041"',
  };
  expect(fieldsOf('resources', record)).toEqual([
    { field: 'name', text: 'Tone' },
    { field: 'size', text: '12' },
    { field: 'isOn', text: 'false' },
    { field: 'list', text: 'a' },
    { field: 'list.deep', text: 'b' },
    { field: 'said', text: '"two lines A"' },
  ]);
});

test('names of fields inside items and spans are found too', () => {
  const found = fieldsOf('items', { inputs: { question: 'Where?' } });
  expect(found).toEqual([
    { field: 'inputs.question', text: 'question' },
    { field: 'inputs.question', text: 'Where?' },
  ]);
});

test('values nested deeper than twenty levels are not searched', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 'deep' : { in: nested(levels - 1) });
  expect(fieldsOf('resources', { a: nested(10) })).toHaveLength(1);
  expect(fieldsOf('resources', { a: nested(40) })).toEqual([]);
});

test('the semantic name UNKNOWN is not searched', () => {
  expect(fieldsOf('names', { name: 'a', semantic_name: 'UNKNOWN', data_type: 'x' })).toEqual([
    { field: 'name', text: 'a' },
  ]);
  expect(fieldsOf('values', { value: 7, other: 'x' })).toEqual([{ field: 'value', text: '7' }]);
});

test.each<[Parameters<typeof titleOf>[0], Record<string, unknown>, string]>([
  ['resources', { name: 'Tone', id: 'a' }, 'Tone'],
  ['resources', { display_name: 'Shown', id: 'a' }, 'Shown'],
  ['resources', { id: 'a' }, 'a'],
  ['values', { value: true }, 'true'],
  ['items', { id: 'i', inputs: { question: 'Where\n is it?' } }, 'Where is it?'],
  ['items', { id: 'i', inputs: {} }, 'i'],
  ['spans', { span_id: 's', span_type: 'llm' }, 'llm'],
  ['spans', { span_id: 's' }, 's'],
  ['spans', {}, ''],
])('the title of one of the %s %j', (kind, record, title) => {
  expect(titleOf(kind, record)).toBe(title);
});

test('the application of a record is that of its request, its own field, or the record itself', () => {
  const of = (asked: Query, record: Record<string, unknown>) =>
    documentOf('resources', asked, record).applicationId;
  expect(of(query('catalog.list', { path: { application_id: 'p' } }), {})).toBe('p');
  expect(of(query('spans.query', { body: { application_id: 'b' } }), {})).toBe('b');
  expect(of(query('datasets.list'), { application: { id: 'o' } })).toBe('o');
  expect(of(query('datasets.list'), { application_id: 'f' })).toBe('f');
  expect(of(query('datasets.list'), { application: ['x'] })).toBeNull();
  expect(of(query('applications.list'), { id: 'a' })).toBe('a');
});

test('the time of a record is the first of its times that can be read', () => {
  const atMs = (record: Record<string, unknown>) =>
    documentOf('resources', query('models.list'), record).atMs;
  expect(atMs({ start_time: 'soon', updated_at: '1970-01-01T00:00:01Z' })).toBe(1_000);
  expect(atMs({ created_at: 5 })).toBeNull();
});

test.each<[Parameters<typeof targetOf>[0], Query, Record<string, unknown>, Record<string, string>, string]>([
  [
    'names',
    query('catalog.list', { path: { application_id: 'p' }, query: { entity_type: 'attribute' } }),
    { name: 'n', semantic_name: 's', data_type: 'text' },
    { applicationId: 'p', entityType: 'attribute', semanticName: 's', name: 'n' },
    'text',
  ],
  [
    'values',
    query('catalog.values', {
      path: { application_id: 'p' },
      query: { entity_type: 'attribute', name: 'model' },
    }),
    { value: 'gpt' },
    { applicationId: 'p', entityType: 'attribute', name: 'model', value: 'gpt' },
    'model',
  ],
  ['values', query('catalog.values'), { value: 1 }, { value: '1' }, ''],
  ['attributes', query('attributes.list'), { name: 'a', data_type: 'number' }, { name: 'a' }, 'number'],
  [
    'items',
    query('datasets.items', { path: { dataset_id: 'd' } }),
    { id: 'i' },
    { datasetId: 'd', itemId: 'i' },
    '',
  ],
  [
    'spans',
    query('spans.query', { body: { application_id: 'p' } }),
    { trace_id: 't', span_id: 's', start_time: '2026-01-01T00:00:00Z', span_type: 'llm' },
    { applicationId: 'p', traceId: 't', spanId: 's', startTime: '2026-01-01T00:00:00Z' },
    'llm',
  ],
  [
    'resources',
    query('datasets.list'),
    { id: 'd', name: 'D' },
    { resource: 'datasets', id: 'd', name: 'D' },
    'datasets',
  ],
  ['resources', query('models.baselines'), { id: 'b' }, { resource: 'baselines', id: 'b' }, 'baselines'],
])(
  'a hit among %s of %j opens its record, and its note says what it is',
  (kind, asked, record, target, note) => {
    expect(targetOf(kind, asked, record)).toEqual(target);
    expect(noteOf(kind, asked, record)).toBe(note);
  },
);

test('a result is found by its texts, has the input as its title, and opens in its experiment', () => {
  const record = {
    experiment_item: { id: 'i', outputs: { answer: 'Here' } },
    dataset_item: { inputs: { question: 'Where is it?' } },
    scores: [{ name: 'quality', reasoning: 'Short' }],
  };
  const of = query('experiments.results', { path: { experiment_id: 'e' } });
  expect(kindOf('experiments.results')).toBe('results');
  expect(titleOf('results', record)).toBe('Where is it?');
  expect(targetOf('results', of, record)).toEqual({ experimentId: 'e', itemId: 'i' });
  expect(fieldsOf('results', record)).toContainEqual({ field: 'scores.reasoning', text: 'Short' });
});
