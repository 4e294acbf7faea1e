/** The texts that explain why a job waits. */
import { expect, it } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { jobReason, obstacleOf, startOfJob } from '../../renderer/lib/job-reason.ts';
import { waitNote } from '../../renderer/lib/write-block.ts';

const refused = new AppError('CONNECTION_REFUSED', 'Nothing accepts connections at 127.0.0.1:1.').toWire();
const offline = new AppError('OFFLINE', 'POST /v3/x was not sent.').toWire();
const full = new AppError('DISK_FULL', 'The disk is full.').toWire();
const of = { reason: 'A reason.', startAtMs: null };

it.each([
  ['waiting', offline, 'waits until you go online'],
  ['waiting', refused, 'waits until the service can be reached (connection refused)'],
  ['waiting', full, 'The disk is full.'],
  ['paused', refused, 'Nothing accepts connections at 127.0.0.1:1.'],
  ['paused', null, 'A reason.'],
] as const)('%s: %o', (state, error, said) => {
  expect(jobReason({ ...of, state, error })).toBe(said);
});

it('a due job that cannot send says what it waits for; before that, when it starts', () => {
  expect(startOfJob({ startAtMs: 1_000, error: refused }, 2_000)).toMatch(/^waits until the service/);
  expect(startOfJob({ startAtMs: 1_000, error: null }, 2_000)).toBe('starts now');
  expect(startOfJob({ startAtMs: 3_600_000, error: refused }, 0)).toMatch(/^starts at/);
});

it('a planned change that is due says why it is not started', () => {
  const held = { kind: 'bulk', startAtMs: 1_000, reason: 'until “Delete 2 rules” ends' } as const;
  expect(obstacleOf(held, 1_000)).toBe('until “Delete 2 rules” ends');
  expect(obstacleOf(held, 999), 'before its time').toBe('');
  expect(obstacleOf({ ...held, startAtMs: null, reason: 'Paused.' }, 1_000)).toBe('');
  expect(obstacleOf({ ...held, kind: 'build', reason: 'Paused.' }, 1_000)).toBe('');
});

it('a job says before its start that it waits, unless it can send', () => {
  expect(waitNote('switched-off')).toContain('online');
  expect(waitNote('unreachable')).toContain('can be reached');
  expect([waitNote('online'), waitNote('unknown'), waitNote('unauthorized')]).toEqual([null, null, null]);
});
