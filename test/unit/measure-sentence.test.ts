/** Texts about differences of measures, such as durations and tokens. */
import { expect, test } from 'vitest';
import { measureSentence } from '../../electron/shared/figure-words.ts';
import type { ScoreFigures } from '../../electron/shared/score-comparison.ts';

const said = (value: number, interval: [number, number] | null) =>
  measureSentence({
    kind: 'mean',
    difference: { value, interval, items: 40 } as ScoreFigures['difference'],
  });

test.each([
  [121.4, [66, 178], 'More by 121. 95 % sure: between 66 and 178.'],
  [-121.4, [-178, -66], 'Less by 121. 95 % sure: between 66 and 178.'],
  [0.33, [-16, 16.6], 'More by 0.33. It may be chance: 95 % sure between -16 and 16.6.'],
  [5, null, 'More by 5.'],
  [0, [0, 0], 'No difference.'],
] as const)('%f within %j', (value, interval, words) => {
  expect(said(value, interval === null ? null : [...interval])).toBe(words);
});

test('a measure of a single run has no sentence', () => {
  expect(measureSentence({ kind: 'mean', difference: null })).toBe('');
});
