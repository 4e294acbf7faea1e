/** The names of stored data in SQL. Pure. */

import type { KeptRows } from '../db/kept-tables.ts';
import type { Generation } from '../db/library-rows.ts';
import type { ListQuery } from '../shared/model.ts';
import { isPrivateList } from '../shared/private-lists.ts';
import { LISTS_SCHEMA, type SqlView } from '../shared/sql-model.ts';
import { tableOf } from '../shared/table-names.ts';
import { titleOfList } from './list-title.ts';
import type { UnionPart } from './union-rows.ts';

interface StoredListing {
  query: ListQuery;
  shown: Generation;
}

/** Names of applications and datasets by id. */
export type NamesById = ReadonlyMap<string, string>;

/** A view with its source rows. */
export interface ReadableView extends SqlView {
  source:
    | { form: 'list'; generation: Generation }
    | { form: 'union'; name: string; parts: UnionPart[] }
    | { form: 'kept'; table: KeptTable };
}

/** A local table that is not a list of the service. */
export interface KeptTable extends KeptRows {
  title: string;
  /** A value that changes whenever the rows change. */
  state: string;
  rows: number;
  isComplete: boolean;
  /** Time of the oldest row. */
  oldestMs: number | null;
}

/**
 * First come views of all stored records of a kind from any list, without duplicates: `spans`, `items`. Then come the
 * single lists, in a separate schema: `lists."Spans, 19–26 Nov #12"`. The number is the list's id in the store and
 * never refers to another list. The name of a kind keeps its meaning when lists are added or removed. Local tables
 * follow the kinds: `events`, `requests`. Lists of access keys and of people are left out.
 */
export function viewsOf(
  stored: readonly StoredListing[],
  names: NamesById,
  tables: readonly KeptTable[] = [],
): ReadableView[] {
  const lists = stored.filter(({ query }) => !isPrivateList(query.operation));
  const kinds = new Map<string, StoredListing[]>();
  for (const list of lists) {
    const name = tableOf(list.query.operation);
    kinds.set(name, [...(kinds.get(name) ?? []), list]);
  }
  const unions = [...kinds].map(([name, of]) => unionOf(name, of, names));
  return [...unions, ...tables.map(viewOfTable), ...lists.map((list) => viewOfList(list, names))];
}

function viewOfTable(table: KeptTable): ReadableView {
  const { name, title, rows, isComplete, oldestMs } = table;
  return {
    ...{ name, schema: null, title, operation: name, query: null },
    ...{ storedRows: rows, mostRows: rows, isComplete, oldestMs },
    source: { form: 'kept', table },
  };
}

function unionOf(name: string, lists: readonly StoredListing[], names: NamesById): ReadableView {
  // If several lists contain a record, the one in the most recently read list counts.
  const newestFirst = lists.toSorted((a, b) => (b.shown.newestMs ?? 0) - (a.shown.newestMs ?? 0));
  const [first] = newestFirst;
  const [only, another] = lists;
  const oldest = lists.flatMap(({ shown }) => shown.oldestMs ?? []);
  const count = lists.length === 1 ? '1 stored list' : `${lists.length} stored lists`;
  return {
    name,
    schema: null,
    title: `All stored ${name.replaceAll('_', ' ')}, once each, of ${count}`,
    operation: first?.query.operation ?? name,
    query: null,
    storedRows: another === undefined ? (only?.shown.rowCount ?? 0) : null,
    mostRows: lists.reduce((sum, { shown }) => sum + shown.rowCount, 0),
    isComplete: lists.every(({ shown }) => shown.isComplete),
    oldestMs: oldest.length === 0 ? null : Math.min(...oldest),
    source: { form: 'union', name, parts: newestFirst.map((list) => partOf(list, names)) },
  };
}

/** For each column with names of records, the record that a list belongs to. */
export function ownersOf({ path, body }: ListQuery): { column: string; id: string }[] {
  const ofBody = body?.['application_id'];
  const ids = {
    application: path['application_id'] ?? (typeof ofBody === 'string' ? ofBody : undefined),
    dataset: path['dataset_id'],
    experiment: path['experiment_id'],
  };
  return Object.entries(ids).flatMap(([column, id]) => (id === undefined ? [] : { column, id }));
}

function partOf({ query, shown }: StoredListing, names: NamesById): UnionPart {
  const { operation, path, query: asked } = query;
  const added: Record<string, string | null> = {
    ...Object.fromEntries(ownersOf(query).map(({ column, id }) => [column, names.get(id) ?? id])),
    ...(operation === 'catalog.values'
      ? { entity: asked['name'] ?? null, entity_type: asked['entity_type'] ?? null }
      : {}),
    as_of: shown.oldestMs === null ? null : new Date(shown.oldestMs).toISOString(),
  };
  const { id: generationId, revision } = shown;
  return {
    generationId,
    revision,
    rowCount: shown.rowCount,
    query: { operation, path, query: asked },
    added,
  };
}

function viewOfList({ query, shown }: StoredListing, names: NamesById): ReadableView {
  const title = titleOfList(query, names);
  return {
    name: `${title} #${shown.listId}`,
    schema: LISTS_SCHEMA,
    title,
    operation: query.operation,
    query,
    storedRows: shown.rowCount,
    mostRows: shown.rowCount,
    isComplete: shown.isComplete,
    oldestMs: shown.oldestMs,
    source: { form: 'list', generation: shown },
  };
}

/** The key of a typed name. For a list it is only the number, because the title may change. */
export function viewKey(schema: string, name: string): string {
  if (schema.toLowerCase() !== LISTS_SCHEMA)
    return schema === '' ? name.toLowerCase() : `${schema}.${name}`.toLowerCase();
  return `${LISTS_SCHEMA}.${/#\d+$/.exec(name)?.[0] ?? name.toLowerCase()}`;
}

/** Null if earlier versions used this name for no list. */
export function successorOf(name: string): string | null {
  const before = name.toLowerCase().replace(/_\d+$/, '');
  const known: Readonly<Record<string, string>> = {
    catalog: 'entities',
    catalog_values: 'values',
    datasets_items: 'items',
    alert_rules_records: 'alerts',
    alert_rules_summary: 'alert_summaries',
  };
  return known[before] ?? (before === name.toLowerCase() ? null : before);
}
