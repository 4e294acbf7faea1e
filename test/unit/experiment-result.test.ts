/** Results of experiments are read with any names of their fields, and no value is invented. */
import { expect, test } from 'vitest';
import { fateOf, readMetrics, readResult } from '../../electron/shared/experiment-result.ts';

const SCORE = { evaluator_name: 'Judge', name: 'quality', value: 0.5, label: null, status: 'SUCCESS' };
const ITEM = {
  ...{ id: 'i', dataset_item_id: 'd', outputs: { a: 1 }, duration_ms: 12, timestamp: '2026-01-01T00:00:00Z' },
  ...{ status: 'FAILED', error_reason: 'Timeout', error_message: '30 s', trace_id: 'trace-1' },
};
const WHOLE = {
  ...{ itemId: 'i', datasetItemId: 'd', outputs: { a: 1 }, durationMs: 12, status: 'FAILED' },
  ...{ inputs: { q: 1 }, expectedOutputs: { a: 2 }, errorReason: 'Timeout', errorMessage: '30 s' },
  ...{
    timestamp: '2026-01-01T00:00:00Z',
    traceId: 'trace-1',
    scores: [expect.objectContaining({ name: 'quality', value: 0.5 })],
  },
};

test.each([
  [
    'in the form of an upload with the item of the dataset beside it',
    {
      experiment_item: ITEM,
      dataset_item: { id: 'd', inputs: { q: 1 }, expected_outputs: { a: 2 } },
      scores: [SCORE],
    },
  ],
  ['flat', { ...ITEM, inputs: { q: 1 }, expected_outputs: { a: 2 }, scores: [SCORE] }],
  [
    'flat, with an id of its own',
    {
      ...ITEM,
      id: 'row',
      experiment_item_id: 'i',
      inputs: { q: 1 },
      expected_outputs: { a: 2 },
      scores: [SCORE],
    },
  ],
  [
    'with everything in the item',
    { experiment_item: { ...ITEM, inputs: { q: 1 }, expected_outputs: { a: 2 }, scores: [SCORE] } },
  ],
])('reads a result %s', (_form, record) => {
  expect(readResult(record)).toEqual(WHOLE);
});

test('reads nothing out of a record of another form', () => {
  expect(readResult({ foo: [1], scores: 'none', outputs: 'text' })).toMatchObject({
    ...{
      itemId: '',
      datasetItemId: '',
      inputs: null,
      outputs: null,
      scores: [],
      status: '',
      durationMs: null,
    },
  });
});

test('counts unknown words for a state separately', () => {
  const fates = ['SUCCESS', 'COMPLETED', 'FAILED', 'SKIPPED', 'PENDING'].map((status) => fateOf({ status }));
  expect(fates).toEqual(['good', 'good', 'failed', 'skipped', 'other']);
});

test('reads means of metrics, and returns none for an answer of another form', () => {
  const mean = { evaluator_name: 'Judge', name: 'quality', mean: 0.25, count: 4 };
  const label = { evaluator_name: 'Tone', name: 'tone', count: 4, values: [] };
  expect(readMetrics({ evaluators: [mean, label] })).toEqual([
    { evaluator: 'Judge', name: 'quality', mean: 0.25, count: 4 },
    { evaluator: 'Tone', name: 'tone', mean: null, count: 4 },
  ]);
  expect(readMetrics({ Judge: { mean: 0.5 }, list: [1, 2] })).toEqual([]);
});

test('a number that was sent as text is a number, and an empty text is none', () => {
  const valuesOf = (...values: unknown[]) =>
    readResult({ scores: values.map((value) => ({ ...SCORE, value })) }).scores.map(({ value }) => value);
  expect(valuesOf('0.5', ' ', 'good', '1e999')).toEqual([0.5, null, null, null]);
});
