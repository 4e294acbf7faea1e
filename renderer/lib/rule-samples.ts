/** Sentences for results of evaluator rules that score only a sample of the matching spans (SERVICE.md F14). Pure. */
import { draftOfRule, rateText, sampleShare } from '../../electron/shared/rule-dry-run.ts';
import { type JsonObject, textField } from './records.ts';

/**
 * `of a 10 % sample` for the results of the rule of this name in an application; empty if it takes everything, or if the
 * rules are not known. Of several rules of one name, all rates are named.
 */
export function sampleNote(rules: readonly JsonObject[], applicationId: string, ruleName: string): string {
  const rates = rules.flatMap((rule) => {
    if (textField(rule, 'name') !== ruleName) return [];
    const draft = draftOfRule(rule);
    if (draft === null || draft.applicationId !== applicationId) return [];
    return sampleShare(draft.samplingRate ?? 1) ?? [];
  });
  const samples = [...new Set(rates)].toSorted((one, other) => one - other);
  if (!samples.some((rate) => rate < 1)) return '';
  return `of a ${samples.map(rateText).join(' or ')} sample`;
}
