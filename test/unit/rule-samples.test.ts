/** How results of a rule that takes a sample are said. */
import { expect, test } from 'vitest';
import { sampleNote } from '../../renderer/lib/rule-samples.ts';

const rule = (name: string, samplingRate: unknown, application = 'a') => ({
  ...{ name, sampling_rate: samplingRate, application: { id: application, name: 'Support' } },
});

test.each([
  [[rule('Short drafts', 0.1)], 'of a 10 % sample'],
  [[rule('Short drafts', 0.005)], 'of a 0.5 % sample'],
  [[rule('Short drafts', 1)], ''],
  [[rule('Short drafts', null)], ''],
  [[], ''],
  [[rule('Another', 0.1)], ''],
  [[rule('Short drafts', 0.1, 'b')], ''],
  [[rule('Short drafts', 1), rule('Short drafts', 0.1)], 'of a 10 % or 100 % sample'],
  [[{ name: 'Short drafts', sampling_rate: 0.1 }], ''],
])('%j: %j', (rules, words) => {
  expect(sampleNote(rules, 'a', 'Short drafts')).toBe(words);
});
