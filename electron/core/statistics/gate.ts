/**
 * The decision of a gate: whether a comparison breaks a rule, how certain that is, and how many items would decide it.
 * Pure.
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
  /** `percent`: of a share, and of the earlier mean. `points`: of a share. */
  unit: 'percent' | 'points' | null;
}

/** `unsure`: the interval contains the limit, or there are too few items. `empty`: there is nothing to judge. */
export type GateResult = 'passed' | 'failed' | 'unsure' | 'empty';

export interface GateDecision {
  result: GateResult;
  /** The measured value and its interval in the unit of the limit; null for `empty`. */
  value: number | null;
  interval: Interval | null;
  /** The limit as a number beside `value`. */
  limit: number | null;
  /** With a number in both runs, or for `missing` all. */
  items: number;
  /** Further items that would decide it in 80 % of comparisons; null if it is decided or no number would. */
  more: number | null;
}

interface GateFacts {
  /** Null if no item has a number. */
  figures: ScoreFigures | null;
  lowerIsBetter: boolean;
  /** Items without a score in one of the runs, of all. */
  missing: number;
  all: number;
}

const MIN_ITEMS = 30;
/** Normal quantiles of 97.5 % and 80 %. */
const Z_SURE = 1.959963984540054;
const Z_POWER = 0.8416212335729143;
/** Larger numbers of items are not stated. */
const MAX_MORE = 1_000_000;
const RULE = /^(worse|below|above|missing)(?: *> *| +)(\d+(?:\.\d+)?|\.\d+) *(%|points)?$/i;
const PERCENT = 100;

/** Null for a text of another form. Forms: `worse > 2 %`, `below 90 %`, `above 0.4`, `missing > 5 %`. */
export function parseGateRule(text: string): GateRule | null {
  const [, form = '', limit = '', unit] = RULE.exec(text.trim()) ?? [];
  if (form === '') return null;
  return {
    form: form.toLowerCase() as GateRule['form'],
    limit: Number(limit),
    unit: unit === undefined ? null : unit === '%' ? 'percent' : 'points',
  };
}

/** Why a rule cannot be applied to numbers of this kind, with what to write instead; null if it can. */
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
  // Items of one trace count together.
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

/** A share of items that count on their own, beside a limit. */
const isPlainShare = ({ form }: GateRule, figures: ScoreFigures | null): boolean =>
  form !== 'worse' && figures?.kind === 'share' && figures.clusters === null;

/** Items with which Wilson's interval of such a share excludes the limit; near 0 and 1 its width says too many. */
function itemsForShare(value: number, limit: number): number {
  const spread = (share: number) => Math.sqrt(Math.max(0, share * (1 - share)));
  return ((Z_SURE * spread(limit) + Z_POWER * spread(value)) / (value - limit)) ** 2;
}

/** Items with which an interval of this width would exclude the limit. */
function itemsForWidth({ value, limit, items }: Measured, [low, high]: Interval): number {
  const deviation = (high - low) / (2 * Z_SURE);
  return items * ((deviation * (Z_SURE + Z_POWER)) / (value - limit)) ** 2;
}

/** A count is known exactly. */
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

/** Rounded up to two digits; null if it is too large for a person to add that many items. */
function needed(items: number): number | null {
  if (!Number.isFinite(items) || items <= 0 || items > MAX_MORE) return null;
  const whole = Math.ceil(items);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(whole)) - 1);
  return Math.ceil(whole / unit) * unit;
}

/** Combines several decisions: the worst one counts, in the order failed, unsure, empty, passed. */
export function wholeGate(results: readonly GateResult[]): GateResult {
  for (const result of ['failed', 'unsure', 'empty'] as const) if (results.includes(result)) return result;
  return results.length === 0 ? 'empty' : 'passed';
}
