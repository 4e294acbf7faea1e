import { expect, test } from 'vitest';
import { edited } from '../../electron/library/snapshot-request.ts';

const LINES = [
  '{"id":"a","inputs":{"q":1.10},"source_name":"span","source_id":"s1"}',
  '{"id":"b","inputs":{"q":2}}',
  '{"id":"c","inputs":{"q":3}}',
];

test('items that stay are as they came, replaced ones keep their span, new ones come last', () => {
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
