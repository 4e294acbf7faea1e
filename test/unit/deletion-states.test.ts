/** States of a deletion of events, and how its answers and the polls of its task change them. */
import { describe, expect, test } from 'vitest';
import {
  type DeletionCore,
  type DeletionEvent,
  deletionStateOf,
  deletionStatusOf,
  deletionTransition,
} from '../../electron/core/jobs/deletion.ts';
import { AppError } from '../../electron/shared/errors.ts';

const core = (state: DeletionCore['state'], taskStatus: string | null = null): DeletionCore => ({
  ...{ state, startAtMs: null, begunForMs: null, error: null, reason: '', lateStart: null },
  ...{ taskId: 't', taskStatus, progress: null },
});
const poll = (status: string | null): DeletionEvent => ({
  type: 'look',
  task: {
    ...{ jobId: 't', name: null, status, progress: null, errorMessage: 'x' },
    ...{ isOver: false, checkedAtMs: null, error: null },
  },
});

test('a stored status of the service without a task says nothing about the events', () => {
  expect(deletionStateOf('SUCCESS', 't')).toBe('done');
  expect(deletionStateOf('SUCCESS', null)).toBe('unknown');
  expect(deletionStatusOf(core('following'))).toBe('PENDING');
});

describe('a deletion that was cancelled before it was sent', () => {
  const events: DeletionEvent[] = [
    { type: 'answered', taskId: 't', status: null, progress: null },
    { type: 'fail', error: new AppError('TIMEOUT', 'x'), mayPass: false },
  ];
  test.each(events)('takes no later $type', (event) => {
    expect(() => deletionTransition(core('cancelled'), event)).toThrow(/^Cannot record the/);
  });
});

test('a poll without a status keeps the last one; a task that was revoked has no failure of its own', () => {
  expect(deletionTransition(core('following', 'STARTED'), poll(null))).toMatchObject({
    ...{ state: 'following', taskStatus: 'STARTED' },
  });
  const ended = (status: string) => deletionTransition(core('following'), poll(status));
  expect(ended('FAILURE')).toMatchObject({ state: 'failed', error: { code: 'SERVICE_FAILED' } });
  expect(ended('REVOKED')).toMatchObject({ state: 'failed', error: null });
});
