/** Prepares the response to a metric query (SERVICE.md F8.2) for a chart: styles, axes, and problems as text. Pure. */
import {
  type AnswerNames,
  type ChartValues,
  faultText,
  readValues,
} from '../../../electron/shared/chart-values.ts';
import type { JsonObject } from '../../../electron/shared/json-fields.ts';
import { earlierLook } from '../chart/look.ts';
import type { ChartSeries } from '../chart/types.ts';
import { longestBinMs } from './chart-body.ts';

interface AnswerProblem {
  key: string;
  name: string;
  text: string;
  /** Whether the only problem is that there are no values. */
  isEmpty: boolean;
}

export interface ChartAnswer extends Pick<ChartValues, 'comparison' | 'binSize' | 'zone'> {
  series: ChartSeries[];
  problems: AnswerProblem[];
}

/**
 * The series of a response to `body`. `right`: keys of the queries on the right axis. `earlier`: response for the
 * earlier period, if it was requested separately.
 */
export function readAnswer(
  record: unknown,
  body: JsonObject,
  names: AnswerNames,
  right: readonly string[] = [],
  earlier: unknown = null,
): ChartAnswer {
  const { series, faults, ...said } = readValues(record, body, names, earlier);
  const longest = longestBinMs(said.binSize);
  const gap = longest === undefined ? {} : { gapMs: longest * 1.5 };
  return {
    ...said,
    series: series.flatMap(
      ({ id, name, kind, query, about, times, values, earlier: before }, place): ChartSeries[] => {
        const axis = right.includes(query.key) ? 'right' : 'left';
        const source = { queryKey: query.key, column: about };
        const own: ChartSeries = { ...{ id, name, kind, axis, times, values, ...gap, source }, look: place };
        if (before === null) return [own];
        // The earlier period is always a line, even if the current one is drawn as bars: two bars at one time would
        // both seem to belong to it.
        const line: ChartSeries = {
          ...{ id: `${id} earlier`, earlierOf: id, name: before.name, kind: 'line', axis },
          ...{ times: before.times, values: before.values, ...gap, look: earlierLook(place) },
        };
        return [own, line];
      },
    ),
    problems: faults.map(({ key, name, fault }) => ({
      ...{ key, name, text: faultText(fault) },
      isEmpty: fault.kind === 'missing' || fault.kind === 'empty',
    })),
  };
}
