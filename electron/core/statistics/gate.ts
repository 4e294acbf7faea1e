/**
 * Decides whether a comparison breaks a rule of a gate, how certain that is, and how many items would decide it. Pure.
 */
import type { ScoreFigures } from '../../shared/score-comparison.ts';
import type { Interval } from '../../shared/wilson.ts';

/**
 * `worse`: the later run is worse than the earlier one by more than the limit. `below` and `above`: its own value is on
 * the wrong side of the limit. `missing`: the share of items without a score in one of the runs.
 */
export interface GateRule {
  form: 'worse' | 'below' | 'above' | 'missing';
  limit: number;
  /** `percent`: of a share, or of the earlier mean. `points`: percentage points of a share. */
  unit: 'percent' | 'points' | null;
}

/** `unsure`: the interval contains the limit, or there are too few items. `empty`: there is nothing to judge. */
export type GateResult = 'passed' | 'failed' | 'unsure' | 'empty';

export interface GateDecision {
  result: GateResult;
  /** The measured value and its interval, in the unit of the limit; null for `empty`. */
  value: number | null;
  interval: Interval | null;
  /** The limit in the same unit as `value`. */
  limit: number | null;
  /** Number of items with a number in both runs; for `missing`, of all items. */
  items: number;
  /**
   * Number of additional items that would decide it in 80 % of comparisons. Null if it is decided, or if no number
   * would.
   */
  more: number | null;
}

interface GateFacts {
  /** Null if no item has a number. */
  figures: ScoreFigures | null;
  lowerIsBetter: boolean;
  /** Number of items without a score in one of the runs, and of all items. */
  missing: number;
  all: number;
}

const MIN_ITEMS = 30;
/** Normal quantiles of 97.5 % and 80 %. */
const Z_SURE = 1.959963984540054;
const Z_POWER = 0.8416212335729143;
/** Larger numbers of additional items are not stated. */
const MAX_MORE = 1_000_000;
const RULE = /^(worse|below|above|missing)(?: *> *| +)(\d+(?:\.\d+)?|\.\d+) *(%|points)?$/i;
const PERCENT = 100;

/** Parses rules of the forms `worse > 2 %`, `below 90 %`, `above 0.4` and `missing > 5 %`. Null for any other text. */
export function parseGateRule(text: string): GateRule | null {
  const [, form = '', limit = '', unit] = RULE.exec(text.trim()) ?? [];
  if (form === '') return null;
  return {
    form: form.toLowerCase() as GateRule['form'],
    limit: Number(limit),
    unit: unit === undefined ? null : unit === '%' ? 'percent' : 'points',
  };
}

/** The reason why a rule cannot be applied to numbers of this kind, and what to write instead; null if it can. */
export function gateRuleProblem(
  { form, limit, unit }: GateRule,
  kind: ScoreFigures['kind'] | null,
): string | null {
  const isShare = form === 'missing' || kind === 'share';
  if (isShare && (unit === null ? limit > 1 : limit > PERCENT))
    return `a share is at most 100 %, so no share is beyond this limit; for percent write ${limit} %`;
  if (kind !== 'mean') return null;
  if (form !== 'worse' && form !== 'missing' && unit !== null)
    return `the score is a mean and no share; write the limit as a number of its scale, without ${unit === 'percent' ? '%' : unit}`;
  return form === 'worse' && unit === 'points'
    ? 'the score is a mean, which has no points; write a number of its scale, or % of the earlier mean'
    : null;
}

export function decideGate(rule: GateRule, facts: GateFacts): GateDecision {
  if (rule.form === 'missing') return decideMissing(rule, facts);
  const { figures } = facts;
  const measured = figures === null ? null : measuredOf(rule, figures, facts.lowerIsBetter);
  if (measured === null) {
    const items = figures?.after.items ?? 0;
    return { result: 'empty', value: null, interval: null, limit: null, items, more: null };
  }
  const { value, interval, items, limit } = measured;
  const decision = { value, interval, items, limit };
  // Items of one trace are counted as one.
  const traces = figures?.clusters ?? items;
  const least = (MIN_ITEMS * items) / traces;
  if (interval === null) return { ...decision, result: 'unsure', more: needed(least - items) };
  const [low, high] = interval;
  const isWrongSide = rule.form === 'below' ? high < limit : low > limit;
  const isRightSide = rule.form === 'below' ? low >= limit : high <= limit;
  const isFew = traces < MIN_ITEMS;
  if (!isFew && isWrongSide) return { ...decision, result: 'failed', more: null };
  if (!isFew && isRightSide) return { ...decision, result: 'passed', more: null };
  const wanted = isPlainShare(rule, figures)
    ? itemsForShare(value, limit)
    : itemsForWidth(measured, interval);
  return { ...decision, result: 'unsure', more: needed(Math.max(wanted, least) - items) };
}

/** True for a share of items that are not clustered, compared with a fixed limit. */
const isPlainShare = ({ form }: GateRule, figures: ScoreFigures | null): boolean =>
  form !== 'worse' && figures?.kind === 'share' && figures.clusters === null;

/**
 * Number of items with which Wilson's interval of the share excludes the limit. It is not computed from the interval's
 * width, which near 0 and 1 would give too many.
 */
function itemsForShare(value: number, limit: number): number {
  const spread = (share: number) => Math.sqrt(Math.max(0, share * (1 - share)));
  return ((Z_SURE * spread(limit) + Z_POWER * spread(value)) / (value - limit)) ** 2;
}

/** Number of items with which an interval with this width now would exclude the limit. */
function itemsForWidth({ value, limit, items }: Measured, [low, high]: Interval): number {
  const deviation = (high - low) / (2 * Z_SURE);
  return items * ((deviation * (Z_SURE + Z_POWER)) / (value - limit)) ** 2;
}

/** Decides on the share of missing items, which is known exactly and needs no interval. */
function decideMissing({ limit: typed, unit }: GateRule, { missing, all }: GateFacts): GateDecision {
  if (all === 0) return { result: 'empty', value: null, interval: null, limit: null, items: 0, more: null };
  const limit = unit === null ? typed : typed / PERCENT;
  const value = missing / all;
  return {
    ...{ value, interval: null, limit, items: all, more: null },
    result: value > limit ? 'failed' : 'passed',
  };
}

interface Measured {
  value: number;
  interval: Interval | null;
  items: number;
  limit: number;
}

/** Null if there is no comparison. */
function measuredOf(rule: GateRule, figures: ScoreFigures, lowerIsBetter: boolean): Measured | null {
  const { after, before, difference, kind } = figures;
  const limit = rule.unit === null ? rule.limit : rule.limit / PERCENT;
  if (rule.form !== 'worse') return { ...after, limit };
  if (difference === null || before === null) return null;
  const { items, value, interval } = difference;
  return {
    value: lowerIsBetter ? value : 0 - value,
    interval: lowerIsBetter || interval === null ? interval : [0 - interval[1], 0 - interval[0]],
    items,
    limit: kind === 'mean' && rule.unit !== null ? limit * Math.abs(before.value) : limit,
  };
}

/** Rounded up to two digits; null if a person could not add that many items. */
function needed(items: number): number | null {
  if (!Number.isFinite(items) || items <= 0 || items > MAX_MORE) return null;
  const whole = Math.ceil(items);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(whole)) - 1);
  return Math.ceil(whole / unit) * unit;
}

/** Combines several decisions into the worst one, in the order failed, unsure, empty, passed. */
export function wholeGate(results: readonly GateResult[]): GateResult {
  for (const result of ['failed', 'unsure', 'empty'] as const) if (results.includes(result)) return result;
  return results.length === 0 ? 'empty' : 'passed';
}
