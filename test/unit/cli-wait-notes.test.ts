import { describe, expect, test } from 'vitest';
import { createHeldNotes, createWaitNotes } from '../../electron/cli/wait-notes.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

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
  // The service is probed every few seconds, and each probe fails.
  for (let look = 0; look < 20; look += 1) {
    expect([noteOf(shouldContinue()), noteOf(waits('Nothing accepts connections.'))]).toEqual([null, null]);
  }
  expect(noteOf(waits('The budget of the day is used.'))).toBe('waiting: The budget of the day is used.');
  expect([noteOf(shouldContinue(5)), noteOf(waits('The budget of the day is used.', 5))]).toEqual([
    null,
    'waiting: The budget of the day is used.',
  ]);
});

describe('a job that is paused because the disk is full', () => {
  const full = new AppError('DISK_FULL', 'The disk is full.').toWire();
  const paused = { state: 'paused' as const, reason: 'The disk is full.', error: full };
  const heard = () => {
    const clock = new VirtualClock();
    const notes: string[] = [];
    return { clock, notes, held: createHeldNotes(clock, (text) => notes.push(text)) };
  };

  test('says why it does not end, once', () => {
    const { clock, notes, held } = heard();
    for (let change = 0; change < 3; change += 1) held.hear(paused);
    clock.advance(5_000);
    expect(notes).toEqual(['paused: The disk is full.']);
  });

  test('says nothing if it ends at once, continues, or is paused for another reason', () => {
    const { clock, notes, held } = heard();
    held.hear(paused);
    held.stop();
    held.hear(paused);
    held.hear({ state: 'running', reason: '', error: null });
    held.hear({ ...paused, error });
    clock.advance(5_000);
    expect(notes).toEqual([]);
  });
});
