/** Titles of the value axes of a chart: metrics with their units. Pure. */

import type { QueryParts } from '../../../electron/shared/chart-query.ts';
import { type MetricChoice, metricTitle } from '../../../electron/shared/metrics.ts';

/** Maximum number of names that are readable beside an axis. */
const MAX_NAMES = 3;

export function axisTitles(
  queries: readonly QueryParts[],
  right: readonly string[],
  metricOf: (query: QueryParts) => MetricChoice | undefined,
): { left: string; right: string } {
  const titleOf = (isRight: boolean): string => {
    const names = queries
      .filter(({ key }) => right.includes(key) === isRight)
      .map((query) => {
        const metric = metricOf(query);
        return metric === undefined ? query.metric : metricTitle(metric);
      });
    const own = [...new Set(names)];
    return own.length > MAX_NAMES ? `${own.slice(0, MAX_NAMES).join(' · ')} and more` : own.join(' · ');
  };
  return { left: titleOf(false), right: titleOf(true) };
}
