/** What was done on this computer is taken back, newest first. */
import { expect, test, vi } from 'vitest';
import { LocalActs } from '../../renderer/state/acts.svelte.ts';

test('the newest comes back first, and taking back is no act of its own', async () => {
  const acts = new LocalActs();
  const back: string[] = [];
  acts.did('Deleted “a”', () => {
    back.push('a');
    acts.did('Put “a” back', () => undefined);
  });
  acts.did('Deleted “b”', () => back.push('b'), { isQuiet: true });
  await acts.undo();
  await acts.undo();
  await acts.undo();
  expect(back).toEqual(['b', 'a']);
  expect(acts.list).toEqual([]);
});

test('one is taken back once, also out of order; one that fails stays', async () => {
  const acts = new LocalActs();
  const undo = vi.fn();
  acts.did('first', undo);
  acts.did('second', () => {
    throw new Error('Expected a disk that can be written.');
  });
  const [first] = acts.list;
  await acts.undo(first);
  await acts.undo(first);
  expect(undo).toHaveBeenCalledOnce();
  await expect(acts.undo()).rejects.toThrow('Expected a disk');
  expect(acts.list.map(({ done }) => done)).toEqual(['second']);
});

test('fifty are remembered, and none of a connection that was left', () => {
  const acts = new LocalActs();
  for (let at = 0; at < 60; at += 1) acts.did(`act ${at}`, () => undefined);
  expect(acts.list).toHaveLength(50);
  expect(acts.list[0]?.done).toBe('act 10');
  acts.clear();
  expect(acts.list).toEqual([]);
});
