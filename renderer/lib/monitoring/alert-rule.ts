/** Describes an alert rule in words (SERVICE.md F6.1, F6.2). Pure. */
import type { RuleParts } from '../../../electron/shared/alert-rule.ts';
import { ANY_COLUMN } from '../../../electron/shared/metrics.ts';
import { formatCount, formatNumber } from '../format.ts';

export const PRIORITIES = ['HIGH', 'MEDIUM', 'LOW'] as const;
export const RULE_BINS = ['Hour', 'Day', 'Week', 'Month'] as const;

/** Number of bins back that a rule can compare with, by bin size (SERVICE.md F6.1). */
export const COMPARE_DELTAS: Readonly<Record<string, readonly number[]>> = {
  Hour: [1, 24, 168, 720, 2_160],
  Day: [1, 7, 30, 90],
  Week: [1],
  Month: [1],
};

/** Columns in words: `amount, income`, `any column`. */
export function featureText(features: readonly string[]): string {
  if (features.includes(ANY_COLUMN)) return 'any column';
  return features.length > 4
    ? `${features.slice(0, 3).join(', ')} and ${features.length - 3} more`
    : features.join(', ');
}

/** The columns of a rule. A rule over several fires if one of them passes a limit: ` of any of amount, income`. */
function columnsOf(features: readonly string[]): string {
  if (features.length === 0) return '';
  const isSeveral = features.length > 1 && !features.includes(ANY_COLUMN);
  return ` of ${isSeveral ? 'any of ' : ''}${featureText(features)}`;
}

const OFTEN: Readonly<Record<string, string>> = {
  Hour: 'hourly',
  Day: 'daily',
  Week: 'weekly',
  Month: 'monthly',
  Quarter: 'quarterly',
};

interface LimitWords {
  act: string;
  limit: string;
  /** For narrow lines: `warn below 80, critical below 60`. */
  short: string;
}

/** The limits of a rule in words; `act` is its first action. */
function limitsOf({ isAbove, isAutomatic, multipliers, warning, critical }: RuleParts): LimitWords {
  const levels = isAutomatic ? multipliers : { warning, critical };
  const side = isAbove ? 'above' : 'below';
  const first = levels.warning ?? levels.critical;
  if (first === null) {
    const limit = isAutomatic ? 'the thresholds that the service sets' : 'a threshold that is not set';
    return {
      act: 'Alert',
      limit: `beyond ${limit}`,
      short: isAutomatic ? 'thresholds of the service' : 'no threshold',
    };
  }
  const act = levels.warning === null ? 'Alert as critical' : 'Warn';
  const shortAct = levels.warning === null ? 'critical' : 'warn';
  const second = levels.warning === null ? null : levels.critical;
  const also = (word: string): string =>
    second === null ? '' : `, critical ${word} ${formatNumber(second)}`;
  if (!isAutomatic) {
    const limit = `${side} ${formatNumber(first)}${also(side)}`;
    return { act, limit, short: `${shortAct} ${limit}` };
  }
  return {
    act,
    limit: `more than ${formatCount(first, 'standard deviation')} ${side} its mean${also('at')}`,
    short: `${shortAct} ${formatNumber(first)} SD ${side} mean${also('at')}`,
  };
}

/** `in the segment Large amounts`; `in a segment` if only its id is known; empty if there is none. */
function named(joint: string, noun: string, name: string, id: string): string[] {
  if (name !== '') return [`${joint} the ${noun} ${name}`];
  return id === '' ? [] : [`${joint} a ${noun}`];
}

/** The watched value, and how often and against which baseline it is checked. */
function watchedOf(rule: RuleParts): { watched: string; rest: string[] } {
  const { modelName, applicationName, category, segmentName, segmentId, baselineName, baselineId } = rule;
  const isOfModel = rule.features.length === 0 || rule.features.includes(ANY_COLUMN);
  const subject = modelName || applicationName;
  const watched = [
    `${rule.metricName || 'a metric'}${columnsOf(rule.features)}`,
    ...(category === '' ? [] : [`for ${category}`]),
    ...(subject === '' ? [] : [`${isOfModel ? 'of' : 'in'} ${subject}`]),
    ...named('in', 'segment', segmentName, segmentId),
  ].join(' ');
  const bins = rule.delta === null || rule.delta === 1 ? 'the bin' : `${formatNumber(rule.delta)} bins`;
  return {
    watched: rule.isChange ? `the change of ${watched} against ${bins} before` : watched,
    rest: [
      ...(rule.binSize === '' ? [] : [OFTEN[rule.binSize] ?? `each ${rule.binSize.toLowerCase()}`]),
      ...named('against', 'baseline', baselineName, baselineId),
    ],
  };
}

/** When the rule fires: `Warn if Traffic of Card fraud is below 80, critical below 60, daily.` */
export function ruleSentence(rule: RuleParts): string {
  const { act, limit } = limitsOf(rule);
  const { watched, rest } = watchedOf(rule);
  return `${[`${act} if ${watched} is ${limit}`, ...rest].join(', ')}.`;
}

/**
 * `ruleSentence` for a line that can be truncated, without the end of which the watched value is still known:
 * `Traffic of Card fraud, daily: warn below 80, critical below 60`.
 */
export function ruleLine(rule: RuleParts): string {
  const { watched, rest } = watchedOf(rule);
  const about = [watched, ...rest].join(', ');
  return `${about.charAt(0).toUpperCase()}${about.slice(1)}: ${limitsOf(rule).short}`;
}
