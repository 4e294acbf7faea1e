import { describe, expect, test } from 'vitest';
import { createHeldNotes, createWaitNotes, waitingFor } from '../../electron/cli/wait-notes.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { NetworkState } from '../../electron/shared/model.ts';
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

test('a job whose requests wait for the service shows why, with what to do, like a waiting one', () => {
  const noteOf = createWaitNotes();
  const nextStep = 'Enter a password.';
  const asks = new AppError('PROXY_FAILED', 'The proxy refused it.', { nextStep }).toWire();
  const network = (state: NetworkState['state'], reason: NetworkState['error']) =>
    waitingFor(
      { connectionId: 'c', state, sinceMs: 0, error: reason, lastAnswerMs: null, silence: null },
      { done: 0, total: 5 },
    );
  expect(network('online', null)).toBe(null);
  const heard = network('unreachable', asks);
  expect(heard === null ? null : noteOf(heard)).toBe('waiting: The proxy refused it. Enter a password.');
  // The job itself waits then, too.
  expect(noteOf({ ...waits(asks.message), error: asks })).toBe(null);
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
