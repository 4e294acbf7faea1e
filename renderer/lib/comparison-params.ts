/** A comparison of runs, stored as parameters of its tab. Pure. */
import { parseExact } from '../../electron/shared/exact-json.ts';
import {
  type ChosenItems,
  MAX_COMPARED_RUNS,
  NO_FILTER,
  type RunFilter,
  type RunRef,
  runFilter,
} from '../../electron/shared/run-comparison.ts';

type Params = Readonly<Record<string, string>>;

/** `experiment:ID scores:ID`. */
export const runsParam = (runs: readonly RunRef[]): string =>
  runs.map(({ kind, id }) => `${kind}:${id}`).join(' ');

/** Unreadable runs are left out. */
export function runsOfParam(param: string | undefined): RunRef[] {
  return (param ?? '')
    .split(' ')
    .flatMap((text): RunRef[] => {
      const [kind = ''] = text.split(':', 1);
      const id = text.slice(kind.length + 1);
      return (kind === 'experiment' || kind === 'scores') && id !== '' ? [{ kind, id }] : [];
    })
    .slice(0, MAX_COMPARED_RUNS);
}

/** Reads a filter. All items are shown if it was written by a later version or changed by hand. */
export function filterOfParam(param: string | undefined): RunFilter {
  if (param === undefined || param === '') return NO_FILTER;
  try {
    const { data } = runFilter.safeParse(parseExact(param));
    return data ?? NO_FILTER;
  } catch {
    // The parameter is not JSON: all items are shown.
    return NO_FILTER;
  }
}

/** The parameter for a filter, without the parts that select nothing. */
export function filterParam(filter: RunFilter): string {
  const chosen = Object.entries(filter).filter(([, value]) => value !== null && value !== '');
  return chosen.length === 0 ? '' : JSON.stringify(Object.fromEntries(chosen));
}

export function queryOfParams(params: Params): ChosenItems {
  const runs = runsOfParam(params['runs']);
  const place = Number(params['baseline'] ?? 0);
  const baseline = Number.isInteger(place) && place >= 0 && place < runs.length ? place : 0;
  const filter = filterOfParam(params['filter']);
  return {
    ...{ runs, baseline, score: params['score'] || null },
    lowerIsBetter: params['better'] === 'lower',
    filter: filter.run === null || filter.run < runs.length ? filter : { ...filter, run: null },
  };
}
