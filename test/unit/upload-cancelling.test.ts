/** An upload is cancelled while requests are in flight. */
import { expect, test } from 'vitest';
import { NEW_UPLOAD, uploadTransition } from '../../electron/core/jobs/upload-job.ts';

test('a failure ends the cancelling, and the job says why it stopped', () => {
  const sending = [
    { type: 'start' } as const,
    { type: 'scanned', rows: 4, rejected: 0 } as const,
    { type: 'batch', from: null, to: 'pending', rows: 4 } as const,
    { type: 'batch', from: 'pending', to: 'sending', rows: 4 } as const,
    { type: 'cancel' } as const,
  ].reduce(uploadTransition, NEW_UPLOAD);
  expect(sending.isCancelling).toBe(true);
  const failed = uploadTransition(sending, {
    type: 'fail',
    reason: 'The store cannot be written.',
    error: null,
  });
  expect(failed).toMatchObject({ isCancelling: false, reason: 'The store cannot be written.' });
});
