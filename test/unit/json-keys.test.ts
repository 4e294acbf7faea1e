/** A JSON object that is filled in by its keys. */
import { expect, test } from 'vitest';
import { blankKeys, textsOf, withText } from '../../renderer/lib/form/json-keys.ts';

test('an object of texts is filled in by its keys, and by nothing else', () => {
  const blank = blankKeys(['question', 'context']);
  const texts = textsOf(blank) ?? [];
  expect(texts).toEqual([
    ['question', ''],
    ['context', ''],
  ]);
  const filled = withText(texts, 'question', 'She said "no". Why?');
  expect(JSON.parse(filled)).toEqual({ question: 'She said "no". Why?', context: '' });
  expect(JSON.parse(withText(textsOf(filled) ?? [], 'context', null))).toEqual({
    question: 'She said "no". Why?',
  });
  expect(withText([['only', 'x']], 'only', null)).toBe('');
  for (const other of ['', '{}', '[]', '{"turns": 3}', '{"a": "x", "b": null}', '{"a"'])
    expect(textsOf(other)).toBeNull();
});
