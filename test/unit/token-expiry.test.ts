/** When the token in use expires: which key it belongs to, and the texts about it. */
import { expect, test } from 'vitest';
import { expiryOf, expirySentence, keyInUse, timeLeft, urgencyOf } from '../../renderer/lib/token-expiry.ts';

const NOW = Date.UTC(2026, 4, 1, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const key = (name: string, suffix: string, expiresAt: string | null = null) => ({
  ...{ key_id: `fkh_${name}`, name, key_suffix: suffix, expires_at: expiresAt },
});

test('finds the key by the last characters of the token, and none if two keys end with them', () => {
  const keys = [key('one', 'ab12Qz'), key('two', 'cd34Xy'), key('bare', '')];
  expect(keyInUse(keys, '34Xy')).toMatchObject({ name: 'two' });
  expect(keyInUse(keys, '9999')).toBeNull();
  expect(keyInUse([...keys, key('three', 'ee34Xy')], '34Xy')).toBeNull();
  // A short token has no hint, so its key cannot be found.
  expect(keyInUse(keys, '')).toBeNull();
});

test('has no expiry without a time', () => {
  expect(expiryOf(null)).toBeNull();
  expect(expiryOf(key('one', 'ab12Qz'))).toBeNull();
  expect(expiryOf(key('one', 'ab12Qz', 'never'))).toBeNull();
  expect(expiryOf(key('one', 'ab12Qz', '2026-05-07T12:00:00Z'))).toEqual({
    ...{ keyId: 'fkh_one', keyName: 'one', expiresAtMs: NOW + 6 * DAY },
  });
});

test.each([
  [6 * DAY, 'in 6 days'],
  [6 * DAY - 1_000, 'in 5 days'],
  [DAY, 'in 1 day'],
  [DAY - 1, 'in 23 hours'],
  [HOUR, 'in 1 hour'],
  [HOUR - 1, 'in less than an hour'],
  [0, null],
  [-DAY, null],
])('%i ms before the end: %s', (leftMs, words) => {
  expect(timeLeft(NOW + leftMs, NOW)).toBe(words);
  expect(expirySentence({ keyId: '', keyName: '', expiresAtMs: NOW + leftMs }, NOW)).toBe(
    words === null ? 'This token has expired.' : `This token expires ${words}.`,
  );
});

test.each([
  [15 * DAY, 'none'],
  [14 * DAY, 'info'],
  [3 * DAY, 'warn'],
  [-DAY, 'warn'],
])('%i ms before the end it is marked as %s', (leftMs, urgency) => {
  expect(urgencyOf({ keyId: '', keyName: '', expiresAtMs: NOW + leftMs }, NOW)).toBe(urgency);
});
