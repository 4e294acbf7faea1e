/** A trace of Langfuse, in a file of its own, has its observations as spans. */
import { expect, test } from 'vitest';
import { readFileSpan } from '../../electron/core/spans/file-span.ts';
import { spansOfExport } from '../../electron/core/spans/otlp.ts';

const observation = (id: string, parent: string | null, type = 'SPAN') => ({
  ...{ id, traceId: 't1', type, name: `step ${id}`, parentObservationId: parent, level: 'DEFAULT' },
  ...{ startTime: '2026-05-01T10:00:00.000Z', endTime: '2026-05-01T10:00:01.500Z', input: 'q', output: 'a' },
});
const LIST = [observation('o1', null), observation('o2', 'o1', 'GENERATION')];
const TRACE = { id: 't1', name: 'chat', sessionId: 's1', userId: 'u1', tags: ['dev'] };

test.each<[string, object]>([
  ['downloads', { trace: TRACE, observations: LIST }],
  ['downloads with the list in the trace', { trace: { ...TRACE, observations: LIST } }],
  ['returns', { ...TRACE, observations: LIST, scores: [] }],
])('as the service %s it', (_, document) => {
  const spans = (spansOfExport({ ...document }) ?? []).map((each) => {
    const found = readFileSpan({ ...(each as object) });
    return 'record' in found ? JSON.parse(found.record ?? 'null') : found;
  });
  expect(spans).toMatchObject([
    { trace_id: 't1', span_id: 'o1', session_id: 's1', duration: 1_500, name: 'step o1' },
    { trace_id: 't1', span_id: 'o2', session_id: 's1', parent_span_id: 'o1', span_type: 'GENERATION' },
  ]);
  expect(spans[0].span_attributes).toMatchObject({ 'trace.name': 'chat', 'trace.userId': 'u1' });
  expect(Object.keys(spans[1].span_attributes).filter((key) => key.startsWith('trace.'))).toEqual([]);
});

test('an observation of an unknown type with a start is one', () => {
  expect(spansOfExport({ ...TRACE, observations: [observation('o1', null, 'REASONING')] })).toHaveLength(1);
});

test.each<[string, object]>([
  ['no observation', { trace: TRACE, observations: [] }],
  ['values that are none', { observations: ['a'] }],
  [
    'notes that have the ids of a trace',
    { id: '1', question: 'q', observations: [{ id: 'n1', traceId: 't1', type: 'note', text: 'cold' }] },
  ],
  [
    'a note among observations',
    { observations: [observation('o1', null), { id: 'n1', traceId: 't1', type: 'note' }] },
  ],
  ['a row with its own observations', { id: '1', observations: [{ text: 'cold', type: 'note' }] }],
])('a record with %s is no trace', (_, document) => {
  expect(spansOfExport({ ...document })).toBeNull();
});
