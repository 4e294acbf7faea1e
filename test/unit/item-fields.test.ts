import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BUCKETS } from '../../electron/shared/dataset-model.ts';
import { parseExactObject, writeExact } from '../../electron/shared/exact-json.ts';
import { blankKeys, withKey } from '../../renderer/lib/form/json-keys.ts';
import { fieldsOfItem, itemOfFields, itemTitle } from '../../renderer/lib/item-fields.ts';

test('an item split into fields is the same item when joined, whatever it contains', () => {
  const key = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text !== '__proto__');
  const bucket = fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 4 });
  fc.assert(
    fc.property(fc.record(Object.fromEntries(BUCKETS.map((name) => [name, bucket]))), (item) => {
      const exact = parseExactObject(JSON.stringify(item));
      const made = itemOfFields(fieldsOfItem(exact));
      expect('item' in made ? writeExact(made.item) : made).toBe(writeExact(exact));
    }),
    { numRuns: 100 },
  );
});

test("digits beyond JavaScript's precision are kept", () => {
  const item = parseExactObject('{"inputs":{"big":9007199254740993,"text":"1.10"}}');
  const fields = fieldsOfItem(item);
  expect(fields).toEqual([
    { bucket: 'inputs', key: 'big', kind: 'json', text: '9007199254740993' },
    { bucket: 'inputs', key: 'text', kind: 'text', text: '1.10' },
  ]);
  const made = itemOfFields(fields);
  expect('item' in made && writeExact(made.item)).toBe('{"inputs":{"big":9007199254740993,"text":"1.10"}}');
});

test('reports why an item cannot be edited as fields', () => {
  const field = { bucket: 'inputs', key: 'a', kind: 'json', text: '{' } as const;
  expect(itemOfFields([field])).toEqual({
    problem: 'The value of a is not JSON. Text can be kept as text.',
  });
  expect(itemOfFields([{ ...field, key: '' }])).toEqual({ problem: 'Name every key.' });
  const text = { ...field, kind: 'text' } as const;
  expect(itemOfFields([text, text])).toEqual({ problem: 'The key a occurs twice in one bucket.' });
  expect(itemOfFields([])).toEqual({ problem: 'An item has at least one field.' });
});

test('a key and its value are inserted into the text of an object; a failure is reported, and nothing is lost', () => {
  const big = '{"n": 9007199254740993}';
  expect(withKey(big, { key: 'q', kind: 'text', value: 'a "b"' })).toEqual({
    text: '{\n  "n": 9007199254740993,\n  "q": "a \\"b\\""\n}',
  });
  expect(withKey('', { key: 'on', kind: 'json', value: '[true]' })).toEqual({
    text: '{\n  "on": [true]\n}',
  });
  const problemOf = (text: string, key: string, value: string) => {
    const made = withKey(text, { key, kind: 'json', value });
    return 'problem' in made ? made.problem : null;
  };
  expect(problemOf('{"a": ', 'b', '1')).toMatch(/not a JSON object/);
  expect(problemOf('[1]', 'b', '1')).toMatch(/not a JSON object/);
  expect(problemOf('{"a": 1}', 'a', '1')).toBe('The key a is there already.');
  expect(problemOf('', '', '1')).toBe('Enter a key.');
  expect(problemOf('', 'b', 'yes')).toMatch(/not JSON/);
});

test('an item is titled by its first text', () => {
  expect(itemTitle({ inputs: { n: 1, q: ' Who\npays? ' } })).toBe('Who pays?');
  expect(itemTitle({ inputs: { n: 1 } })).toBe('{"n":1}');
  expect(itemTitle({ metadata: { a: 'b' } })).toBe('{"metadata":{"a":"b"}}');
});

test('keys of other items begin as empty texts, which a value with the same key fills in', () => {
  expect(blankKeys([])).toBe('');
  const blank = blankKeys(['question', 'context']);
  expect(JSON.parse(blank)).toEqual({ question: '', context: '' });
  const filled = withKey(blank, { key: 'question', kind: 'text', value: 'Why?' });
  expect('text' in filled && JSON.parse(filled.text)).toEqual({ question: 'Why?', context: '' });
  expect(withKey('{"question": "Why?"}', { key: 'question', kind: 'text', value: 'How?' })).toHaveProperty(
    'problem',
  );
});
