/** The times of a board, and the body of the query of one of its charts. Pure. */
import { readBody } from './chart-query.ts';
import { type JsonObject, withFields } from './json-fields.ts';

export interface BoardTimes {
  /** A time label of the service, e.g. `30d`. */
  label: string;
  /**
   * `period`: compares with the period before that of the label. Otherwise the name of a comparison of the service;
   * empty for none.
   */
  compare: string;
}

export const DEFAULT_LABEL = '30d';
/** Value of `compare` for the period before that of the board. */
export const PERIOD = 'period';

/** The comparison of the service that is nearest to the length of a time label. */
const PERIODS: Readonly<Record<string, string>> = {
  today: 'Previous Day',
  yesterday: 'Previous Day',
  '7d': 'Previous Week',
  '30d': 'Previous Month',
  '90d': 'Previous Quarter',
};

export const periodOf = (label: string): string => PERIODS[label] ?? 'Previous Year';

const BINS: Readonly<Record<string, string>> = {
  today: 'Hour',
  yesterday: 'Hour',
  '7d': 'Day',
  '30d': 'Day',
  '90d': 'Day',
};

/** Bin size for a time label, chosen so that there are at most a hundred bins. */
export const binOf = (label: string): string => BINS[label] ?? 'Week';

/** The body to request for a chart. Charts of applications have no comparison. */
export function tileBody({ body }: { body: JsonObject }, { label, compare }: BoardTimes): JsonObject {
  const comparison = compare === PERIOD ? periodOf(label) : compare;
  const isCompared = comparison !== '' && readBody(body).subject.kind === 'model';
  return withFields(body, {
    time_comparison: isCompared ? comparison : undefined,
    filters: { time_label: label, time_range: null, time_zone: 'UTC', bin_size: binOf(label) },
  });
}
