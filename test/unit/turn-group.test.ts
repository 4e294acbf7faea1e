/** Writes within one turn of the event loop share a transaction, and a failing write does not affect the others. */
import { expect, test } from 'vitest';
import { TurnGroup } from '../../electron/jobs/turn-group.ts';

test('writes of one turn are one group, in order; later ones are the next group', async () => {
  const written: number[][] = [];
  const group = new TurnGroup<number>((items) => void written.push([...items]));
  await Promise.all([group.add(1), Promise.resolve().then(() => group.add(2)), group.add(3)]);
  await group.add(4);
  expect(written).toEqual([[1, 3, 2], [4]]);
});

test('no caller is notified before it is written', async () => {
  const seen: string[] = [];
  const group = new TurnGroup<string>((items) => void seen.push(`written ${items.join(' ')}`));
  await Promise.all(['a', 'b'].map((item) => group.add(item).then(() => seen.push(`heard ${item}`))));
  expect(seen).toEqual(['written a b', 'heard a', 'heard b']);
});

test('a failing write fails alone: the others are written', async () => {
  const stored: string[] = [];
  const group = new TurnGroup<string>((items) => {
    // Throws if one item fails, like a transaction that stores all items or none.
    if (items.includes('bad')) throw new Error('no room');
    stored.push(...items);
  });
  const outcomes = await Promise.allSettled(['first', 'bad', 'last'].map((item) => group.add(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(stored).toEqual(['first', 'last']);
});

test('no caller is notified before it is on disk; meanwhile added writes are the next group', async () => {
  const seen: string[] = [];
  let reached = Promise.withResolvers<void>();
  const group = new TurnGroup<string>(
    (items) => void seen.push(`written ${items.join(' ')}`),
    () => reached.promise,
  );
  const heard = (item: string) => group.add(item).then(() => void seen.push(`heard ${item}`));
  const first = heard('a');
  await new Promise(setImmediate);
  const others = [heard('b'), heard('c')];
  await new Promise(setImmediate);
  expect(seen).toEqual(['written a']);
  reached.resolve();
  reached = Promise.withResolvers();
  await first;
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(seen).toEqual(['written a', 'heard a', 'written b c']);
  reached.reject(new Error('the disk is broken'));
  expect((await Promise.allSettled(others)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('a write added while a group is written belongs to the next one', async () => {
  const written: number[][] = [];
  let late: Promise<void> = Promise.resolve();
  const group = new TurnGroup<number>((items) => {
    written.push([...items]);
    if (items.includes(1)) late = group.add(2);
  });
  await group.add(1);
  await late;
  expect(written).toEqual([[1], [2]]);
});
