import { expect, test } from 'vitest';
import { chosen, edited } from '../../electron/library/snapshot-request.ts';

const LINES = [
  '{"id":"a","inputs":{"q":1.10},"source_name":"span","source_id":"s1"}',
  '{"id":"b","inputs":{"q":2}}',
  '{"id":"c","inputs":{"q":3}}',
];

test('untouched items stay unchanged, replaced ones keep their span, new ones come last', () => {
  const edits = {
    removed: ['b'],
    replaced: [{ itemId: 'a', item: { inputs: { q: 'new' } } }],
    added: [{ inputs: { q: 'more' } }],
  };
  expect([...edited(LINES, edits)]).toEqual([
    '{"source_name":"span","source_id":"s1","inputs":{"q":"new"}}',
    '{"id":"c","inputs":{"q":3}}',
    '{"inputs":{"q":"more"}}',
  ]);
  expect([...edited(LINES, null)]).toEqual(LINES);
});

test('an edit of an item that the version does not have is an error, not a silent loss', () => {
  const edits = { replaced: [{ itemId: 'later', item: { inputs: { q: 'x' } } }], removed: [], added: [] };
  expect(() => [...edited(['{"id":"1","inputs":{"q":"a"}}'], edits)]).toThrow(
    /^1 edited item is not in this version: later\./,
  );
});

test('a choice of items keeps their order and texts, and refuses one that the version does not have', () => {
  expect([...chosen(LINES, ['c', 'a'])]).toEqual([LINES[0], LINES[2]]);
  expect([...chosen(LINES, null)]).toEqual(LINES);
  expect(() => [...chosen(LINES, ['a', 'x', 'y'])]).toThrow(
    '2 chosen items are not in this version: x, y. Read all items once, so that there is a version that has them; then choose again.',
  );
});
