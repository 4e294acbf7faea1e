/** Whether shown data may be changed after the address of its connection was changed. */
import { expect, test } from 'vitest';
import { moveBlock } from '../../renderer/lib/write-block.ts';

const MOVED_AT = 1_000_000;
const connection = { movedFrom: { baseUrl: 'https://a.example', atMs: MOVED_AT } };
const block = (oldestMs: number | null, nowMs = MOVED_AT + 1_000) =>
  moveBlock(connection, { oldestMs }, nowMs);

test('data that was read before the move is blocked, and data read since is not', () => {
  expect(block(MOVED_AT - 1)).toContain('former address');
  expect(block(MOVED_AT)).toBeNull();
  expect(block(null)).toBeNull();
});

test('data that was read while the clock was ahead does not count as new', () => {
  expect(block(MOVED_AT + 1_001)).toContain('former address');
});
