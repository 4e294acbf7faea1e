/** Tokens, cost and critical path of runs in words. Pure. */
import { counted, numberText } from './count-text.ts';
import { differenceText, rangeText } from './figure-words.ts';
import { dollarsRange, dollarsText } from './money-text.ts';
import type { RunUsage, UsageFigure, UsageSum } from './run-usage.ts';
import type { ScoreEstimate } from './score-comparison.ts';

const USAGE_TITLES: Readonly<Record<UsageFigure, string>> = {
  tokens: 'Tokens',
  inputTokens: 'Input tokens',
  outputTokens: 'Output tokens',
  costUsd: 'Cost',
  pathMs: 'Critical path in ms',
};

/**
 * Example: `over 812 of 1,000 results; the traces of 180 are not stored here; those of 3 are stored only in part; 5
 * name no trace.` The numbers say how much of a run the sums cover.
 */
export function usageCoverage(usage: Omit<RunUsage, 'sums' | 'pathByType'>): string {
  const { results, unstored, named, whole, partial, missing, unread, traces } = usage;
  const absent = [
    ...(missing > 0 ? [`${numberText(missing)} are not stored here`] : []),
    ...(partial > 0 ? [`${numberText(partial)} are stored only in part`] : []),
    ...(unread > 0 ? [`${numberText(unread)} are too many to read`] : []),
  ];
  const unnamed = results - named;
  const parts = [
    overText(usage),
    ...(unstored === 0 ? [] : [unstoredText(unstored)]),
    ...(traces === whole ? [] : [`they share ${counted(traces, 'trace')}`]),
    ...absent.map((text, at) => `${at === 0 ? 'the traces' : 'those'} of ${text}`),
    ...(unnamed === 0 ? [] : [`${numberText(unnamed)} ${unnamed === 1 ? 'names' : 'name'} no trace`]),
  ];
  return `${parts.join('; ')}.`;
}

/** Does not say `all` for a part: results that are not stored are counted too. */
function overText({ results, unstored, whole }: Pick<RunUsage, 'results' | 'unstored' | 'whole'>): string {
  if (unstored === null) return `over ${numberText(whole)} of the ${counted(results, 'stored result')}`;
  const total = results + unstored;
  return `over ${whole === total ? 'all' : `${numberText(whole)} of`} ${counted(total, 'result')}`;
}

function unstoredText(unstored: number | null): string {
  if (unstored === null) return 'not all results are stored here';
  return `${numberText(unstored)} ${unstored === 1 ? 'is' : 'are'} not stored here`;
}

const valueText = (figure: UsageFigure, value: number): string =>
  figure === 'costUsd' ? dollarsText(value) : differenceText(value);
const intervalText = (figure: UsageFigure, [low, high]: readonly [number, number]): string =>
  figure === 'costUsd' ? dollarsRange(low, high) : rangeText(low, high);

/** Example: `1,402 (1,380 to 1,420)`; without an interval for fewer than six items. */
function estimateText(figure: UsageFigure, { value, interval }: ScoreEstimate): string {
  return `${valueText(figure, value)}${interval === null ? '' : ` (${intervalText(figure, interval)})`}`;
}

/** Whether the interval of the median difference excludes 0; null if there are too few items. */
export function isUsageSure({ interval }: ScoreEstimate): boolean | null {
  if (interval === null) return null;
  const [low, high] = interval;
  return low > 0 || high < 0 || (low === 0 && high === 0);
}

/**
 * Example: `Tokens: 1,204,300 over 812 traces. Median of 812 items 1,402 (1,380 to 1,420).` The difference is added if
 * there is one.
 */
export function usageSentence({ figure, sum, traces, median, difference }: UsageSum): string {
  return [
    `${USAGE_TITLES[figure]}: ${valueText(figure, sum)} over ${counted(traces, 'trace')}.`,
    ...(median === null
      ? []
      : [`Median of ${counted(median.items, 'item')} ${estimateText(figure, median)}.`]),
    ...(difference === null ? [] : [usageDifference(figure, difference)]),
  ].join(' ');
}

/** Example: `Median difference from the baseline 12 in 800 items, 95 % sure between 3 and 20.` */
function usageDifference(figure: UsageFigure, difference: ScoreEstimate): string {
  const { items, interval } = difference;
  const sure = isUsageSure(difference);
  const range =
    interval === null ? '' : `, 95 % sure between ${intervalText(figure, interval).replace(' to ', ' and ')}`;
  const doubt = sure === null ? ': too few to tell' : sure ? '' : ': it may be chance';
  return `Median difference from the baseline ${valueText(figure, difference.value)} in ${counted(items, 'item')}${range}${doubt}.`;
}
