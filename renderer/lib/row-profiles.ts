/** Profiles of loaded rows, computed in the same way as the analysis process does for stored lists. Pure. */
import type { ColumnFilter, ColumnKind, ColumnProfile, Tally } from '../../electron/shared/analysis-model.ts';
import { edgesOf } from '../../electron/shared/axis-edges.ts';
import { doubleOf, isRawNumber } from '../../electron/shared/exact-json.ts';
import { constantsSaid, isSaid, type WordTable } from '../../electron/shared/shown-words.ts';
import { isoTime } from '../../electron/shared/zone-time.ts';

type Row = Readonly<Record<string, unknown>>;
type Passes = (row: Row) => boolean;

const MAX_TOPS = 10;
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const NUMERIC = /^-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
const hasContent = (value: unknown): boolean => value !== undefined && value !== null && !isEmpty(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function kindOf(values: readonly unknown[]): ColumnKind {
  const all = (test: (value: unknown) => boolean) => values.length > 0 && values.every(test);
  if (all((value) => typeof value === 'boolean')) return 'boolean';
  if (all((value) => typeof value === 'number' || isRawNumber(value)))
    return values.every((value) => (isRawNumber(value) ? value.isWhole : Number.isInteger(value)))
      ? 'integer'
      : 'number';
  if (!all((value) => typeof value === 'string')) return values.length === 0 ? 'text' : 'json';
  if (all((value) => TIME.test(String(value)))) return 'time';
  return all((value) => NUMERIC.test(String(value))) ? 'numeric-text' : 'text';
}

/** Position of a value on its axis; null if it has none. */
function axisOf(value: unknown): number | null {
  const place =
    typeof value === 'string' && TIME.test(value)
      ? (isoTime(value) ?? Number.NaN)
      : typeof value === 'string' && NUMERIC.test(value)
        ? Number(value)
        : (doubleOf(value) ?? Number.NaN);
  return Number.isNaN(place) ? null : place;
}

/** Whether a value contains the text, or is a constant that its column shows with words that contain it. */
function containing(text: string, words: WordTable | undefined): (value: string) => boolean {
  const wanted = text.toLowerCase();
  const said = constantsSaid(text, words === undefined ? [] : [words]);
  return (value) => value.toLowerCase().includes(wanted) || isSaid(value, said);
}

/** Whether a row passes a filter. */
export function passes({ field, ...filter }: ColumnFilter): Passes {
  const containsTyped = filter.kind === 'contains' ? containing(filter.text, filter.words) : null;
  return (row) => {
    const value = row[field];
    if (filter.kind === 'emptiness') {
      if (filter.is === 'absent') return value === undefined;
      if (filter.is === 'missing') return !hasContent(value);
      return filter.is === 'null' ? value === null : isEmpty(value);
    }
    if (filter.kind === 'values')
      return (hasContent(value) && filter.values.includes(textOf(value))) !== filter.excludes;
    if (filter.kind === 'contains') {
      const occurs = hasContent(value) && containsTyped?.(textOf(value)) === true;
      return occurs !== filter.excludes;
    }
    const place = axisOf(value);
    const { from, to, includesTo, excludesFrom } = filter;
    const isInside =
      place !== null &&
      (from === null || place > from || (excludesFrom !== true && place === from)) &&
      (to === null || place < to || (includesTo && place === to));
    return isInside !== (filter.excludes === true);
  };
}

/** Profiles of the given columns. Each profile counts the rows that pass the filters of the other columns. */
export function profileRows(
  rows: readonly Row[],
  fields: readonly string[],
  filters: readonly ColumnFilter[],
): ColumnProfile[] {
  return fields.map((field) => {
    const others = filters.filter((filter) => filter.field !== field).map(passes);
    const isCounted = rows.map((row) => others.every((each) => each(row)));
    return profileOf(
      field,
      rows.map((row) => row[field]),
      isCounted,
    );
  });
}

/** `isCounted`: for each value, whether its row passes the filters of the other columns. */
function profileOf(field: string, values: readonly unknown[], isCounted: readonly boolean[]): ColumnProfile {
  const content = values.filter(hasContent);
  const kind = kindOf(content);
  const isDrawn = kind === 'integer' || kind === 'number' || kind === 'time' || kind === 'numeric-text';
  const places = isDrawn ? values.map((value) => (hasContent(value) ? axisOf(value) : null)) : [];
  const edges = edgesAround(places, kind);
  const texts = edges.length > 0 ? [] : values.map((value) => (hasContent(value) ? textOf(value) : null));
  const counts = new Map<string, number>();
  for (const text of edges.length > 0 ? content.map(textOf) : texts)
    if (text !== null) counts.set(text, (counts.get(text) ?? 0) + 1);
  const tops =
    edges.length > 0
      ? []
      : [...counts]
          .toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
          .slice(0, MAX_TOPS)
          .map(([value]) => value);

  const none = (): Tally => ({ total: 0, count: 0 });
  const parts = { absent: none(), nulls: none(), empty: none(), others: none(), rows: none() };
  const shown = Array.from({ length: edges.length > 0 ? edges.length - 1 : tops.length }, none);
  values.forEach((value, at) => {
    const place = places[at] ?? null;
    const part =
      value === undefined
        ? parts.absent
        : value === null
          ? parts.nulls
          : isEmpty(value)
            ? parts.empty
            : (shown[place === null ? tops.indexOf(texts[at] ?? '') : barOf(place, edges)] ?? parts.others);
    for (const tally of [part, parts.rows]) {
      tally.total += 1;
      if (isCounted[at] === true) tally.count += 1;
    }
  });
  return {
    ...{ field, kind, ...parts, distinct: counts.size },
    bars: edges.slice(1).map((to, at) => ({
      ...{ from: edges[at] ?? 0, to, includesTo: at === edges.length - 2 },
      ...(shown[at] ?? none()),
    })),
    tops: tops.map((value, at) => ({ value, ...(shown[at] ?? none()) })),
  };
}

/** The edges of the bars; empty if no value has a position. */
function edgesAround(places: readonly (number | null)[], kind: ColumnKind): number[] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const place of places) {
    if (place === null) continue;
    least = Math.min(least, place);
    most = Math.max(most, place);
  }
  return least > most ? [] : edgesOf(least, most, kind);
}

/** The bar that contains a position; the last bar includes its end. */
function barOf(place: number, edges: readonly number[]): number {
  const after = edges.findIndex((edge) => place < edge);
  return after === -1 ? edges.length - 2 : after - 1;
}
