/** Texts about the results of a rule that checks only a sample of the spans. */
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
  expect(sampleNote(rules, 'a', { rule: 'Short drafts' })).toBe(words);
});

test('finds the rules of an output, whatever they are named', () => {
  const outputs = (name: string) => ({ outputs: [{ name, possible_values: [] }] });
  const rules = [
    { ...rule('Short drafts', 0.1), ...outputs('is_concise') },
    { ...rule('Safety', 0.5), ...outputs('toxicity_prob') },
    { ...rule('Short drafts', 0.2, 'b'), ...outputs('is_concise') },
    { ...rule('Without outputs', 0.3) },
  ];
  expect(sampleNote(rules, 'a', { output: 'is_concise' })).toBe('of a 10 % sample');
  expect(sampleNote(rules, 'a', { output: 'length' })).toBe('');
});
