/** Texts about evaluator rules that score only a sample of the matching spans (SERVICE.md F14). Pure. */
import { objectsOf } from '../../electron/shared/json-fields.ts';
import { draftOfRule, rateText, sampleShare } from '../../electron/shared/rule-dry-run.ts';
import { type JsonObject, textField } from './records.ts';

/** Selects rules by their name, or by the name of one of their outputs. */
export type RuleChoice = { rule: string } | { output: string };

/**
 * `of a 10 % sample` for the results of these rules of an application; empty if they score all spans, or if the rules
 * are unknown. If several rules match, all their rates are named.
 */
export function sampleNote(rules: readonly JsonObject[], applicationId: string, choice: RuleChoice): string {
  const rates = rules.flatMap((rule) => {
    if (!isChosen(rule, choice)) return [];
    const draft = draftOfRule(rule);
    if (draft === null || draft.applicationId !== applicationId) return [];
    return sampleShare(draft.samplingRate ?? 1) ?? [];
  });
  const samples = [...new Set(rates)].toSorted((one, other) => one - other);
  if (!samples.some((rate) => rate < 1)) return '';
  return `of a ${samples.map(rateText).join(' or ')} sample`;
}

const isChosen = (rule: JsonObject, choice: RuleChoice): boolean =>
  'rule' in choice
    ? textField(rule, 'name') === choice.rule
    : objectsOf(rule, 'outputs').some((output) => textField(output, 'name') === choice.output);
