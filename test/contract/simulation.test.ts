/** A short simulation of the whole engine: the same seed gives the same course, and all invariants hold. */
import { expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import { runSeed } from '../simulation/run-seed.ts';

test('a seed has the same course in another process and with a workspace generated anew, and its invariants are true', async () => {
  const asked = { seed: 12, acts: 300 };
  using empty = new DataFolder();
  const [first, second] = await Promise.all([runSeed(asked), runSeed({ ...asked, workspaces: empty.path })]);
  expect(second.hash).toBe(first.hash);
  expect(second).toEqual(first);
  expect(first.failures).toEqual([]);
  expect(first.requests).toBeGreaterThan(20);
});

test('a quit while the rows of an undo are counted leaves no timer', async () => {
  const focus = ['upload', 'undo an upload', 'forget an upload'];
  const { failures } = await runSeed({ seed: 4, acts: 40, focus });
  expect(failures).toEqual([]);
});

test('a save that is refused while its action still reads is not an unheard rejection', async () => {
  const { failures, errors } = await runSeed({ seed: 5_003, acts: 100 });
  expect(failures).toEqual([]);
  expect(errors).toHaveProperty('NO_TOKEN');
});
