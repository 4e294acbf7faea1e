/** New items of a dataset are pasted from copied cells of a table. */
import { expect, test } from 'vitest';
import { pastedCells } from '../../renderer/lib/cell-edit.ts';
import { namesFields, pastedItems } from '../../renderer/lib/pasted-items.ts';

const KNOWN = { inputs: ['question', 'turns'], expected_outputs: ['verdict'] };
const of = (text: string, most = 1_000) => pastedItems(pastedCells(text), KNOWN, most);

test('puts columns where those of a file go, and says what became of them', () => {
  const { items, text } = of(
    'question\tverdict\tid\tlatency_ms\nWho pays?\tinsurer\t7\t120\n\nWhy?\tcustomer\t8\t9\textra',
  );
  expect(items).toEqual([
    {
      inputs: { question: 'Who pays?' },
      expected_outputs: { verdict: 'insurer' },
      extras: { latency_ms: 120 },
    },
    { inputs: { question: 'Why?' }, expected_outputs: { verdict: 'customer' }, extras: { latency_ms: 9 } },
  ]);
  expect(text).toBe(
    '2 new items: question to inputs; verdict to expected outputs; latency_ms to extras. Left out: id. 1 empty row skipped. 1 column without a name left out.',
  );
});

test('keeps numbers with every digit, and a column as text if one of its cells is', () => {
  const { items } = of('question\tturns\tmetadata.code\na\t9007199254740993\t007\nb\t\t12');
  expect(JSON.stringify(items.map(({ metadata }) => metadata))).toBe('[{"code":"007"},{"code":"12"}]');
  expect(String(items[0]?.inputs?.['turns'])).toBe('9007199254740993');
  // A field whose cell is empty is left out.
  expect(items[1]?.inputs).toEqual({ question: 'b' });
});

test('takes the keys of a column of objects, and no more items than fit', () => {
  const { items, text } = of('inputs\tverdict\n{"question": "a"}\tx\n{"question": "b"}\ty', 1);
  expect(items).toEqual([{ inputs: { question: 'a' }, expected_outputs: { verdict: 'x' } }]);
  expect(text).toContain('1 row did not fit.');
});

test('counts values that a later column with the same field replaces', () => {
  const { items, text } = of('inputs\tquestion\n{"question": "a", "turns": 1}\tb');
  expect(items).toEqual([{ inputs: { question: 'b', turns: 1 } }]);
  expect(text).toContain('1 value replaced by a later column with the same field.');
});

test.each([
  ['question\tanswer\na\tb', true],
  ['inputs.other\na', true],
  ['question', false],
  ['first\tsecond\na\tb', false],
  ['question\t\na\tb', false],
])('%j names fields: %s', (text, expected) => {
  expect(namesFields(pastedCells(text), KNOWN)).toBe(expected);
});

test('any table becomes items of a dataset without items', () => {
  expect(namesFields(pastedCells('first\tsecond\na\tb'), {})).toBe(true);
  expect(namesFields(pastedCells('first\tsecond'), {})).toBe(false);
});
