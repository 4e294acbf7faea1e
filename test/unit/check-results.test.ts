/** Checks of the results of an experiment, grouped by the items of its dataset. */
import { expect, test } from 'vitest';
import { ResultGroups, scoreOfResults } from '../../electron/core/items/check-results.ts';
import { createCheck } from '../../electron/core/items/score-check.ts';
import type { ScoreInput } from '../../electron/shared/score-model.ts';

const field = (input: string, bucket: 'outputs' | 'expected_outputs', name: string): ScoreInput => ({
  ...{ input, from: { kind: 'field', bucket, field: name } },
});
const result = (id: string, item: string, answer: unknown, rest: object = {}) => ({
  experiment_item: {
    ...{ id, dataset_item_id: item, status: 'SUCCESS' },
    outputs: answer === undefined ? {} : { answer },
    ...rest,
  },
  dataset_item: { id: item, inputs: {}, expected_outputs: { answer: 'four' } },
});
function grouped(records: readonly object[], wanted = [field('text', 'outputs', 'answer')]) {
  const groups = new ResultGroups(wanted);
  for (const record of records) groups.add({ ...record });
  return groups.rows();
}

test('keeps one result as it is, and lists those of an item with several', () => {
  const both = [field('text', 'outputs', 'answer'), field('expected', 'expected_outputs', 'answer')];
  expect(grouped([result('r1', 'a', 'one'), result('r2', 'b', 'two'), result('r3', 'a', 3)], both)).toEqual([
    {
      ...{ itemId: 'a', resultIds: ['r1', 'r3'], problem: null, leftOut: null },
      inputs: { text: ['one', 3], expected: ['four', 'four'] },
    },
    {
      ...{ itemId: 'b', resultIds: ['r2'], inputs: { text: 'two', expected: 'four' } },
      ...{ problem: null, leftOut: null },
    },
  ]);
});

test('says why an item has nothing to check, and uses only the successful results of an item', () => {
  const failed = { status: 'FAILED', error_message: 'The model timed out.' };
  expect(
    grouped([
      result('r1', 'a', undefined, failed),
      result('r2', 'b', undefined, { status: 'SKIPPED' }),
      result('r3', 'c', undefined),
      result('r4', 'd', undefined, failed),
      result('r5', 'd', 'fine'),
    ]),
  ).toEqual([
    {
      ...{ itemId: 'a', resultIds: [], inputs: null, leftOut: null },
      problem: 'The item failed in the experiment: The model timed out.',
    },
    {
      ...{ itemId: 'b', resultIds: [], inputs: null, leftOut: null },
      problem: 'The experiment skipped the item.',
    },
    {
      ...{ itemId: 'c', resultIds: [], inputs: null, leftOut: null },
      problem: 'The result lacks outputs.answer, which the check needs.',
    },
    {
      ...{ itemId: 'd', resultIds: ['r5'], inputs: { text: 'fine' }, problem: null },
      leftOut: '1 of 2 results left out: The item failed in the experiment: The model timed out.',
    },
  ]);
});

test('names a result by its own id if it names no item of the dataset', () => {
  expect(grouped([{ id: 'r1', outputs: { answer: 'x' } }])).toMatchObject([{ itemId: 'r1' }]);
});

test('scores several results by the share that passes', () => {
  const scoreOf = createCheck({ kind: 'contains', ignoresCase: true }, ['text', 'expected']);
  const inputs = { text: ['four', 'five', 'FOUR', 'four!'], expected: ['four', 'four', 'four', 'four'] };
  expect(scoreOfResults(scoreOf, inputs, 4)).toEqual({
    ...{ name: 'contains', value: 0.75, label: null },
    reasoning: 'Expected to contain “four”, got “five”.',
  });
  expect(scoreOfResults(scoreOf, { text: ['four', 'four'], expected: ['four', 'four'] }, 2)).toEqual({
    ...{ name: 'contains', value: 1, label: 'pass', reasoning: null },
  });
  expect(scoreOfResults(scoreOf, { text: ['four', 'x', 'y'], expected: ['four', '', null] }, 3)).toEqual({
    ...{ name: 'contains', value: 1, label: 'pass' },
    reasoning: '2 of 3 results left out: Nothing is expected: the expected value of the item is empty.',
  });
  expect(scoreOfResults(scoreOf, { text: ['a', 'b'], expected: ['', ''] }, 2)).toMatchObject({
    skipped: expect.stringContaining('Nothing is expected'),
  });
  expect(
    scoreOfResults(scoreOf, { text: 'four', expected: 'four' }, 1, '1 of 2 results left out: It failed.'),
  ).toEqual({ name: 'contains', value: 1, label: 'pass', reasoning: '1 of 2 results left out: It failed.' });
  // A value that is not a list of answers may still be a list.
  expect(scoreOfResults(scoreOf, { text: ['four'], expected: 'four' }, 1)).toMatchObject({ value: 1 });
});
