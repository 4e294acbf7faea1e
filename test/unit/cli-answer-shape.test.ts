/** `--fields` and `--budget` shorten an answer, which names the omitted part. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordFile } from '../../electron/cli/answer-file.ts';
import { shaped, shapedLines, tokensOf } from '../../electron/cli/answer-shape.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';

const json = (value: unknown) => JSON.stringify(value);
const list = (items: unknown[]) => ({ items, total: items.length, complete: true, asOf: null });

test('fields are chosen by name or by path, in the given order, and a name with a dot comes before a path', () => {
  const record = { id: 'a', inputs: { question: 'Why?', n: 1 }, 'inputs.n': 'flat' };
  const one = shaped(record, { fields: ['inputs.question', 'id', 'inputs.n'], budget: null }, json);
  expect(Object.entries(one.value as object)).toEqual([
    ['inputs.question', 'Why?'],
    ['id', 'a'],
    ['inputs.n', 'flat'],
  ]);
  const many = shaped(list([record, { id: 'b' }]), { fields: ['inputs.question'], budget: null }, json);
  expect(many).toEqual({
    value: { ...list([{ 'inputs.question': 'Why?' }, { 'inputs.question': null }]) },
    notes: [],
    missing: { names: [], known: [] },
  });
});

test('a path may end with a name that contains dots, such as the key of an attribute', () => {
  const span = { span_attributes: { 'gen_ai.request.model': 'm', gen_ai: { request: { 'top.k': 5 } } } };
  const fields = ['span_attributes.gen_ai.request.model', 'span_attributes.gen_ai.request.top.k'];
  const { value, notes } = shaped(list([span]), { fields, budget: null }, json);
  expect(value).toMatchObject({ items: [{ [fields[0] ?? '']: 'm', [fields[1] ?? '']: 5 }] });
  expect(notes).toEqual([]);
});

test('a record with very many texts is cut too', () => {
  const record = { ids: Array.from({ length: 200_000 }, (_, n) => `id ${n}`), text: 'x'.repeat(100) };
  const { notes } = shaped(record, { fields: null, budget: 100 }, json);
  expect(notes[0]).toBe('1 text was cut to 40 characters for --budget.');
});

test('a field that no record has is named with the existing fields', () => {
  const { notes } = shaped(list([{ id: 'a', name: 'n' }]), { fields: ['nmae'], budget: null }, json);
  expect(notes).toEqual(['No record has nmae. Fields are id, name.']);
  expect(shaped(list([]), { fields: ['nmae'], budget: null }, json).notes).toEqual([]);
});

test('numbers keep their digits', () => {
  const record = parseExact('{"id": 12345678901234567890, "text": "x"}');
  expect(json(shaped(record, { fields: ['id'], budget: 100 }, json).value)).toBe(
    '{"id":12345678901234567890}',
  );
});

test('a list is cut after whole records, and says how many are missing', () => {
  const items = Array.from({ length: 100 }, (_, n) => ({ id: `row ${n}`, text: 'x'.repeat(40) }));
  const { value, notes } = shaped(list(items), { fields: null, budget: 500 }, json);
  const cut = value as { items: unknown[]; leftOut: number; complete: boolean };
  expect(cut.items).toEqual(items.slice(0, cut.items.length));
  expect(cut).toMatchObject({ total: 100, complete: false, leftOut: 100 - cut.items.length });
  expect(notes).toEqual([`${cut.leftOut} of 100 records were left out for --budget.`]);
  expect(tokensOf(json(cut))).toBeLessThanOrEqual(500);
});

test('a record that is too large has its longest texts cut, each with the number of missing characters', () => {
  const record = { id: 'a', short: 'kept', long: 'x'.repeat(8_000), other: ['y'.repeat(9_000)] };
  const { value, notes } = shaped(record, { fields: null, budget: 1_000 }, json);
  expect(value).toMatchObject({ id: 'a', short: 'kept' });
  expect((value as typeof record).long).toMatch(/^x+… \(\d+ more characters\)$/);
  expect(notes).toEqual([expect.stringMatching(/^2 texts were cut to \d+ characters for --budget\.$/)]);
  const first = shaped(list([record, record]), { fields: null, budget: 1_000 }, json);
  expect(first.notes.at(-1)).toBe('1 of 2 records were left out for --budget.');
  const tiny = shaped(record, { fields: null, budget: 1 }, json);
  expect(tiny.notes.at(-1)).toMatch(/smaller than the shortest form of the answer. Choose fields/);
});

test('lines of a text are kept whole', () => {
  expect(shapedLines(['one', 'two'], 2)).toEqual(['one', 'two']);
  expect(shapedLines(['one', 'two', 'three'], 2)).toEqual([
    'one',
    'two',
    '… 1 of 3 lines were left out for --budget.',
  ]);
});

test('any answer within a budget: it fits or says that it cannot, and nothing is left out without a note', () => {
  const record = fc.dictionary(
    fc.string({ maxLength: 8 }),
    fc.oneof(fc.string({ maxLength: 200 }), fc.integer()),
  );
  fc.assert(
    fc.property(
      fc.oneof(record, fc.array(record), fc.array(record).map(list)),
      fc.integer({ min: 1, max: 400 }),
      (value, budget) => {
        const answer = shaped(value, { fields: null, budget }, json);
        const text = json(answer.value);
        const isImpossible = answer.notes.some((note) => note.includes('shortest form'));
        if (!isImpossible) expect(tokensOf(text)).toBeLessThanOrEqual(budget);
        if (answer.notes.length === 0) expect(text).toBe(json(value));
      },
    ),
  );
});

test('a file of an answer holds more records than a call has arguments', () => {
  const file = recordFile('all.jsonl');
  file?.add({ items: Array.from({ length: 200_000 }, (_, id) => ({ id })) }, null);
  expect(file?.text().split('\n')).toHaveLength(200_001);
});
