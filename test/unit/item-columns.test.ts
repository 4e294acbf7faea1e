/** Proposed places in the items of a dataset for the columns of a file. */
import { expect, test } from 'vitest';
import { suggestItemColumns } from '../../electron/shared/item-columns.ts';

const places = (columns: Parameters<typeof suggestItemColumns>[0]) =>
  suggestItemColumns(columns, {}).map(({ place, field }) => (place === null ? null : `${place}.${field}`));

test('inputs and outputs as objects, as other tools export examples, fill whole buckets', () => {
  const columns = ['inputs', 'outputs', 'metadata'].map((name) => ({ name, type: 'json' as const }));
  expect(places(columns)).toEqual(['inputs.', 'expected_outputs.', 'metadata.']);
});

test('keeps `outputs` as a key if the inputs beside it are texts', () => {
  expect(
    places([
      { name: 'inputs', type: 'str' },
      { name: 'outputs', type: 'json' },
    ]),
  ).toEqual(['inputs.inputs', 'expected_outputs.outputs']);
});

test('a key without a name gets that of its place, as in a table', () => {
  const typed = (names: readonly string[]) => names.map((name) => ({ name, type: 'int' as const }));
  expect(places(typed(['a', '']))).toEqual(['inputs.a', 'inputs.column_2']);
  expect(places(typed(['', 'column_1']))).toEqual(['inputs.column_1_without_name', 'inputs.column_1']);
});

test.each([[['inputs', 'outputs', 'reference_outputs']], [['reference_outputs', 'outputs', 'inputs']]])(
  'reference outputs are the expected ones, in any order: %j',
  (names) => {
    const columns = names.map((name) => ({ name, type: 'json' as const }));
    const expected = { inputs: 'inputs.', outputs: 'extras.outputs', reference_outputs: 'expected_outputs.' };
    expect(places(columns)).toEqual(names.map((name) => expected[name as keyof typeof expected]));
  },
);

test.each<[string, string[], string[]]>([
  [
    'Ragas',
    ['user_input', 'response', 'reference'],
    ['inputs.user_input', 'extras.response', 'expected_outputs.reference'],
  ],
  [
    'an older Ragas',
    ['question', 'answer', 'ground_truth'],
    ['inputs.question', 'extras.answer', 'expected_outputs.ground_truth'],
  ],
  [
    'MLflow',
    ['inputs', 'outputs', 'groundTruth'],
    ['inputs.inputs', 'extras.outputs', 'expected_outputs.groundTruth'],
  ],
  [
    'a run',
    ['input', 'output', 'expected_output'],
    ['inputs.input', 'extras.output', 'expected_outputs.expected_output'],
  ],
  [
    'two expected ones',
    ['question', 'answer', 'reference_contexts'],
    ['inputs.question', 'expected_outputs.answer', 'expected_outputs.reference_contexts'],
  ],
])("a model's answer next to the expected one is not expected: %s", (_tool, names, expected) => {
  expect(places(names.map((name) => ({ name, type: 'str' as const })))).toEqual(expected);
});

test('expectations of MLflow are what is expected, not inputs', () => {
  const columns = ['inputs', 'outputs', 'expectations'].map((name) => ({ name, type: 'json' as const }));
  expect(places(columns)).toEqual(['inputs.', 'extras.outputs', 'expected_outputs.']);
  expect(places([{ name: 'expectations', type: 'str' }])).toEqual(['expected_outputs.expectations']);
});

test.each<[string, string]>([
  ['ideal', 'expected_outputs'],
  ['__expected', 'expected_outputs'],
  ['__expected2', 'expected_outputs'],
  ['Correct Answer', 'expected_outputs'],
  ['Best Answer', 'expected_outputs'],
  ['canonical_solution', 'expected_outputs'],
  ['chosen', 'expected_outputs'],
  ['rejected', 'extras'],
  ['Incorrect Answer 1', 'extras'],
  ['actual_output', 'extras'],
  ['prediction', 'extras'],
  ['createdAt', 'metadata'],
  ['sourceTraceId', 'metadata'],
  ['correctness', 'inputs'],
  ['chosen_topic', 'inputs'],
  ['question', 'inputs'],
])('%s is among the %s: no answer is shown to a model that is evaluated', (name, bucket) => {
  expect(places([{ name, type: 'str' }])).toEqual([`${bucket}.${name}`]);
});
