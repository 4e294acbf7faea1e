import { expect, test } from 'vitest';
import { createWaitNotes } from '../../electron/cli/wait-notes.ts';

const waits = (reason: string, done = 0) => ({ state: 'waiting', reason, error: {}, counts: { done } });
const shouldContinue = (done = 0) => ({ state: 'running', reason: '', error: null, counts: { done } });

test('shows why it waits once, and again only after progress', () => {
  const noteOf = createWaitNotes();
  expect(noteOf(shouldContinue())).toBe(null);
  expect(noteOf(waits('Nothing accepts connections.'))).toBe('waiting: Nothing accepts connections.');
  // A failed probe of the service, every few seconds.
  for (let look = 0; look < 20; look += 1) {
    expect([noteOf(shouldContinue()), noteOf(waits('Nothing accepts connections.'))]).toEqual([null, null]);
  }
  expect(noteOf(waits('The budget of the day is used.'))).toBe('waiting: The budget of the day is used.');
  expect([noteOf(shouldContinue(5)), noteOf(waits('The budget of the day is used.', 5))]).toEqual([
    null,
    'waiting: The budget of the day is used.',
  ]);
});
