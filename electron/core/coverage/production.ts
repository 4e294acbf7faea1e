/**
 * The distribution of production according to its catalog: dimensions with their values, and the number of rows with
 * each value. Pure.
 */

import { entityTypeOf, UNMAPPED } from '../../shared/catalog-entity.ts';
import type { Coverage, CoverageDimension } from '../../shared/coverage-model.ts';
import { parseExactObject } from '../../shared/exact-json.ts';
import { textOf } from '../../shared/json-fields.ts';
import type { ListQuery } from '../../shared/model.ts';
import { elementAt } from '../element-at.ts';
import { type Facets, SPAN_COLUMNS, type SpanColumn } from './facets.ts';
import { type CoverageSources, listsOf, oldestOf, type SourceList, totalOf } from './sources.ts';

const MAX_UNREAD = 20;
const TITLES: Readonly<Record<SpanColumn, string>> = {
  agent_name: 'Agent',
  span_type: 'Span type',
  span_name: 'Span name',
};

export interface Dimension
  extends Pick<
    CoverageDimension,
    'key' | 'title' | 'entityType' | 'storedValues' | 'totalValues' | 'oldestMs'
  > {
  /** The number of the dimension among the facets. */
  number: number;
}

interface Entity {
  entityType: string;
  name: string;
  /** Name of the concept that the attribute is mapped to; empty if there is none. */
  concept: string;
  isText: boolean;
  rows: number;
}

type Sources<List extends SourceList> = Pick<CoverageSources<List>, 'lists' | 'rowsOf'>;

/**
 * Adds the dimensions of an application to the facets: one for each span column from the names in the catalog, and one
 * for each attribute from the list of its values. Attributes mapped to the same concept share it.
 */
export function readProduction<List extends SourceList>(
  sources: Sources<List>,
  applicationId: string,
  facets: Facets,
): { dimensions: Dimension[]; unread: Coverage['unread'] } {
  const isOurs = ({ path }: ListQuery) => path['application_id'] === applicationId;
  const lists = listsOf(sources, 'catalog.list', isOurs);
  const entities = readEntities(sources, lists);
  const values = readValues(sources, isOurs, facets);
  const attributes = entities.filter(({ entityType }) => entityType === 'attribute');
  const unread = attributes.filter(({ isText, name }) => isText && !values.has(name));
  return {
    dimensions: [
      ...columnsOf(entities, lists, facets),
      ...values.values(),
      ...conceptsOf(attributes, { lists, values }, facets),
    ],
    unread: {
      names: unread
        .toSorted((one, other) => other.rows - one.rows)
        .slice(0, MAX_UNREAD)
        .map(({ name }) => name),
      count: unread.length,
    },
  };
}

function readEntities<List extends SourceList>(sources: Sources<List>, lists: readonly List[]): Entity[] {
  const entities = new Map<string, Entity>();
  // Lists of a single type come first, because rows of a list of all types may lack their type.
  const typeOf = (list: SourceList) => list.query.query['entity_type'] ?? '';
  const ofOneType = lists.filter((list) => typeOf(list) !== '');
  const complete = new Set(ofOneType.filter(isWhole).map(typeOf));
  for (const list of [...ofOneType, ...lists.filter((each) => typeOf(each) === '')]) {
    for (const { json } of sources.rowsOf(list)) {
      const entity = entityOf(parseExactObject(json), typeOf(list));
      const key = `${entity.entityType} ${entity.name}`;
      const isWrongGuess = typeOf(list) === '' && complete.has(entity.entityType);
      if (!entities.has(key) && !isWrongGuess) entities.set(key, entity);
    }
  }
  return [...entities.values()];
}

/** Whether the list has all names of a type: it is stored completely and has no other filter. */
function isWhole({ isComplete, query: { query } }: SourceList): boolean {
  return isComplete && Object.keys(query).every((name) => name === 'entity_type');
}

function entityOf(row: Readonly<Record<string, unknown>>, filteredBy: string): Entity {
  const concept = textOf(row, 'semantic_name');
  return {
    entityType: entityTypeOf(row, filteredBy),
    name: textOf(row, 'name'),
    concept: concept === UNMAPPED ? '' : concept,
    isText: row['data_type'] !== 'numeric',
    rows: countOf(row['row_count']),
  };
}

function columnsOf(entities: readonly Entity[], lists: readonly SourceList[], facets: Facets): Dimension[] {
  return SPAN_COLUMNS.flatMap((column) => {
    const named = entities.filter(({ entityType }) => entityType === column);
    if (named.length === 0) return [];
    const number = facets.addDimension(column);
    for (const { name, rows } of named) observe(facets, number, name, rows);
    const unfiltered = lists.filter(({ query: { query } }) => {
      const { entity_type: only, ...others } = query;
      return (only === undefined || only === column) && Object.keys(others).length === 0;
    });
    return [
      {
        ...{ number, key: column, entityType: column, title: TITLES[column] },
        storedValues: named.length,
        // A list of all types does not give the total of this type.
        totalValues: totalOf(unfiltered.find(({ query }) => query.query['entity_type'] === column)),
        oldestMs: oldestOf(unfiltered.length === 0 ? lists : unfiltered),
      },
    ];
  });
}

/** Reads the lists of attribute values, by name of the attribute. */
function readValues<List extends SourceList>(
  sources: Sources<List>,
  isOurs: (query: ListQuery) => boolean,
  facets: Facets,
): Map<string, Dimension> {
  const values = new Map<string, Dimension>();
  const lists = listsOf(sources, 'catalog.values', (query) => {
    const { entity_type: entityType, search } = query.query;
    return isOurs(query) && entityType === 'attribute' && search === undefined;
  });
  for (const list of lists) {
    const { name } = list.query.query;
    if (name === undefined || values.has(name)) continue;
    const number = facets.addDimension();
    values.set(name, {
      ...{ number, key: `attribute ${name}`, entityType: 'attribute', title: name },
      storedValues: list.rowCount,
      totalValues: totalOf(list),
      oldestMs: list.oldestMs,
    });
    for (const { json } of sources.rowsOf(list)) {
      const { value, row_count: rows } = parseExactObject(json);
      if (value !== null && value !== undefined) observe(facets, number, String(value), countOf(rows));
    }
  }
  return values;
}

/** Empty if no attribute is mapped to a concept. */
function conceptsOf(
  attributes: readonly Entity[],
  { lists, values }: { lists: readonly SourceList[]; values: ReadonlyMap<string, Dimension> },
  facets: Facets,
): Dimension[] {
  const number = attributes.some(({ concept }) => concept !== '') ? facets.addDimension() : null;
  for (const { name, concept, rows } of attributes) {
    const own = number === null || concept === '' ? null : observe(facets, number, concept, rows);
    facets.addAttribute(name, { dimension: values.get(name)?.number ?? null, concept: own });
  }
  const known = new Set(attributes.map(({ name }) => name));
  for (const [name, { number: dimension }] of values) {
    if (!known.has(name)) facets.addAttribute(name, { dimension, concept: null });
  }
  if (number === null) return [];
  return [
    {
      ...{ number, key: 'concept', entityType: null, title: 'Semantic concept' },
      storedValues: facets.of(number).length,
      totalValues: null,
      oldestMs: oldestOf(lists),
    },
  ];
}

function observe(facets: Facets, dimension: number, value: string, rows: number): number {
  const facet = facets.facetOf(dimension, value);
  facets.rows[facet] = elementAt(facets.rows, facet) + rows;
  return facet;
}

const countOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
