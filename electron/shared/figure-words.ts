/**
 * Shares, means and their differences in words. They get enough digits that different numbers look different, and only
 * a share of all or none is written as 100 % or 0 %. Pure.
 */
import { counted, written } from './count-text.ts';
import type {
  Repetitions,
  ScoreAgreement,
  ScoreEstimate,
  ScoreFigures,
  ScoreVerdict,
} from './score-comparison.ts';
import { wilson } from './wilson.ts';

const SHARE = 100;
/**
 * Grades may differ in the fourth digit, such as thirds of hundreds. `USUAL_DIGITS` are for a mean that is not
 * compared, `DIFFERENCE_DIGITS` for a difference and the two numbers it is between.
 */
const GRADE_DIGITS = 6;
const USUAL_DIGITS = 3;
const DIFFERENCE_DIGITS = 2;
/** Decimals of a share in percent, and of any number; smaller numbers use powers of ten. */
export const SHARE_DECIMALS = 1;
const MAX_DECIMALS = 8;
const MAX_PLAIN = 1e15;
const MAX_WHOLE = 1e21;

/** Number of decimals with which a number of this size has this many digits. */
function decimalsOf(size: number, digits: number): number {
  if (size === 0 || !Number.isFinite(size)) return 0;
  return Math.min(MAX_DECIMALS, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(size)))));
}

/** The number rounded to `decimals`, or to its first digit if it would become zero. */
function numberText(value: number, decimals: number): string {
  const size = Math.abs(value);
  if (size === 0) return '0';
  // Formatters are created at first use, because the first use of `Intl` takes a tenth of the start of a command.
  const inText = (decimals: number) =>
    new Intl.NumberFormat('en-US', { maximumFractionDigits: decimals }).format(value);
  if (size >= MAX_PLAIN) return written(size < MAX_WHOLE ? inText(0) : value.toExponential(3));
  if (size < 10 ** -MAX_DECIMALS) return written(Number(value.toPrecision(USUAL_DIGITS)).toExponential());
  const needed = size * 10 ** decimals < 0.5 ? decimalsOf(value, 1) : decimals;
  return written(inText(needed));
}

/** A share from 0 to 1 in percent, without the sign. */
export function percentText(share: number, decimals: number): string {
  // A formula may give a tiny number instead of exactly 0.
  if (Math.abs(share) < 10 ** -MAX_DECIMALS / SHARE) return '0';
  let needed = decimals;
  const isWhole = () => Number((share * SHARE).toFixed(needed)) >= SHARE;
  while (share < 1 && isWhole() && needed < MAX_DECIMALS) needed += 1;
  return numberText(share * SHARE, needed);
}

const differenceDecimals = (difference: number, isShare: boolean): number =>
  decimalsOf(isShare ? difference * SHARE : difference, DIFFERENCE_DIGITS);

/** A mean that is not compared, e.g. `0.676`. */
export const meanText = (value: number): string => numberText(value, decimalsOf(value, USUAL_DIGITS));

/**
 * A share or mean as text, e.g. `67.7 % yes`, or `0.62` for a mean. Both numbers of a comparison have the digits of
 * their difference.
 */
export function figureText({ kind, label, difference }: ScoreFigures, { value }: ScoreEstimate): string {
  const isShare = kind === 'share';
  const needed = differenceDecimals(difference?.value ?? 0, isShare);
  if (!isShare) return numberText(value, Math.max(needed, decimalsOf(value, USUAL_DIGITS)));
  return `${percentText(value, Math.max(needed, SHARE_DECIMALS))} %${label === null ? '' : ` ${label}`}`;
}

/** Example: `0.2 to 0.3`. */
export function rangeText(low: number, high: number): string {
  const usual = decimalsOf(Math.max(Math.abs(low), Math.abs(high)), USUAL_DIGITS);
  const decimals = Math.max(usual, differenceDecimals(high - low, false));
  const [from, to] = [numberText(low, decimals), numberText(high, decimals)];
  // Writes all digits of bounds too close for the usual decimals.
  return from === to && low !== high
    ? `${written(String(low))} to ${written(String(high))}`
    : `${from} to ${to}`;
}

/** A bar of a distribution: `0.2 to 0.3`, or `0.5` for the bar of one grade. */
export function binText({ from, to, value }: { from: number; to: number; value?: number }): string {
  return value === undefined ? rangeText(from, to) : numberText(value, decimalsOf(value, GRADE_DIGITS));
}

/** Example: `64 to 71.2 %`; empty without an interval. */
export function intervalText({ kind }: Pick<ScoreFigures, 'kind'>, { interval }: ScoreEstimate): string {
  if (interval === null) return '';
  const [low, high] = interval;
  if (kind === 'mean') return rangeText(low, high);
  const decimals = Math.max(SHARE_DECIMALS, differenceDecimals(high - low, true));
  return `${percentText(low, decimals)} to ${percentText(high, decimals)} %`;
}

/** A difference of two numbers with three digits, e.g. `0.00001`. */
export function differenceText(difference: number): string {
  return numberText(difference, decimalsOf(difference, USUAL_DIGITS));
}

/** A share of a count with its interval: `12 % (7.1 to 19.8 %)`; empty without items. */
export function shareText(count: number, items: number): string {
  const interval = wilson(count, items);
  if (interval === null) return '';
  const own = { value: count / items, items, interval };
  return `${percentText(own.value, SHARE_DECIMALS)} % (${intervalText({ kind: 'share' }, own)})`;
}

/** The result of a comparison as a heading and one sentence: `Better by 3.1 points`. */
export function verdictWords({
  kind,
  difference,
  clusters,
}: Pick<ScoreFigures, 'kind' | 'difference' | 'clusters'>): { head: string; detail: string } | null {
  if (difference === null) return null;
  const { verdict, interval, more, smallest, items, value } = difference;
  const isShare = kind === 'share';
  const unit = isShare ? ' points' : '';
  const [low, high] = interval ?? [0, 0];
  const least = isShare ? SHARE_DECIMALS : decimalsOf(value, USUAL_DIGITS);
  const width = differenceDecimals(high - low, isShare);
  const decimals = Math.max(least, differenceDecimals(value, isShare), width);
  const write = (each: number) => numberText(isShare ? each * SHARE : each, decimals);
  const size = `${write(Math.abs(value))}${unit}`;
  const range = interval === null ? '' : `${write(low)} to ${write(high)}${unit}. `;
  const [nearest = 0, farthest = 0] = [low, high].map(Math.abs).toSorted((one, other) => one - other);
  const sure = `95 % sure: between ${write(nearest)} and ${write(farthest)}${unit}.`;
  const visible = smallest === null ? '' : `A difference of ${write(smallest)}${unit} would show.`;
  if (interval !== null && low === high && verdict !== 'few')
    return value === 0
      ? { head: 'No difference', detail: `Equal in each of ${counted(items, 'item')}.` }
      : {
          head: `${{ better: 'Better', worse: 'Worse', unsure: 'Differs' }[verdict]} by ${size}`,
          detail: `The same difference in each of ${counted(items, 'item')}.`,
        };
  const heads: Record<ScoreVerdict, string> = {
    better: `Better by ${size}`,
    worse: `Worse by ${size}`,
    unsure: 'Cannot tell',
    few: 'Too few items to tell',
  };
  const details: Record<ScoreVerdict, string> = {
    better: sure,
    worse: sure,
    unsure: `${range}${more === null ? visible : `About ${counted(more, 'more item')} would tell.`}`.trim(),
    few:
      clusters === null
        ? `${counted(items, 'item')} scored in both runs. A verdict needs at least 30.`
        : `${counted(items, 'item')} of ${counted(clusters, 'trace')} scored in both runs. A verdict needs at least 30 traces.`,
  };
  return { head: heads[verdict], detail: details[verdict] };
}

/**
 * The result of a comparison, e.g. `Better by 3.1 points. 95 % sure: between 0.4 and 5.8 points.` Empty without a
 * comparison.
 */
export function verdictSentence(figures: ScoreFigures): string {
  const words = verdictWords(figures);
  return words === null ? '' : `${words.head}. ${words.detail}`;
}

/**
 * The difference of a measure that is neither better nor worse, such as a duration: `More by 121. 95 % sure: between 66
 * and 178.` Empty without a comparison.
 */
export function measureSentence({ kind, difference }: Pick<ScoreFigures, 'kind' | 'difference'>): string {
  if (difference === null) return '';
  const { value, interval } = difference;
  if (value === 0 && interval?.[0] === interval?.[1]) return 'No difference.';
  const head = `${value < 0 ? 'Less' : 'More'} by ${differenceText(Math.abs(value))}.`;
  if (interval === null) return head;
  const [low, high] = interval;
  if (low <= 0 && high >= 0)
    return `${head} It may be chance: 95 % sure between ${intervalText({ kind }, difference).replace(' to ', ' and ')}.`;
  const [least = 0, most = 0] = [low, high].map(Math.abs).toSorted((one, other) => one - other);
  return `${head} 95 % sure: between ${rangeText(least, most).replace(' to ', ' and ')}.`;
}

/** Example: `641 items of 240 traces: items of one trace count together.` Empty if no items share a trace. */
export function clusterText({ clusters, after }: Pick<ScoreFigures, 'clusters' | 'after'>): string {
  if (clusters === null) return '';
  return `${counted(after.items, 'item')} of ${counted(clusters, 'trace')}: items of one trace count together.`;
}

/** Example: `Equal for 88.3 % (85.6 to 90.6 %), kappa 0.71 (0.64 to 0.78).` */
export function agreementText({ share, interval, items, kappa }: ScoreAgreement): string {
  const own = { value: share, items, interval };
  const equal = `Equal for ${percentText(share, SHARE_DECIMALS)} % (${intervalText({ kind: 'share' }, own)})`;
  if (kappa === null) return `${equal}; all have one label, so chance alone would give it.`;
  const write = (value: number) => numberText(value, DIFFERENCE_DIGITS);
  const range = kappa.interval === null ? '' : ` (${kappa.interval.map(write).join(' to ')})`;
  return `${equal}, kappa ${write(kappa.value)}${range}.`;
}

/**
 * Example: `3 results of each of 120 items: a number deviates by 0.08 between results of one item, 45 items change.
 * Their mean moves by about 0.007 from run to run.`
 */
export function repetitionsText({ estimate, means, withinItems, changing }: Repetitions): string {
  const { items } = estimate;
  const write = (value: number) => numberText(value, decimalsOf(value, DIFFERENCE_DIGITS));
  const each = `${counted(means.length, 'result')} of ${items === 1 ? 'one item' : `each of ${counted(items, 'item')}`}`;
  if (changing === 0) return `${each}: the same number each time.`;
  const change = `${counted(changing, 'item')} ${changing === 1 ? 'changes' : 'change'}`;
  return `${each}: a number deviates by ${write(withinItems)} between results of one item, ${change}. Their mean moves by about ${write(withinItems / Math.sqrt(items))} from run to run.`;
}

/** Shares of the first labels of two judges, e.g. `Base rates: yes 67.7 % and 70.8 %, no 32.3 % and 29.2 %.` */
export function ratesText({ rates }: ScoreAgreement): string {
  const percent = (share: number) => `${percentText(share, SHARE_DECIMALS)} %`;
  const texts = rates
    .slice(0, MAX_RATES)
    .map(({ label, before, after }) => `${label} ${percent(before)} and ${percent(after)}`);
  return `Base rates: ${texts.join(', ')}${rates.length > MAX_RATES ? ', …' : '.'}`;
}
const MAX_RATES = 3;
