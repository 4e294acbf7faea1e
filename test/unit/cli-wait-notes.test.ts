import { expect, test } from 'vitest';
import { createWaitNotes } from '../../electron/cli/wait-notes.ts';
import { AppError } from '../../electron/shared/errors.ts';

const error = new AppError('CONNECTION_REFUSED', 'Nothing accepts connections.').toWire();
const progressOf = (done: number) => ({ progress: { done, total: null } });
const waits = (reason: string, done = 0) => ({
  ...{ state: 'waiting' as const, reason, error },
  ...progressOf(done),
});
const shouldContinue = (done = 0) => ({
  ...{ state: 'running' as const, reason: '', error: null },
  ...progressOf(done),
});

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
