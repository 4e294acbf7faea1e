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

const OFTEN: Readonly<Record<string, string>> = {
  Hour: 'hourly',
  Day: 'daily',
  Week: 'weekly',
  Month: 'monthly',
  Quarter: 'quarterly',
};

/** The first act of the rule, and its limits in words. */
function limitsOf({ isAutomatic, multipliers, warning, critical }: RuleParts): string[] {
  const levels = isAutomatic ? multipliers : { warning, critical };
  const limits = [
    { word: 'Warn', level: levels.warning },
    { word: 'Alert as critical', level: levels.critical },
  ].flatMap(({ word, level }) => (level === null ? [] : [{ word, level: formatNumber(level) }]));
  const [first, second] = limits;
  if (first === undefined)
    return [
      'Alert',
      `beyond ${isAutomatic ? 'the thresholds that the service sets' : 'a threshold that is not set'}`,
    ];
  const deviations = isAutomatic ? ' standard deviations from its mean' : '';
  return [
    first.word,
    `${first.level}${second === undefined ? '' : `, as critical ${second.level}`}${deviations}`,
  ];
}

/** When the rule fires: `Warn if Traffic of Card fraud is below 80, as critical 60, daily.` */
export function ruleSentence(rule: RuleParts): string {
  const { modelName, applicationName, category, segmentName, baselineName } = rule;
  const features = rule.features.length === 0 ? '' : ` of ${featureText(rule.features)}`;
  const subject = modelName || applicationName;
  const watched = [
    `${rule.metricName || 'a metric'}${features}`,
    ...(category === '' ? [] : [`for ${category}`]),
    ...(subject === '' ? [] : [`${features === '' ? 'of' : 'in'} ${subject}`]),
    ...(segmentName === '' ? [] : [`in the segment ${segmentName}`]),
  ].join(' ');
  const bins = rule.delta === null || rule.delta === 1 ? 'the bin' : `${formatNumber(rule.delta)} bins`;
  const [acts = '', limits = ''] = limitsOf(rule);
  const side = rule.isAbove ? 'above' : 'below';
  const limit = limits.startsWith('beyond') ? limits : `${side} ${limits}`;
  return `${[
    `${acts} if ${rule.isChange ? `the change of ${watched} against ${bins} before` : watched} is ${limit}`,
    ...(rule.binSize === '' ? [] : [OFTEN[rule.binSize] ?? `each ${rule.binSize.toLowerCase()}`]),
    ...(baselineName === '' ? [] : [`against the baseline ${baselineName}`]),
  ].join(', ')}.`;
}
