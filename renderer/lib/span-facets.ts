/** Facets of spans: a few fields with their values and counts; a press on a value changes the filter. Pure. */
import type { ColumnProfile } from '../../electron/shared/analysis-model.ts';
import type { FilterScalar } from '../../electron/shared/filter-tree.ts';
import { attributeColumnId } from './span-columns.ts';
import { type SpanFieldFacts, shortKey } from './span-fields.ts';

export interface Facet {
  /** Name of the field in filters. */
  field: string;
  /** Id of its column in grids and profiles. */
  column: string;
  title: string;
  /** Values listed before they are counted. */
  known: readonly string[];
}

interface FacetValue {
  value: FilterScalar;
  /** Number of stored spans with it; null if unknown. */
  count: number | null;
  /** Share of the most frequent value's count, from 0 to 1. */
  share: number;
  isChosen: boolean;
}

const COLUMN_FACETS: readonly Facet[] = [
  { field: 'Span::span_type', column: 'span_type', title: 'Type', known: ['llm', 'tool', 'chain', 'agent'] },
  { field: 'Span::status_code', column: 'status_code', title: 'Status', known: ['OK', 'ERROR', 'UNSET'] },
  { field: 'Span::agent_name', column: 'agent_name', title: 'Agent', known: [] },
];
const NAME_FACET: Facet = { field: 'Span::name', column: 'name', title: 'Name', known: [] };
/** Keys that hold the name of the model, the best one first. */
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

/** Type, status, agent, model, name, then the attributes that the user shows as columns. */
export function facetsOf(facts: SpanFieldFacts | null, columns: readonly string[]): Facet[] {
  const model = facts === null ? null : modelKey(facts);
  const chosen = columns.filter((key) => key !== model).map((key) => facetOfKey(key, shortKey(key)));
  return [...COLUMN_FACETS, ...(model === null ? [] : [facetOfKey(model, 'Model')]), NAME_FACET, ...chosen];
}

/** The value of a filter for a value as listed in a profile. */
function filterValue(text: string, kind: ColumnProfile['kind']): FilterScalar {
  return kind === 'boolean' ? text === 'true' : text;
}

/**
 * The values of a facet: those that the service documents in a fixed order, so that none moves when counts arrive; then
 * counted ones, most frequent first, and chosen ones. Numbers and long texts have none. `isComplete`: all spans are
 * counted, so that a value without a count has none.
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

/** The first values and all chosen ones, in their order. */
export const valuesInFront = (values: readonly FacetValue[], most: number): FacetValue[] =>
  values.filter(({ isChosen }, index) => isChosen || index < most);

/** The approximate number of values that are not listed: a profile lists only the most frequent ones. */
export function otherValues(values: readonly FacetValue[], profile: ColumnProfile | undefined): number {
  if (profile === undefined || profile.others.total === 0) return 0;
  const listed = new Set(profile.tops.map(({ value }) => filterValue(value, profile.kind)));
  const chosen = values.filter(({ value, isChosen }) => isChosen && !listed.has(value));
  return Math.max(0, profile.distinct - listed.size - chosen.length);
}

/** Whether a facet helps: several values, or one that is chosen. Ids and prompts have a value for each span. */
export function isUseful(values: readonly FacetValue[], profile: ColumnProfile | undefined): boolean {
  if (values.some(({ isChosen }) => isChosen)) return true;
  const listed = (profile?.tops ?? []).reduce((sum, { total }) => sum + total, 0);
  const isScattered =
    profile !== undefined && listed > 0 && listed * 2 < profile.rows.total - profile.absent.total;
  return values.length > 1 && !isScattered;
}

/** The chosen values after a press: alone, or none if it was; with a modifier key added or removed. */
export function pressed(
  chosen: readonly FilterScalar[],
  value: FilterScalar,
  adds: boolean,
): readonly FilterScalar[] {
  const isChosen = chosen.includes(value);
  if (adds) return isChosen ? chosen.filter((each) => each !== value) : [...chosen, value];
  return isChosen && chosen.length === 1 ? [] : [value];
}
