/** Tokens and cost of spans in words. Pure. */
import type { TreeUsage } from '../../electron/shared/span-usage.ts';
import { formatCount, formatNumber } from './format.ts';
import { withUnit } from './read/units.ts';

/**
 * `3,400 tokens (2,900 in, 500 out)`, `$0.02`, and how many spans repeat figures of others. Unknown figures are
 * omitted.
 */
export function usageFacts({ tokens, inputTokens, outputTokens, costUsd, nested }: TreeUsage): string[] {
  const sides = [
    ...(inputTokens === null ? [] : [`${formatNumber(inputTokens)} in`]),
    ...(outputTokens === null ? [] : [`${formatNumber(outputTokens)} out`]),
  ];
  const cost = withUnit('cost_usd', costUsd);
  return [
    ...(tokens === null
      ? []
      : [formatCount(tokens, 'token') + (sides.length < 2 ? '' : ` (${sides.join(', ')})`)]),
    ...(cost === null ? [] : [cost]),
    ...(nested === 0 ? [] : [`${formatCount(nested, 'repeated figure')} left out`]),
  ];
}
