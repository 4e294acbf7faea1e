/** Facets of spans: a few fields with their values and counts. Pressing a value changes the filter. Pure. */
import type { ColumnProfile } from '../../electron/shared/analysis-model.ts';
import type { FilterScalar } from '../../electron/shared/filter-tree.ts';
import { attributeColumnId } from './span-columns.ts';
import { type SpanFieldFacts, shortKey } from './span-fields.ts';

export interface Facet {
  /** Name of the field in filters. */
  field: string;
  /** Id of the field's column in grids and profiles. */
  column: string;
  title: string;
  /** Values that are listed before the counts are known. */
  known: readonly string[];
}

interface FacetValue {
  value: FilterScalar;
  /** Number of stored spans with this value; null if unknown. */
  count: number | null;
  /** Count relative to that of the most frequent value, from 0 to 1. */
  share: number;
  isChosen: boolean;
}

const COLUMN_FACETS: readonly Facet[] = [
  { field: 'Span::span_type', column: 'span_type', title: 'Type', known: ['llm', 'tool', 'chain', 'agent'] },
  { field: 'Span::status_code', column: 'status_code', title: 'Status', known: ['OK', 'ERROR', 'UNSET'] },
  { field: 'Span::agent_name', column: 'agent_name', title: 'Agent', known: [] },
];
const NAME_FACET: Facet = { field: 'Span::name', column: 'name', title: 'Name', known: [] };
/** Keys that can hold the name of the model, in order of preference. */
const MODEL_KEYS = [
  /(^|\.)request\.model(\.name)?$/,
  /(^|\.)response\.model(\.name)?$/,
  /(^|[._])model(_name|\.name)?$/,
];

const facetOfKey = (key: string, title: string): Facet => ({
  field: `SpanAttribute::${key}`,
  column: attributeColumnId(key),
  title,
  known: [],
});

function modelKey({ attributes }: SpanFieldFacts): string | null {
  for (const pattern of MODEL_KEYS) {
    const found = attributes.find(({ name }) => pattern.test(name));
    if (found !== undefined) return found.name;
  }
  return null;
}

/** Type, status, agent, model and name, then the attributes that the user shows as columns. */
export function facetsOf(facts: SpanFieldFacts | null, columns: readonly string[]): Facet[] {
  const model = facts === null ? null : modelKey(facts);
  const chosen = columns.filter((key) => key !== model).map((key) => facetOfKey(key, shortKey(key)));
  return [...COLUMN_FACETS, ...(model === null ? [] : [facetOfKey(model, 'Model')]), NAME_FACET, ...chosen];
}

/** The filter's value for a value that is listed in a profile. */
function filterValue(text: string, kind: ColumnProfile['kind']): FilterScalar {
  return kind === 'boolean' ? text === 'true' : text;
}

/**
 * The values of a facet. Documented values of the service come first in a fixed order, so that none moves when counts
 * arrive; then counted values, most frequent first, and chosen ones. Numbers and long texts have no values here.
 * `isComplete`: all spans are counted, so a value without a count occurs in none.
 */
export function facetValues(
  { known }: Facet,
  profile: ColumnProfile | undefined,
  chosen: readonly FilterScalar[],
  isComplete: boolean,
): FacetValue[] {
  const isText = profile === undefined || profile.kind === 'text' || profile.kind === 'boolean';
  if (!isText && chosen.length === 0) return [];
  const counts = new Map<FilterScalar, number | null>(known.map((value) => [value, isComplete ? 0 : null]));
  for (const { value, count, total } of profile?.tops ?? [])
    if (total > 0) counts.set(filterValue(value, profile?.kind ?? 'text'), count);
  for (const value of chosen) if (!counts.has(value)) counts.set(value, null);
  const most = Math.max(1, ...[...counts.values()].map((count) => count ?? 0));
  return [...counts].map(([value, count]) => ({
    value,
    count,
    share: (count ?? 0) / most,
    isChosen: chosen.includes(value),
  }));
}

/** The first values and all chosen ones, in their original order. */
export const valuesInFront = (values: readonly FacetValue[], most: number): FacetValue[] =>
  values.filter(({ isChosen }, index) => isChosen || index < most);

/** The approximate number of values that are not listed: a profile lists only the most frequent ones. */
export function otherValues(values: readonly FacetValue[], profile: ColumnProfile | undefined): number {
  if (profile === undefined || profile.others.total === 0) return 0;
  const listed = new Set(profile.tops.map(({ value }) => filterValue(value, profile.kind)));
  const chosen = values.filter(({ value, isChosen }) => isChosen && !listed.has(value));
  return Math.max(0, profile.distinct - listed.size - chosen.length);
}

/**
 * Whether a facet is useful: it has several values, or a chosen one. Fields such as ids and prompts are not, as each
 * span has its own value.
 */
export function isUseful(values: readonly FacetValue[], profile: ColumnProfile | undefined): boolean {
  if (values.some(({ isChosen }) => isChosen)) return true;
  const listed = (profile?.tops ?? []).reduce((sum, { total }) => sum + total, 0);
  const isScattered =
    profile !== undefined && listed > 0 && listed * 2 < profile.rows.total - profile.absent.total;
  return values.length > 1 && !isScattered;
}

/**
 * The chosen values after a press. The pressed value becomes the only one, or is removed if it was that; with a
 * modifier key it is added or removed.
 */
export function pressed(
  chosen: readonly FilterScalar[],
  value: FilterScalar,
  adds: boolean,
): readonly FilterScalar[] {
  const isChosen = chosen.includes(value);
  if (adds) return isChosen ? chosen.filter((each) => each !== value) : [...chosen, value];
  return isChosen && chosen.length === 1 ? [] : [value];
}
