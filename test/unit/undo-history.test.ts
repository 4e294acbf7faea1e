/** Local actions are undone, the newest first, and redone. */
import { expect, test, vi } from 'vitest';
import { UndoHistory } from '../../renderer/state/undo-history.svelte.ts';

const nothing = () => undefined;

test('undoes the newest action first, and an undo is not an action of its own', async () => {
  const history = new UndoHistory();
  const back: string[] = [];
  const undo = () => {
    back.push('a');
    history.push('Put “a” back', { undo: nothing, redo: nothing });
  };
  history.push('Deleted “a”', { undo, redo: nothing });
  history.push('Deleted “b”', { undo: () => back.push('b'), redo: nothing }, { isQuiet: true });
  await history.undo();
  await history.undo();
  await history.undo();
  expect(back).toEqual(['b', 'a']);
  expect(history.list).toEqual([]);
});

test('redoes undone actions, back and forth, until another action is done', async () => {
  const history = new UndoHistory();
  const there = new Set<string>();
  const add = (name: string) => {
    const redo = () => there.add(name);
    redo();
    history.push(`Added ${name}`, { undo: () => there.delete(name), redo });
  };
  add('a');
  add('b');
  await history.redo();
  expect([...there]).toEqual(['a', 'b']);
  await history.undo();
  await history.undo();
  await history.redo();
  expect([...there]).toEqual(['a']);
  await history.redo();
  await history.undo();
  expect([...there]).toEqual(['a']);
  add('c');
  await history.redo();
  expect([...there]).toEqual(['a', 'c']);
  expect(history.list.map(({ done }) => done)).toEqual(['Added a', 'Added c']);
});

test('undoes each action once, in any order; keeps an action whose undo fails', async () => {
  const history = new UndoHistory();
  const undo = vi.fn();
  const refuse = () => {
    throw new Error('Expected a disk that can be written.');
  };
  history.push('first', { undo, redo: refuse });
  history.push('second', { undo: refuse, redo: nothing });
  const [first] = history.list;
  await history.undo(first);
  await history.undo(first);
  expect(undo).toHaveBeenCalledOnce();
  await expect(history.undo()).rejects.toThrow('Expected a disk');
  expect(history.list.map(({ done }) => done)).toEqual(['second']);
  await expect(history.redo()).rejects.toThrow('Expected a disk');
  expect(history.undone.map(({ done }) => done)).toEqual(['first']);
});

test('remembers fifty actions, and none of a connection that was left', async () => {
  const history = new UndoHistory();
  for (let at = 0; at < 60; at += 1) history.push(`act ${at}`, { undo: nothing, redo: nothing });
  expect(history.list).toHaveLength(50);
  expect(history.list[0]?.done).toBe('act 10');
  await history.undo();
  history.clear();
  expect([history.list, history.undone]).toEqual([[], []]);
});

test('an action done during an undo can be undone too', async () => {
  const history = new UndoHistory();
  const gate = Promise.withResolvers<void>();
  history.push('Renamed “a”', { undo: () => gate.promise, redo: nothing });
  const undoing = history.undo();
  history.push('Deleted “b”', { undo: nothing, redo: nothing });
  gate.resolve();
  await undoing;
  expect(history.list.map(({ done }) => done)).toEqual(['Deleted “b”']);
  // Another action was done in between, so the undone action cannot be redone.
  expect(history.undone).toEqual([]);
});

test('keeps an action that could not be undone in its place, and drops it after a change of the connection', async () => {
  const history = new UndoHistory();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [refused, left, again] = gates;
  history.push('first', { undo: () => refused?.promise, redo: nothing });
  const failing = history.undo();
  history.push('second', { undo: () => left?.promise, redo: () => again?.promise });
  refused?.reject(new Error('No.'));
  await expect(failing).rejects.toThrow('No.');
  expect(history.list.map(({ done }) => done)).toEqual(['first', 'second']);
  const undoing = history.undo();
  history.clear();
  left?.resolve();
  await undoing;
  expect([history.list, history.undone]).toEqual([[], []]);
});

test('records an action once it is done, unless its connection was left in the meantime', async () => {
  const history = new UndoHistory();
  await history.perform('Saved “a”', { undo: nothing, redo: nothing });
  expect(history.list.map(({ done }) => done)).toEqual(['Saved “a”']);
  const writing = Promise.withResolvers<undefined>();
  const saved = history.perform('Saved “b”', { undo: nothing, redo: () => writing.promise });
  history.clear();
  writing.resolve(undefined);
  await saved;
  expect(history.list).toEqual([]);
});
