/** Describes an alert rule in words (SERVICE.md F6.1, F6.2). Pure. */
import type { RuleParts } from '../../../electron/shared/alert-rule.ts';
import { ANY_COLUMN } from '../../../electron/shared/metrics.ts';
import { formatNumber } from '../format.ts';

export const PRIORITIES = ['HIGH', 'MEDIUM', 'LOW'] as const;
export const RULE_BINS = ['Hour', 'Day', 'Week', 'Month'] as const;

/** Number of bins back that a rule can compare with, by bin size (SERVICE.md F6.1). */
export const COMPARE_DELTAS: Readonly<Record<string, readonly number[]>> = {
  Hour: [1, 24, 168, 720, 2_160],
  Day: [1, 7, 30, 90],
  Week: [1],
  Month: [1],
};

/** Columns in words: `amount, income`, `every column`. */
export function featureText(features: readonly string[]): string {
  if (features.includes(ANY_COLUMN)) return 'every column';
  return features.length > 4
    ? `${features.slice(0, 3).join(', ')} and ${features.length - 3} more`
    : features.join(', ');
}

function levelText(
  rule: RuleParts,
  word: string,
  level: number | null,
  multiplier: number | null,
): string | null {
  const side = rule.isAbove ? 'above' : 'below';
  if (rule.isAutomatic) {
    if (multiplier === null) return null;
    return `${word} ${side} the mean by ${formatNumber(multiplier)} standard deviations`;
  }
  return level === null ? null : `${word} ${side} ${formatNumber(level)}`;
}

/** The watched value and the condition of the rule, in one sentence. */
export function ruleSentence(rule: RuleParts): string {
  const about = rule.features.length === 0 ? '' : ` of ${featureText(rule.features)}`;
  const category = rule.category === '' ? '' : ` for ${rule.category}`;
  const bins = rule.delta === null || rule.delta === 1 ? 'the bin' : `${formatNumber(rule.delta)} bins`;
  const change = rule.isChange ? `, as its change against ${bins} before` : '';
  const levels = [
    levelText(rule, 'Critical', rule.critical, rule.multipliers.critical),
    levelText(rule, 'warning', rule.warning, rule.multipliers.warning),
  ].filter((text) => text !== null);
  const fires =
    levels.length > 0
      ? ` ${levels.join(', ')}.`.replace(' warning', levels.length === 1 ? ' Warning' : ' warning')
      : rule.isAutomatic
        ? ' The service sets the thresholds.'
        : '';
  const size = rule.binSize === '' ? '' : `, each ${rule.binSize.toLowerCase()}`;
  return `${rule.metricName || 'A metric'}${about}${category}${size}${change}.${fires}`;
}
