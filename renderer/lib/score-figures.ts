/**
 * Shares, means and their differences in words, with enough digits that numbers which differ look different, and only a
 * share of all or of none is written as 100 % or 0 %. Pure.
 */
import type { ScoreEstimate, ScoreFigures, ScoreVerdict } from '../../electron/shared/score-comparison.ts';
import { formatCount, formatNumber, written } from './format.ts';

const SHARE = 100;
/** Digits of a lone mean, and of a difference beside the numbers that it is between. */
const USUAL_DIGITS = 3;
const DIFFERENCE_DIGITS = 2;
/** Decimals of a share in percent, and of any number; smaller numbers use powers of ten. */
const SHARE_DECIMALS = 1;
const MAX_DECIMALS = 8;
const MAX_PLAIN = 1e15;

/** Number of decimals with which a number of this size has so many digits. */
function decimalsOf(size: number, digits: number): number {
  if (size === 0 || !Number.isFinite(size)) return 0;
  return Math.min(MAX_DECIMALS, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(size)))));
}

/** Rounded to `decimals`, or to its first digit if it would be zero. */
function numberText(value: number, decimals: number): string {
  const size = Math.abs(value);
  if (size === 0 || size >= MAX_PLAIN) return formatNumber(value);
  if (size < 10 ** -MAX_DECIMALS) return written(Number(value.toPrecision(USUAL_DIGITS)).toExponential());
  const needed = size * 10 ** decimals < 0.5 ? decimalsOf(value, 1) : decimals;
  const format = new Intl.NumberFormat('en-US', { maximumFractionDigits: needed });
  return written(format.format(value));
}

/** A share from 0 to 1 in percent, without the sign. */
function percentText(share: number, decimals: number): string {
  // Results of a formula whose exact result is 0 or 1.
  if (Math.abs(share) < 10 ** -MAX_DECIMALS / SHARE) return formatNumber(0);
  let needed = decimals;
  const isWhole = () => Number((share * SHARE).toFixed(needed)) >= SHARE;
  while (share < 1 && isWhole() && needed < MAX_DECIMALS) needed += 1;
  return numberText(share * SHARE, needed);
}

const differenceDecimals = (difference: number, isShare: boolean): number =>
  decimalsOf(isShare ? difference * SHARE : difference, DIFFERENCE_DIGITS);

/** `67.7 % yes`, or `0.62` for a mean; both numbers of a comparison have the digits of their difference. */
export function figureText({ kind, label, difference }: ScoreFigures, { value }: ScoreEstimate): string {
  const isShare = kind === 'share';
  const needed = differenceDecimals(difference?.value ?? 0, isShare);
  if (!isShare) return numberText(value, Math.max(needed, decimalsOf(value, USUAL_DIGITS)));
  return `${percentText(value, Math.max(needed, SHARE_DECIMALS))} %${label === null ? '' : ` ${label}`}`;
}

/** `0.2 to 0.3`. */
export function rangeText(low: number, high: number): string {
  const usual = decimalsOf(Math.max(Math.abs(low), Math.abs(high)), USUAL_DIGITS);
  const decimals = Math.max(usual, differenceDecimals(high - low, false));
  return `${numberText(low, decimals)} to ${numberText(high, decimals)}`;
}

/** `64 to 71.2 %`; empty without an interval. */
export function intervalText({ kind }: Pick<ScoreFigures, 'kind'>, { interval }: ScoreEstimate): string {
  if (interval === null) return '';
  const [low, high] = interval;
  if (kind === 'mean') return rangeText(low, high);
  const decimals = Math.max(SHARE_DECIMALS, differenceDecimals(high - low, true));
  return `${percentText(low, decimals)} to ${percentText(high, decimals)} %`;
}

/** A difference of two numbers with three digits: `0.00001`. */
export function differenceText(difference: number): string {
  return numberText(difference, decimalsOf(difference, USUAL_DIGITS));
}

/** The result of a comparison as a heading and one sentence: `Better by 3.1 points`. */
export function verdictWords({ kind, difference }: ScoreFigures): { head: string; detail: string } | null {
  if (difference === null) return null;
  const { verdict, interval, more, items, value } = difference;
  const isShare = kind === 'share';
  const unit = isShare ? ' points' : '';
  const [low, high] = interval ?? [0, 0];
  const least = isShare ? SHARE_DECIMALS : decimalsOf(value, USUAL_DIGITS);
  const width = differenceDecimals(high - low, isShare);
  const decimals = Math.max(least, differenceDecimals(value, isShare), width);
  const write = (each: number) => numberText(isShare ? each * SHARE : each, decimals);
  const size = `${write(Math.abs(value))}${unit}`;
  const range = interval === null ? '' : `${write(low)} to ${write(high)}${unit}`;
  const [nearest = 0, farthest = 0] = [low, high].map(Math.abs).toSorted((one, other) => one - other);
  const sure = `95 % sure: between ${write(nearest)} and ${write(farthest)}${unit}.`;
  const heads: Record<ScoreVerdict, string> = {
    better: `Better by ${size}`,
    worse: `Worse by ${size}`,
    unsure: 'Cannot tell',
    few: 'Too few items to tell',
  };
  const details: Record<ScoreVerdict, string> = {
    better: sure,
    worse: sure,
    unsure: `${range}.${more === null ? '' : ` About ${formatCount(more, 'more item')} would tell.`}`,
    few: `${formatCount(items, 'item')} scored in both runs. A verdict needs at least 30.`,
  };
  return { head: heads[verdict], detail: details[verdict] };
}
