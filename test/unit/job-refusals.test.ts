/** Messages when a job cannot do an action, and failures that pass without the user. */
import { expect, test } from 'vitest';
import { notNow } from '../../electron/core/jobs/not-now.ts';
import { isPassing } from '../../electron/core/jobs/send-outcome.ts';
import { AppError } from '../../electron/shared/errors.ts';

test('a rejection names the action, the job and its state in words', () => {
  expect(notNow('resume', 'this upload', 'needs-decision').message).toBe(
    'Cannot resume: this upload is waiting for a decision.',
  );
  expect(notNow('cancel the start', 'this build', 'done').message).toBe(
    'Cannot cancel the start: this build is done.',
  );
});

test('an upload and a build wait after the same failures: those that pass without the user', () => {
  for (const code of ['TIMEOUT', 'OFFLINE', 'QUEUE_FULL', 'PAUSED'] as const)
    expect(isPassing(new AppError(code, 'x'))).toBe(true);
  for (const status of [429, 500, 503])
    expect(isPassing(new AppError('SERVICE_FAILED', 'x', { status }))).toBe(true);
  expect(isPassing(new AppError('UNPROCESSABLE', 'x', { status: 422 }))).toBe(false);
  expect(isPassing(new AppError('FILE_CHANGED', 'x'))).toBe(false);
});
