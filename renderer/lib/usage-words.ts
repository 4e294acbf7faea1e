/** Texts about tokens, cost and critical path of runs and items. Pure. */
import type { RunUsage, TraceUsage, UsageFigure, UsageSum } from '../../electron/shared/run-usage.ts';
import { isUsageSure } from '../../electron/shared/usage-words.ts';
import { formatCount, formatDuration, formatNumber } from './format.ts';
import { withUnit } from './read/units.ts';

/** The figures that get a row of their own. Tokens in and out are in the title of the tokens. */
export const SHOWN_FIGURES = [
  { figure: 'tokens', title: 'Tokens' },
  { figure: 'costUsd', title: 'Cost' },
  { figure: 'pathMs', title: 'Critical path' },
] as const satisfies readonly { figure: UsageFigure; title: string }[];

/** A figure with its unit: `1,204`, `$0.0021`, `1.8 s`. */
export function usageText(figure: UsageFigure, value: number): string {
  const size = Math.abs(value);
  const text =
    figure === 'pathMs'
      ? formatDuration(size)
      : figure === 'costUsd'
        ? (withUnit('cost_usd', size) ?? '')
        : formatNumber(Math.round(size));
  return value < 0 ? `−${text}` : text;
}

/** `+12`, `−$0.0002`; `±0` if there is no difference. */
const signedText = (figure: UsageFigure, value: number): string =>
  value === 0 ? '±0' : `${value > 0 ? '+' : ''}${usageText(figure, value)}`;

/** The median difference with its interval, and whether it can be due to chance; null if there is none. */
export function differenceFacts({ figure, difference }: UsageSum): { text: string; detail: string } | null {
  if (difference === null) return null;
  const { value, interval, items } = difference;
  const sure = isUsageSure(difference);
  const doubt = sure === null ? ', too few to tell' : sure ? '' : ', cannot tell';
  const [low, high] = interval ?? [];
  const range =
    low === undefined || high === undefined
      ? ''
      : `95 % sure: between ${signedText(figure, low)} and ${signedText(figure, high)}. `;
  return {
    text: `${signedText(figure, value)}${doubt}`,
    detail: `${range}Median of the differences of ${formatCount(items, 'item')} whose traces are stored for both runs.`,
  };
}

/** How many traces are missing: `180 not stored · 3 in part`; empty if all are stored. */
export function absentFacts({ unstored, missing, partial, unread, named, results }: RunUsage): string {
  return [
    ...(unstored === null ? ['not all results stored'] : []),
    ...(unstored !== null && unstored > 0 ? [`${formatNumber(unstored)} results not stored`] : []),
    ...(missing > 0 ? [`${formatNumber(missing)} not stored`] : []),
    ...(partial > 0 ? [`${formatNumber(partial)} in part`] : []),
    ...(unread > 0 ? [`${formatNumber(unread)} too many to read`] : []),
    ...(named < results ? [`${formatNumber(results - named)} not named`] : []),
  ].join(' · ');
}

/**
 * The figures of one result and their change against the baseline: `Tokens 1,204 (+12)`, `Cost $0.0021`, `Critical path
 * 1.8 s`.
 */
export function itemUsageFacts(own: TraceUsage, before: TraceUsage | null): string[] {
  return SHOWN_FIGURES.flatMap(({ figure, title }) => {
    const value = own[figure];
    if (value === null) return [];
    const earlier = before?.[figure] ?? null;
    const change = earlier === null ? '' : ` (${signedText(figure, value - earlier)})`;
    return [`${title} ${usageText(figure, value)}${change}`];
  });
}
