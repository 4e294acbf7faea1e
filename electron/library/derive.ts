/**
 * Derives lists without a request: a list with a search, filter or ordering, from the same list without them if that is
 * stored completely.
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
import { sortIndices } from './merge-sort.ts';
import { PositionList } from './position-list.ts';
import type { Positions } from './positions.ts';
import type { Slices } from './slices.ts';

type Row = Readonly<Record<string, unknown>>;
/**
 * Returns the positions of the base list that belong to the derived list, in order; null if this cannot be decided
 * locally.
 */
type Select = (reads: ListReads, generationId: number, slices: Slices) => Promise<Positions | null>;

export interface Derivation {
  /** The list from which rows are selected. */
  base: ListQuery;
  /**
   * `stated`: by rules of SERVICE.md S4.5. `assumed`: the interface does not define exactly what a search, a filter or
   * an ordering selects, so an answer of the service takes precedence.
   */
  rule: 'stated' | 'assumed';
  /** The list that is derived. */
  query: ListQuery;
  /** Key that is equal for the same selection of the same base list. */
  key: string;
  /** True if the rows are not in the order of the base list. */
  isReordered: boolean;
  select: Select;
}

/** Describes how the list can be derived; null if it cannot. */
export function derivationOf(query: ListQuery): Derivation | null {
  const rules = CATALOG_RULES[query.operation];
  if (rules !== undefined) return catalogDerivation(query, rules.selections);
  try {
    return query.operation === 'spans.query' ? spanDerivation(query) : listDerivation(query);
  } catch (problem) {
    // The service must handle a filter or ordering that cannot be parsed here.
    if (problem instanceof AppError) return null;
    throw problem;
  }
}

/**
 * Rules by operation. The search matches the identity (name, value); a selection matches the field of the same name.
 */
const CATALOG_RULES: Readonly<Record<string, { selections: readonly string[] }>> = {
  'catalog.list': { selections: ['data_type', 'semantic_name'] },
  'catalog.values': { selections: [] },
};
/** Marks an unmapped attribute, like an absent concept (SERVICE.md S2.4). */
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
    const found = new PositionList();
    await slices.each((from, limit) => {
      const { positions, texts } = reads.identitiesFrom(generationId, from, limit);
      const names = selections.map(({ field }) => field);
      const { columns } = reads.valuesFrom(generationId, from, limit, names);
      positions.forEach((position, index) => {
        const matchesSearch = search === null || fold(textOfIdentity(texts[index] ?? '')).includes(search);
        const isSelected = selections.every(({ accepted }, column) =>
          accepted.has(String(columns[column]?.[index] ?? UNMAPPED)),
        );
        if (matchesSearch && isSelected) found.add(position);
      });
      return positions;
    });
    return found.values().slice();
  };
  const rows = { ...query, query: base };
  return { query, base: rows, rule: 'stated', key: keyOf(query), isReordered: false, select };
}

/** Derives lists with the parameters `filter`, `search` and `ordering`. */
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

/** Orders equal spans by id, because the interface specifies no other order. */
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
    const found = new PositionList();
    /** Values of the ordering fields for each selected row. */
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
        found.add(position);
        if (terms.length > 0)
          values.push(Object.fromEntries(terms.map(({ field }) => [field, read(row, field)])));
      }
      return positions;
    });
    // If no row has this field, the service either rejects sorting by it or sorts by fields that it does not show.
    if (unseen.size > 0 && !isEmpty) return null;
    const chosen = found.values();
    if (terms.length === 0) return chosen;
    const readerOf =
      (index: number): FieldReader =>
      (field) =>
        values[index]?.[field];
    const order = await sortIndices(
      chosen.length,
      (a, b) => compareByOrdering(terms, readerOf(a), readerOf(b)),
      slices,
    );
    return Int32Array.from(order, (index) => chosen[index] ?? 0);
  };
  return { query, base, rule: 'assumed', key: keyOf(query), isReordered: terms.length > 0, select };
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const keyOf = ({ query, body }: ListQuery): string => JSON.stringify([query, body ?? null]);
