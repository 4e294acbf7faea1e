/**
 * Facets: values in production spans and dataset items, such as the name of an agent or the value of an attribute.
 * Pure.
 */

import { keysOf } from '../../shared/catalog-entity.ts';
import { BUCKETS } from '../../shared/dataset-model.ts';
import { isRawNumber } from '../../shared/exact-json.ts';
import { elementAt } from '../element-at.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** Span columns whose values the catalog lists as names. */
export const SPAN_COLUMNS = ['agent_name', 'span_type', 'span_name'] as const;
export type SpanColumn = (typeof SPAN_COLUMNS)[number];
/** The field of a span for each of these columns. */
const FIELDS: Readonly<Record<SpanColumn, string>> = {
  agent_name: 'agent_name',
  span_type: 'span_type',
  span_name: 'name',
};

interface Meaning {
  /** The dimension of the attribute's values; null if their list is not stored here. */
  dimension: number | null;
  concept: number | null;
}

/** Every facet of every dimension under its number, with its number of production rows. */
export class Facets {
  readonly #numbers: Map<string, number>[] = [];
  /** The dimension of each facet. */
  readonly dimensions: number[] = [];
  readonly values: string[] = [];
  readonly rows: number[] = [];
  readonly #columns = new Map<SpanColumn, number>();
  readonly #ofSpans = new Map<string, Meaning[]>();
  readonly #ofItems = new Map<string, Meaning[]>();

  /** Adds a dimension and returns its number. `column`: the span column that holds its values. */
  addDimension(column: SpanColumn | null = null): number {
    const dimension = this.#numbers.push(new Map()) - 1;
    if (column !== null) this.#columns.set(column, dimension);
    return dimension;
  }

  /**
   * Adds an attribute of the catalog. Spans have its full keys; items may also have keys without `user.` and `system.`.
   */
  addAttribute(name: string, meaning: Meaning): void {
    const keys = keysOf(name);
    for (const key of keys) put(this.#ofSpans, key, meaning);
    for (const key of new Set([...keys, ...keys.map((each) => each.replace(/^(user|system)\./, ''))]))
      put(this.#ofItems, key, meaning);
  }

  /** The number of a value's facet. A new facet has no production rows yet. */
  facetOf(dimension: number, value: string): number {
    const numbers = elementAt(this.#numbers, dimension);
    const known = numbers.get(value);
    if (known !== undefined) return known;
    const facet = this.values.push(value) - 1;
    this.dimensions.push(dimension);
    this.rows.push(0);
    numbers.set(value, facet);
    return facet;
  }

  /** Facets of a dimension. */
  of(dimension: number): number[] {
    return [...elementAt(this.#numbers, dimension).values()];
  }

  /** Distinct facets of a span. */
  ofSpan(span: JsonRecord): number[] {
    const found = new Set<number>();
    for (const [column, dimension] of this.#columns) {
      const value = textOf(span[FIELDS[column]] ?? span[column]);
      if (value !== null) found.add(this.facetOf(dimension, value));
    }
    this.#addFields(found, this.#ofSpans, span['span_attributes']);
    return sorted(found);
  }

  /** The facets of an item whose span is not stored, from the fields of its buckets only. */
  ofItem(item: JsonRecord): number[] {
    const found = new Set<number>();
    for (const bucket of BUCKETS) {
      const fields = objectOf(item[bucket]);
      this.#addFields(found, this.#ofItems, fields);
      for (const [column, dimension] of this.#columns) {
        const value = textOf(fields[column]);
        if (value !== null) found.add(this.facetOf(dimension, value));
      }
    }
    return sorted(found);
  }

  #addFields(found: Set<number>, meanings: ReadonlyMap<string, readonly Meaning[]>, fields: unknown): void {
    for (const [key, value] of Object.entries(objectOf(fields))) {
      for (const { dimension, concept } of meanings.get(key) ?? []) {
        const text = dimension === null ? null : textOf(value);
        if (dimension !== null && text !== null) found.add(this.facetOf(dimension, text));
        if (concept !== null && value !== null) found.add(concept);
      }
    }
  }
}

function put(map: Map<string, Meaning[]>, key: string, meaning: Meaning): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [meaning]);
  else known.push(meaning);
}

const sorted = (found: ReadonlySet<number>): number[] => [...found].sort((one, other) => one - other);

function objectOf(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** The value in the catalog's notation; null if it is not a single value. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return isRawNumber(value) ? value.digits : null;
}
