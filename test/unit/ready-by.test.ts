/** Predicts whether a reading ends before a given time. */
import { expect, test } from 'vitest';
import { readyBy } from '../../electron/shared/ready-by.ts';

const MINUTE = 60_000;
const NOW = 1_000 * MINUTE;
const at = (ms: number) => `minute ${ms / MINUTE}`;

test.each([
  [
    { requests: 240, byLimitsMs: 24 * MINUTE, lastMs: 10 * MINUTE },
    NOW + 30 * MINUTE,
    'Yes: begun now, it takes about 24 min for 240 requests (by the limits of the service) and ends at minute 1024, 6 min before.',
  ],
  [
    { requests: 1, byLimitsMs: 0, lastMs: 125 * MINUTE },
    NOW + 60 * MINUTE,
    'No: begun now, it takes about 2 h 5 min for 1 request (as long as the last reading) and ends at minute 1125, 1 h 5 min too late.',
  ],
  [
    { requests: 3, byLimitsMs: 500, lastMs: null },
    NOW + MINUTE,
    'Yes: begun now, it takes less than a minute for 3 requests (by the limits alone: no reading has ended yet) and ends at minute 1000.0083333333333, less than a minute before.',
  ],
])('%o', (sync, byMs, text) => {
  const answer = readyBy(sync, { byMs, nowMs: NOW }, at);
  expect(answer.text).toBe(text);
  expect(answer.isReady).toBe(answer.endMs <= byMs);
});
