/** A dataset against production, over what is stored: which values are missing, and which spans would bring them. Pure. */
import { entityTypeOf } from '../../shared/catalog-entity.ts';
import type {
  Coverage,
  CoverageDimension,
  CoverageFill,
  CoverageQuestion,
  ListedSpans,
} from '../../shared/coverage-model.ts';
import { MOST_COUNTED_VALUES, MOST_DIMENSIONS, MOST_SHOWN_VALUES } from '../../shared/coverage-model.ts';
import { parseExactObject } from '../../shared/exact-json.ts';
import type { ListQuery } from '../../shared/model.ts';
import { Facets, SPAN_COLUMNS } from './facets.ts';
import { drawBlindly, fillGap, meanOverlap, overlapOf, rowsOf, Tally } from './fill.ts';

export interface SourceList {
  query: ListQuery;
  rowCount: number;
  totalRows: number | null;
  isComplete: boolean;
  oldestMs: number | null;
}

export interface CoverageSources<List extends SourceList = SourceList> {
  /** Lists with rows, the largest of an operation first. */
  lists: readonly List[];
  /** JSON text of each row, with its place. */
  rowsOf(list: List): Iterable<{ position: number; json: string }>;
  /** Spans that items of this dataset were made of, and those of a basket, as far as they are here. */
  spansOfItems(datasetId: string): Iterable<string>;
  spansOfBuild(buildId: string): Iterable<string>;
}

type JsonRecord = Readonly<Record<string, unknown>>;

const MOST_UNREAD = 20;
/** Blind draws that the fill is compared with; their mean. */
const DRAWS = 5;
const CONCEPTS = 'concept';
const TITLES: Readonly<Record<string, string>> = {
  agent_name: 'Agent',
  span_type: 'Span type',
  span_name: 'Span name',
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const countOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);

interface Dimension extends Pick<CoverageDimension, 'key' | 'title' | 'entityType'> {
  number: number;
  storedValues: number;
  totalValues: number | null;
  oldestMs: number | null;
}

interface Entity {
  entityType: string;
  name: string;
  concept: string;
  isText: boolean;
  rows: number;
}

interface Span {
  list: number;
  position: number;
  traceId: string;
  spanId: string;
  startTime: string | null;
  facets: readonly number[];
}

class Measure<List extends SourceList> {
  readonly #sources: CoverageSources<List>;
  readonly #asked: CoverageQuestion;
  readonly #facets = new Facets();
  readonly #dimensions: Dimension[] = [];
  readonly #items: Tally;
  /** Facets by fields of items whose span was not met yet, by the id of the span. */
  readonly #waiting = new Map<string, (readonly number[])[]>();
  readonly #sourceIds = new Set<string>();
  readonly #basket = new Set<string>();
  readonly #types = new Set<string>();
  #withSpan = 0;
  #inDataset = 0;
  #spans = 0;

  constructor(sources: CoverageSources<List>, asked: CoverageQuestion) {
    this.#sources = sources;
    this.#asked = asked;
    this.#items = new Tally(this.#facets);
  }

  run(): Coverage {
    const { datasetId, buildId, applicationId, size } = this.#asked;
    const unread = this.#readCatalog();
    const items = this.#readItems();
    for (const json of this.#sources.spansOfItems(datasetId)) this.#meet(parseExactObject(json));
    const picked = buildId === null ? [] : this.#readBasket(buildId);
    const lists = this.#listsOf(
      'spans.query',
      ({ body }) => text(body?.['application_id']) === applicationId,
    );
    const candidates = this.#readSpans(lists);
    // Items whose span is stored nowhere here: by what they say themselves.
    for (const facets of [...this.#waiting.values()].flat()) this.#items.add(facets);
    const tally = this.#items.copy();
    for (const facets of picked) tally.add(facets);
    const counted = this.#dimensions.filter((dimension) => this.#counts(dimension));
    const question = {
      facets: this.#facets,
      tally,
      dimensions: counted.map(({ number }) => number),
      candidates: candidates.map(({ facets }) => facets),
      size,
    };
    const places = fillGap(question);
    const filled = this.#with(tally, question.candidates, places);
    const all = this.#shown(filled, new Set(counted));
    return {
      items: { ...items, withSpan: this.#withSpan },
      spans: {
        stored: this.#spans,
        total: null,
        oldestMs: oldestOf(lists),
        inDataset: this.#inDataset,
      },
      inBasket: picked.length,
      dimensions: all.slice(0, MOST_DIMENSIONS),
      otherDimensions: Math.max(0, all.length - MOST_DIMENSIONS),
      unread,
      spanTypes: [...this.#types].sort(),
      fill: {
        candidates: candidates.length,
        picks: listed(lists, candidates, places),
        picked: places.length,
        before: meanOverlap(this.#facets, tally, question.dimensions),
        after: meanOverlap(this.#facets, filled, question.dimensions),
        blind: this.#blind(tally, question, places.length),
      },
    };
  }

  #listsOf(operation: string, fits: (query: ListQuery) => boolean): List[] {
    return this.#sources.lists.filter(({ query }) => query.operation === operation && fits(query));
  }

  /** The catalog's names are the values of the columns of spans; of attributes their values are lists of their own. */
  #readCatalog(): Coverage['unread'] {
    const { applicationId } = this.#asked;
    const isOurs = ({ path }: ListQuery) => path['application_id'] === applicationId;
    const lists = this.#listsOf('catalog.list', isOurs);
    const entities = new Map<string, Entity>();
    for (const list of lists) {
      for (const { json } of this.#sources.rowsOf(list)) {
        const entity = entityOf(parseExactObject(json), text(list.query.query['entity_type']));
        const key = `${entity.entityType} ${entity.name}`;
        if (!entities.has(key)) entities.set(key, entity);
      }
    }
    for (const column of Object.keys(SPAN_COLUMNS)) {
      const named = [...entities.values()].filter(({ entityType }) => entityType === column);
      if (named.length === 0) continue;
      const number = this.#facets.addDimension(column);
      for (const { name, rows } of named) this.#observe(number, name, rows);
      this.#dimensions.push({
        ...{ number, key: column, entityType: column, title: TITLES[column] ?? column },
        storedValues: named.length,
        ...reachOf(lists, ({ query }) => {
          const { entity_type: only, ...others } = query.query;
          return (only === undefined || only === column) && Object.keys(others).length === 0;
        }),
        // A list of every type does not say how many are of this one.
        totalValues: totalOf(lists.filter(({ query }) => query.query['entity_type'] === column)),
      });
    }
    const values = this.#readValues(isOurs);
    const attributes = [...entities.values()].filter(({ entityType }) => entityType === 'attribute');
    this.#readConcepts(attributes, lists, values);
    const unread = attributes.filter(({ isText, name }) => isText && !values.has(name));
    return {
      names: unread
        .toSorted((one, other) => other.rows - one.rows)
        .slice(0, MOST_UNREAD)
        .map(({ name }) => name),
      count: unread.length,
    };
  }

  /** Dimensions of attributes, by name. */
  #readValues(isOurs: (query: ListQuery) => boolean): Map<string, number> {
    const values = new Map<string, number>();
    const lists = this.#listsOf('catalog.values', (query) => {
      const { entity_type: entityType, name, search } = query.query;
      return isOurs(query) && entityType === 'attribute' && name !== undefined && search === undefined;
    });
    for (const list of lists) {
      const name = text(list.query.query['name']);
      if (values.has(name)) continue;
      const number = this.#facets.addDimension();
      values.set(name, number);
      for (const { json } of this.#sources.rowsOf(list)) {
        const row = parseExactObject(json);
        const value = row['value'];
        if (value !== null && value !== undefined)
          this.#observe(number, String(value), countOf(row['row_count']));
      }
      this.#dimensions.push({
        ...{ number, key: `attribute ${name}`, entityType: 'attribute', title: name },
        storedValues: list.rowCount,
        totalValues: totalOf([list]),
        oldestMs: list.oldestMs,
      });
    }
    return values;
  }

  #readConcepts(
    attributes: readonly Entity[],
    lists: readonly List[],
    values: ReadonlyMap<string, number>,
  ): void {
    const concepts = attributes.some(({ concept }) => concept !== '') ? this.#facets.addDimension() : null;
    for (const { name, concept, rows } of attributes) {
      const own = concepts === null || concept === '' ? null : this.#observe(concepts, concept, rows);
      this.#facets.addAttribute(name, { dimension: values.get(name) ?? null, concept: own });
    }
    const known = new Set(attributes.map(({ name }) => name));
    for (const [name, dimension] of values) {
      if (!known.has(name)) this.#facets.addAttribute(name, { dimension, concept: null });
    }
    if (concepts === null) return;
    this.#dimensions.push({
      ...{ number: concepts, key: CONCEPTS, entityType: null, title: 'Semantic concept' },
      storedValues: this.#facets.of(concepts).length,
      totalValues: null,
      oldestMs: oldestOf(lists),
    });
  }

  #observe(dimension: number, value: string, rows: number): number {
    const facet = this.#facets.facetOf(dimension, value);
    this.#facets.rows[facet] = (this.#facets.rows[facet] ?? 0) + rows;
    return facet;
  }

  #readItems(): Omit<Coverage['items'], 'withSpan'> {
    const { datasetId } = this.#asked;
    const [list] = this.#listsOf('datasets.items', ({ path, query }) => {
      return path['dataset_id'] === datasetId && Object.keys(query).length === 0;
    });
    if (list === undefined) return { stored: 0, total: null, oldestMs: null };
    for (const { json } of this.#sources.rowsOf(list)) {
      const item = parseExactObject(json);
      const facets = this.#facets.ofItem(item);
      const source = text(item['source_id']);
      if (source === '') {
        this.#items.add(facets);
        continue;
      }
      this.#sourceIds.add(source);
      this.#waiting.set(source, [...(this.#waiting.get(source) ?? []), facets]);
    }
    return { stored: list.rowCount, total: totalOf([list]), oldestMs: list.oldestMs };
  }

  /** The span of items that wait for it: they have its facets beside their own. */
  #meet(span: JsonRecord): void {
    const id = text(span['span_id']);
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    const own = this.#facets.ofSpan(span);
    // The span goes first: an item may have been given another text under the same name.
    const spoken = new Set(own.map((facet) => this.#facets.dimensions[facet]));
    for (const facets of waiting) {
      const further = facets.filter((facet) => !spoken.has(this.#facets.dimensions[facet]));
      this.#items.add([...own, ...further]);
      this.#withSpan += 1;
    }
  }

  #readBasket(buildId: string): (readonly number[])[] {
    const picked: (readonly number[])[] = [];
    for (const json of this.#sources.spansOfBuild(buildId)) {
      const span = parseExactObject(json);
      this.#basket.add(keyOf(span));
      if (!this.#sourceIds.has(text(span['span_id']))) picked.push(this.#facets.ofSpan(span));
    }
    return picked;
  }

  #readSpans(lists: readonly List[]): Span[] {
    const seen = new Set<string>();
    const candidates: Span[] = [];
    for (const [list, source] of lists.entries()) {
      for (const { position, json } of this.#sources.rowsOf(source)) {
        const span = parseExactObject(json);
        const [traceId, spanId] = [text(span['trace_id']), text(span['span_id'])];
        const key = keyOf(span);
        if (traceId === '' || spanId === '' || seen.has(key)) continue;
        seen.add(key);
        this.#meet(span);
        const type = text(span['span_type']);
        if (type !== '') this.#types.add(type);
        if (this.#sourceIds.has(spanId)) this.#inDataset += 1;
        else if (!this.#basket.has(key) && (this.#asked.spanType ?? type) === type) {
          const startTime = text(span['start_time']) || null;
          candidates.push({ list, position, traceId, spanId, startTime, facets: this.#facets.ofSpan(span) });
        }
      }
    }
    this.#spans = seen.size;
    return candidates;
  }

  #counts({ key, number, storedValues }: Dimension): boolean {
    const { dimensions } = this.#asked;
    if (rowsOf(this.#facets, number) === 0) return false;
    return dimensions === null ? storedValues <= MOST_COUNTED_VALUES : dimensions.includes(key);
  }

  #with(tally: Tally, candidates: readonly (readonly number[])[], places: readonly number[]): Tally {
    const filled = tally.copy();
    for (const place of places) filled.add(candidates[place] ?? []);
    return filled;
  }

  #blind(
    tally: Tally,
    { candidates, dimensions }: { candidates: readonly (readonly number[])[]; dimensions: readonly number[] },
    size: number,
  ): CoverageFill['blind'] {
    if (size === 0) return null;
    const means = Array.from({ length: DRAWS }, (_, draw) => {
      const places = drawBlindly(candidates.length, size, 7_919 * (draw + 1));
      return meanOverlap(this.#facets, this.#with(tally, candidates, places), dimensions) ?? 0;
    });
    return dimensions.length === 0 ? null : means.reduce((sum, mean) => sum + mean, 0) / DRAWS;
  }

  #shown(filled: Tally, counted: ReadonlySet<Dimension>): CoverageDimension[] {
    const facets = this.#facets;
    return this.#dimensions
      .map((dimension): CoverageDimension => {
        const { number, key, title, entityType, storedValues, totalValues, oldestMs } = dimension;
        const [rows, items] = [rowsOf(facets, number), this.#items.totalOf(number)];
        const values = facets.of(number).map((facet) => ({
          value: facets.values[facet] ?? '',
          rows: facets.rows[facet] ?? 0,
          items: this.#items.countOf(facet),
          afterFill: filled.countOf(facet),
        }));
        const gapOf = (value: (typeof values)[number]) =>
          Math.abs(value.rows / Math.max(1, rows) - value.items / Math.max(1, items));
        const shown = values.toSorted((one, other) => gapOf(other) - gapOf(one)).slice(0, MOST_SHOWN_VALUES);
        return {
          ...{ key, title, entityType, storedValues, totalValues, oldestMs, rows, items },
          isCounted: counted.has(dimension),
          filled: filled.totalOf(number),
          coverage: overlapOf(facets, this.#items, number),
          afterFill: overlapOf(facets, filled, number),
          values: shown,
          otherValues: values.length - shown.length,
        };
      })
      .toSorted(
        (one, other) => Number(other.isCounted) - Number(one.isCounted) || one.coverage - other.coverage,
      );
  }
}

/** Reads all of it once; takes as long as parsing what is stored. */
export function measureCoverage<List extends SourceList>(
  sources: CoverageSources<List>,
  question: CoverageQuestion,
): Coverage {
  return new Measure(sources, question).run();
}

function entityOf(row: JsonRecord, filteredBy: string): Entity {
  return {
    entityType: entityTypeOf(row, filteredBy),
    name: text(row['name']),
    concept: text(row['semantic_name']),
    isText: row['data_type'] !== 'numeric',
    rows: countOf(row['row_count']),
  };
}

const keyOf = (span: JsonRecord): string => `${text(span['trace_id'])} ${text(span['span_id'])}`;

function oldestOf(lists: readonly SourceList[]): number | null {
  const times = lists.flatMap(({ oldestMs }) => oldestMs ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function totalOf(lists: readonly SourceList[]): number | null {
  const [list] = lists;
  if (list === undefined) return null;
  return list.isComplete ? list.rowCount : list.totalRows;
}

function reachOf(
  lists: readonly SourceList[],
  fits: (list: SourceList) => boolean,
): { oldestMs: number | null } {
  const own = lists.filter(fits);
  return { oldestMs: oldestOf(own.length === 0 ? lists : own) };
}

function listed(
  lists: readonly SourceList[],
  candidates: readonly Span[],
  places: readonly number[],
): ListedSpans[] {
  const picked = places.map((place) => candidates[place]).filter((span) => span !== undefined);
  return [...Map.groupBy(picked, ({ list }) => list)].flatMap(([list, spans]) => {
    const query = lists[list]?.query;
    if (query === undefined) return [];
    return [
      {
        query,
        spans: spans.map(({ traceId, spanId, position, startTime }) => {
          return { trace_id: traceId, span_id: spanId, position, start_time: startTime };
        }),
      },
    ];
  });
}
