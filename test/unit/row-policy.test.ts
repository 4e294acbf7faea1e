import { describe, expect, test } from 'vitest';
import { isRowPolicy, mostBadRows, policyText } from '../../electron/shared/row-policy.ts';

describe('the policy for bad rows', () => {
  test('accepts two words, a number of rows and a percentage, and nothing else', () => {
    for (const policy of ['stop', 'skip', 'after=0', 'after=10', 'after=5%', 'after=100%'])
      expect(isRowPolicy(policy)).toBe(true);
    for (const policy of ['', 'Stop', 'after', 'after=', 'after=-1', 'after=1.5', 'after=101%', 'after=1 %'])
      expect(isRowPolicy(policy)).toBe(false);
  });
  test('says how many rows of a file may be bad', () => {
    expect(mostBadRows('stop', 1_000)).toBe(0);
    expect(mostBadRows('skip', 1_000)).toBe(Number.POSITIVE_INFINITY);
    expect(mostBadRows('after=10', 1_000)).toBe(10);
    expect(mostBadRows('after=5%', 1_000)).toBe(50);
    // The result is rounded down, so it never exceeds the percentage.
    expect(mostBadRows('after=5%', 19)).toBe(0);
    expect(policyText('after=1')).toBe('stops after 1 bad row');
  });
});
