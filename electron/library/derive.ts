/**
 * Answers that need no request: a list with a search, filter or ordering, where the same list without them is stored
 * whole.
 */
import { SPAN_ORDERING, SPAN_VOCABULARY, spanField } from '../core/spans/span-rules.ts';
import { type FieldReader, matchesFilter, parseFilter, parseFilterTree } from '../core/text/filters.ts';
import { compareByOrdering, type OrderingTerm, parseOrdering } from '../core/text/ordering.ts';
import { holdsText, recordField } from '../core/text/record-search.ts';
import type { ListReads } from '../db/list-reads.ts';
import { AppError } from '../shared/errors.ts';
import { fold } from '../shared/fold.ts';
import { textOfIdentity } from '../shared/item-row.ts';
import type { ListQuery } from '../shared/model.ts';
import { parseStored } from '../shared/record-parts.ts';
import type { Slices } from './slices.ts';
import { sortIndices } from './sort-rows.ts';

type Row = Readonly<Record<string, unknown>>;
/** Positions of the base list that belong to the derived one, in order; null where this cannot be said here. */
type Select = (reads: ListReads, generationId: number, slices: Slices) => Promise<number[] | null>;

export interface Derivation {
  /** The list that is looked through. */
  base: ListQuery;
  /**
   * `stated`: by rules that SERVICE.md S4.5 states. `assumed`: the interface leaves open what exactly a search, a filter
   * or an ordering selects, so what the service answered itself goes before.
   */
  rule: 'stated' | 'assumed';
  /** The list that is worked out. */
  query: ListQuery;
  /** The same for the same selection of the same base list. */
  key: string;
  /** The rows do not stand in the order of the base list. */
  isReordered: boolean;
  select: Select;
}

/** How the list can be derived, or null where it cannot. */
export function derivationOf(query: ListQuery): Derivation | null {
  const rules = CATALOG_RULES[query.operation];
  if (rules !== undefined) return catalogDerivation(query, rules.selections);
  try {
    return query.operation === 'spans.query' ? spanDerivation(query) : listDerivation(query);
  } catch (problem) {
    // A filter or ordering that cannot be read here: the service says what it thinks of it.
    if (problem instanceof AppError) return null;
    throw problem;
  }
}

/** Rules by operation: the search looks at the identity (name, value), a selection at a field of its own name. */
const CATALOG_RULES: Readonly<Record<string, { selections: readonly string[] }>> = {
  'catalog.list': { selections: ['data_type', 'semantic_name'] },
  'catalog.values': { selections: [] },
};
/** SERVICE.md S2.4: marks an unmapped attribute, and so does an absent concept. */
const UNMAPPED = 'UNKNOWN';

function catalogDerivation(query: ListQuery, fields: readonly string[]): Derivation | null {
  const base = { ...query.query };
  delete base['search'];
  const selections = fields.flatMap((field) => {
    const wanted = base[field];
    delete base[field];
    return wanted === undefined ? [] : [{ field, accepted: new Set(wanted.split(',')) }];
  });
  const typed = query.query['search'];
  if (typed === undefined && selections.length === 0) return null;
  const search = typed === undefined ? null : fold(typed);
  const select: Select = async (reads, generationId, slices) => {
    const found: number[] = [];
    await slices.each((from, limit) => {
      const { positions, texts } = reads.identitiesFrom(generationId, from, limit);
      const names = selections.map(({ field }) => field);
      const { columns } = reads.valuesFrom(generationId, from, limit, names);
      positions.forEach((position, index) => {
        const matchesSearch = search === null || fold(textOfIdentity(texts[index] ?? '')).includes(search);
        const isSelected = selections.every(({ accepted }, column) =>
          accepted.has(String(columns[column]?.[index] ?? UNMAPPED)),
        );
        if (matchesSearch && isSelected) found.push(position);
      });
      return positions;
    });
    return found;
  };
  const rows = { ...query, query: base };
  return { query, base: rows, rule: 'stated', key: keyOf(query), isReordered: false, select };
}

/** Lists that are asked with the parameters `filter`, `search` and `ordering`. */
function listDerivation(query: ListQuery): Derivation | null {
  const { filter, search, ordering, ...rest } = query.query;
  if (query.body !== undefined || (filter ?? search ?? ordering) === undefined) return null;
  const tree = filter === undefined ? null : parseFilter(filter);
  const matches = (row: Row) =>
    (tree === null || matchesFilter(tree, (field) => recordField(row, field))) &&
    (search === undefined || holdsText(row, search));
  const terms = ordering === undefined ? [] : parseOrdering(ordering);
  return assumed(query, { ...query, query: rest }, { matches, terms, read: recordField });
}

/** Equal spans stand by their ids, as the interface names no other order. */
const BY_SPAN_ID: OrderingTerm = { field: 'span_id', isDescending: false };

function spanDerivation(query: ListQuery): Derivation | null {
  const { filter, ordering = SPAN_ORDERING, ...rest } = query.body ?? {};
  const isOrdered = ordering !== SPAN_ORDERING;
  if (typeof ordering !== 'string' || (filter === undefined && !isOrdered)) return null;
  const tree = filter === undefined ? null : parseFilterTree(filter, SPAN_VOCABULARY);
  const matches = (row: Row) => tree === null || matchesFilter(tree, (field) => spanField(row, field));
  const terms = isOrdered ? [...parseOrdering(ordering), BY_SPAN_ID] : [];
  const base = { ...query, body: { ...rest, ordering: SPAN_ORDERING } };
  return assumed(query, base, { matches, terms, read: (row, field) => row[field] });
}

interface RowRules {
  matches: (row: Row) => boolean;
  terms: readonly OrderingTerm[];
  read: (row: Row, field: string) => unknown;
}

function assumed(query: ListQuery, base: ListQuery, { matches, terms, read }: RowRules): Derivation {
  const select: Select = async (reads, generationId, slices) => {
    const found: number[] = [];
    /** Values of the ordering fields of each row found. */
    const values: Record<string, unknown>[] = [];
    let isEmpty = true;
    const unseen = new Set(terms.map(({ field }) => field));
    await slices.each((from, limit) => {
      const positions: number[] = [];
      for (const { position, json } of reads.recordsFrom(generationId, from, limit)) {
        positions.push(position);
        const row = parseStored(json);
        if (!isRow(row)) continue;
        isEmpty = false;
        for (const field of unseen) if (read(row, field) !== undefined) unseen.delete(field);
        if (!matches(row)) continue;
        found.push(position);
        if (terms.length > 0)
          values.push(Object.fromEntries(terms.map(({ field }) => [field, read(row, field)])));
      }
      return positions;
    });
    // A field that no row has: the service refuses to sort by it, or knows of more than it shows.
    if (unseen.size > 0 && !isEmpty) return null;
    if (terms.length === 0) return found;
    const readerOf =
      (index: number): FieldReader =>
      (field) =>
        values[index]?.[field];
    const order = await sortIndices(
      found.length,
      (a, b) => compareByOrdering(terms, readerOf(a), readerOf(b)),
      slices,
    );
    return order.map((index) => found[index] ?? 0);
  };
  return { query, base, rule: 'assumed', key: keyOf(query), isReordered: terms.length > 0, select };
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const keyOf = ({ query, body }: ListQuery): string => JSON.stringify([query, body ?? null]);
