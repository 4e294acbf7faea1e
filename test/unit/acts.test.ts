/** Local actions are undone, newest first, and redone. */
import { expect, test, vi } from 'vitest';
import { LocalActs } from '../../renderer/state/acts.svelte.ts';

const nothing = () => undefined;

test('undoes the newest action first, and an undo is no action of its own', async () => {
  const acts = new LocalActs();
  const back: string[] = [];
  const undo = () => {
    back.push('a');
    acts.did('Put “a” back', { undo: nothing, redo: nothing });
  };
  acts.did('Deleted “a”', { undo, redo: nothing });
  acts.did('Deleted “b”', { undo: () => back.push('b'), redo: nothing }, { isQuiet: true });
  await acts.undo();
  await acts.undo();
  await acts.undo();
  expect(back).toEqual(['b', 'a']);
  expect(acts.list).toEqual([]);
});

test('redoes undone actions, back and forth, until another action is done', async () => {
  const acts = new LocalActs();
  const there = new Set<string>();
  const add = (name: string) => {
    const redo = () => there.add(name);
    redo();
    acts.did(`Added ${name}`, { undo: () => there.delete(name), redo });
  };
  add('a');
  add('b');
  await acts.redo();
  expect([...there]).toEqual(['a', 'b']);
  await acts.undo();
  await acts.undo();
  await acts.redo();
  expect([...there]).toEqual(['a']);
  await acts.redo();
  await acts.undo();
  expect([...there]).toEqual(['a']);
  add('c');
  await acts.redo();
  expect([...there]).toEqual(['a', 'c']);
  expect(acts.list.map(({ done }) => done)).toEqual(['Added a', 'Added c']);
});

test('undoes each action once, in any order; keeps an action whose undo fails', async () => {
  const acts = new LocalActs();
  const undo = vi.fn();
  const refuse = () => {
    throw new Error('Expected a disk that can be written.');
  };
  acts.did('first', { undo, redo: refuse });
  acts.did('second', { undo: refuse, redo: nothing });
  const [first] = acts.list;
  await acts.undo(first);
  await acts.undo(first);
  expect(undo).toHaveBeenCalledOnce();
  await expect(acts.undo()).rejects.toThrow('Expected a disk');
  expect(acts.list.map(({ done }) => done)).toEqual(['second']);
  await expect(acts.redo()).rejects.toThrow('Expected a disk');
  expect(acts.undone.map(({ done }) => done)).toEqual(['first']);
});

test('remembers fifty actions, and none of a connection that was left', async () => {
  const acts = new LocalActs();
  for (let at = 0; at < 60; at += 1) acts.did(`act ${at}`, { undo: nothing, redo: nothing });
  expect(acts.list).toHaveLength(50);
  expect(acts.list[0]?.done).toBe('act 10');
  await acts.undo();
  acts.clear();
  expect([acts.list, acts.undone]).toEqual([[], []]);
});

test('an action done during an undo can be undone too', async () => {
  const acts = new LocalActs();
  const gate = Promise.withResolvers<void>();
  acts.did('Renamed “a”', { undo: () => gate.promise, redo: nothing });
  const undoing = acts.undo();
  acts.did('Deleted “b”', { undo: nothing, redo: nothing });
  gate.resolve();
  await undoing;
  expect(acts.list.map(({ done }) => done)).toEqual(['Deleted “b”']);
  // Another action was done since: the undone one is not redone over it.
  expect(acts.undone).toEqual([]);
});

test('keeps an action that could not be undone in its place, and drops it once its connection was left', async () => {
  const acts = new LocalActs();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [refused, left, again] = gates;
  acts.did('first', { undo: () => refused?.promise, redo: nothing });
  const failing = acts.undo();
  acts.did('second', { undo: () => left?.promise, redo: () => again?.promise });
  refused?.reject(new Error('No.'));
  await expect(failing).rejects.toThrow('No.');
  expect(acts.list.map(({ done }) => done)).toEqual(['first', 'second']);
  const undoing = acts.undo();
  acts.clear();
  left?.resolve();
  await undoing;
  expect([acts.list, acts.undone]).toEqual([[], []]);
});
