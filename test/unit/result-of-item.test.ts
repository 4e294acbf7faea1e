/** Rows of a file are read as results of an experiment. */
import { expect, test } from 'vitest';
import { resultOfItem, resultProblem } from '../../electron/core/items/result-of-item.ts';
import { parseExact, writeExact } from '../../electron/shared/exact-json.ts';
import { resultPlaceText, suggestResultColumns } from '../../electron/shared/result-columns.ts';

const NOW = '2026-01-02T03:04:05.000Z';
const item = (rest: Record<string, unknown> = {}) => ({ id: 'i', source_id: 'd', ...rest });
const scoresOf = (rest: Record<string, unknown>) =>
  resultOfItem(item(rest), NOW).scores.map(({ evaluator_name: evaluator, name, value, label }) => [
    ...[evaluator, name, value, label],
  ]);

test('columns take their place by name, and others are left out', () => {
  const names = ['dataset_item_id', 'outputs.answer', 'scores.RAG 2.0.faithful', 'status', 'note', 'scores'];
  const columns = suggestResultColumns(names.map((name) => ({ name, type: 'str' })));
  expect(columns.map(resultPlaceText)).toEqual([
    ...['dataset_item_id', 'outputs.answer', 'scores.RAG 2.0.faithful', 'status', 'left out', 'left out'],
  ]);
  const nested = suggestResultColumns([
    { name: 'outputs', type: 'json' },
    { name: 'scores', type: 'json' },
  ]);
  expect(nested.map(resultPlaceText)).toEqual(['outputs', 'scores']);
});

test('a bare row is a success at the time of the upload, with its own id', () => {
  expect(resultOfItem(item({ inputs: { answer: 'x' } }), NOW)).toEqual({
    experiment_item: {
      ...{ id: 'i', dataset_item_id: 'd', outputs: { answer: 'x' }, status: 'SUCCESS', timestamp: NOW },
      ...{ duration_ms: null, error_reason: null, error_message: null },
    },
    scores: [],
  });
});

test('a row that names a result is that result, of this experiment only', () => {
  const facts = { experiment_item_id: 'r1', experiment_id: 'e' };
  const { experiment_item: named } = resultOfItem(item({ metadata: facts }), NOW);
  expect(named['id']).toBe('r1');
  expect(Object.keys(named)).not.toContain('experiment_id');
  expect(resultProblem(item({ metadata: facts }), 'e')).toBeNull();
  expect(resultProblem(item({ metadata: facts }), 'other')).toMatchObject({
    ...{ column: 'experiment_id', value: 'e' },
  });
});

test('a number is a value, a text a label, and the last part of a name that of the score', () => {
  const cells = {
    'Judge 2.whole': { value: 1, label: 'yes' },
    'Judge 2.quality': 0.5,
    tone: 'polite',
    'Judge 2.none': null,
    safe: true,
  };
  expect(scoresOf({ expected_outputs: cells })).toEqual([
    ['Judge 2', 'whole', 1, 'yes'],
    ['Judge 2', 'quality', 0.5, null],
    ['tone', 'tone', null, 'polite'],
    ['safe', 'safe', null, 'true'],
  ]);
});

test('a list of scores is taken as it is, an object by its names', () => {
  const list = [
    { evaluator_name: 'E', name: 'n', value: 1, label: 'yes', reasoning: 'Why' },
    { name: 'm', value: 2 },
  ];
  expect(scoresOf({ extras: { scores: list } })).toEqual([
    ['E', 'n', 1, 'yes'],
    ['m', 'm', 2, null],
  ]);
  expect(scoresOf({ extras: { scores: { 'E.n': 3 } } })).toEqual([['E', 'n', 3, null]]);
});

test('keeps every digit', () => {
  const read = parseExact(
    '{"id":"i","source_id":"d","inputs":{"n":12345678901234567890},"expected_outputs":{"s":0.12345678901234567890}}',
  );
  const text = writeExact(resultOfItem(read as Record<string, unknown>, NOW));
  expect(text).toContain('12345678901234567890');
  expect(text).toContain('"value":0.12345678901234567890');
});

test.each([
  [{ source_id: '' }, 'dataset_item_id'],
  [{ metadata: { status: 'DONE' } }, 'status'],
  [{ metadata: { duration_ms: 1.5 } }, 'duration_ms'],
  [{ metadata: { duration_ms: -1 } }, 'duration_ms'],
  [{ metadata: { duration_ms: '900' } }, 'duration_ms'],
  [{ metadata: { timestamp: 'yesterday' } }, 'timestamp'],
  [{ extras: { scores: [{ name: 'n', evaluator_name: 'E', value: '0.9' }] } }, 'scores'],
  [{ extras: { scores: [{ name: 'n', evaluator_name: 'E', value: Number.POSITIVE_INFINITY }] } }, 'scores'],
  [{ extras: { scores: [{ name: 'n', evaluator_name: 'E', label: 3 }] } }, 'scores'],
  [{ extras: { scores: [{ name: 'n', evaluator_name: 'E', status: 'done' }] } }, 'scores'],
  [{ extras: { scores: [{ name: 'n', evaluator_name: '' }] } }, 'scores'],
  [{ extras: { scores: [{ value: 1 }] } }, 'scores'],
])('a row is bad: %j', (rest, column) => {
  expect(resultProblem(item(rest), 'e')).toMatchObject({
    column,
    reason: expect.stringContaining('Expected'),
  });
});

test.each([
  [{ metadata: { duration_ms: '900' } }, 'Write it without quotes: 900.'],
  [{ metadata: { timestamp: 1_777_777_777_000 } }, 'Write it as 2026-05-03T03:09:37.000Z.'],
  [{ extras: { scores: { n: { value: true } } } }, 'Write 1 as the value, or "true" as the label.'],
  [{ extras: { scores: { n: { value: '0.5' } } } }, 'Write it without quotes: 0.5.'],
  [{ extras: { scores: { n: { value: 'good' } } } }, 'A text is the label of a score.'],
  [{ extras: { scores: { n: { label: 3 } } } }, 'Write it in quotes: "3".'],
])('the reason of a bad row says how to correct it: %j', (rest, mend) => {
  expect(resultProblem(item(rest), 'e')?.reason.endsWith(` ${mend}`)).toBe(true);
});

test('a good row is not', () => {
  expect(resultProblem(item({ metadata: { status: 'SKIPPED', duration_ms: 0 } }), 'e')).toBeNull();
  const scores = [{ name: 'n', evaluator_name: 'E', value: 0.5, label: null }];
  const metadata = { timestamp: '2026-05-01T12:00:00+02:00', duration_ms: 900 };
  expect(resultProblem(item({ metadata, extras: { scores } }), 'e')).toBeNull();
});
