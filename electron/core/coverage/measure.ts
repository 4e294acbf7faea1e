/**
 * Compares a dataset with production, using stored data: finds values that are missing, and spans that would add them.
 * Pure.
 */

import type {
  Coverage,
  CoverageDimension,
  CoverageFill,
  CoverageQuery,
  ListedSpans,
} from '../../shared/coverage-model.ts';
import {
  MAX_ALL_VALUES,
  MAX_COUNTED_VALUES,
  MAX_DIMENSIONS,
  MAX_SHOWN_VALUES,
} from '../../shared/coverage-model.ts';
import { parseExactObject } from '../../shared/exact-json.ts';
import { textOf } from '../../shared/json-fields.ts';
import { elementAt } from '../element-at.ts';
import { Facets } from './facets.ts';
import { drawBlindly, fillGap, meanOverlap, overlapOf, rowsOf, sumOfOverlaps, Tally } from './fill.ts';
import { type Dimension, readProduction } from './production.ts';
import { type CoverageSources, listsOf, oldestOf, type SourceList, totalOf } from './sources.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** Number of random selections whose mean the fill is compared with. */
const DRAWS = 5;

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
  readonly #asked: CoverageQuery;
  readonly #facets = new Facets();
  readonly #items: Tally;
  /** Facets from the fields of items whose span was not read yet, by span id. */
  readonly #waiting = new Map<string, (readonly number[])[]>();
  readonly #sourceIds = new Set<string>();
  readonly #basket = new Set<string>();
  readonly #types = new Set<string>();
  #fromSpans = 0;
  #withSpan = 0;
  #inDataset = 0;
  #spans = 0;

  constructor(sources: CoverageSources<List>, asked: CoverageQuery) {
    this.#sources = sources;
    this.#asked = asked;
    this.#items = new Tally(this.#facets);
  }

  run(): Coverage {
    const { datasetId, buildId, applicationId, size } = this.#asked;
    const { dimensions, unread } = readProduction(this.#sources, applicationId, this.#facets);
    const items = this.#readItems();
    for (const json of this.#sources.spansOfItems(datasetId)) this.#meet(parseExactObject(json));
    const picked = buildId === null ? [] : this.#readBasket(buildId);
    const lists = listsOf(
      this.#sources,
      'spans.query',
      ({ body }) => textOf(body, 'application_id') === applicationId,
    );
    const candidates = this.#readSpans(lists);
    // If an item's span is not stored, only the item's own fields count.
    for (const facets of [...this.#waiting.values()].flat()) this.#items.add(facets);
    const tally = this.#items.copy();
    for (const facets of picked) tally.add(facets);
    const counted = dimensions.filter((dimension) => this.#counts(dimension));
    const query = {
      facets: this.#facets,
      tally,
      dimensions: counted.map(({ number }) => number),
      candidates: candidates.map(({ facets }) => facets),
      size,
    };
    const places = fillGap(query);
    const filled = this.#with(tally, query.candidates, places);
    const all = this.#shown(dimensions, filled, new Set(counted));
    return {
      items: { ...items, fromSpans: this.#fromSpans, withSpan: this.#withSpan },
      spans: { stored: this.#spans, oldestMs: oldestOf(lists), inDataset: this.#inDataset },
      inBasket: picked.length,
      dimensions: all.slice(0, MAX_DIMENSIONS),
      otherDimensions: Math.max(0, all.length - MAX_DIMENSIONS),
      unread,
      spanTypes: [...this.#types].sort(),
      fill: {
        candidates: candidates.length,
        picks: listed(lists, candidates, places),
        picked: places.length,
        before: meanOverlap(this.#facets, tally, query.dimensions),
        after: meanOverlap(this.#facets, filled, query.dimensions),
        blind: this.#blind(tally, query, places.length),
      },
    };
  }

  #readItems(): Omit<Coverage['items'], 'fromSpans' | 'withSpan'> {
    const { datasetId } = this.#asked;
    const [list] = listsOf(this.#sources, 'datasets.items', ({ path, query }) => {
      return path['dataset_id'] === datasetId && Object.keys(query).length === 0;
    });
    if (list === undefined) return { stored: 0, total: null, oldestMs: null };
    for (const { json } of this.#sources.rowsOf(list)) {
      const item = parseExactObject(json);
      const facets = this.#facets.ofItem(item);
      const source = textOf(item, 'source_id');
      if (source === '') {
        this.#items.add(facets);
        continue;
      }
      this.#fromSpans += 1;
      this.#sourceIds.add(source);
      const others = this.#waiting.get(source);
      if (others === undefined) this.#waiting.set(source, [facets]);
      else others.push(facets);
    }
    return { stored: list.rowCount, total: totalOf(list), oldestMs: list.oldestMs };
  }

  /** Counts the items made from this span, with its facets added to their own. */
  #meet(span: JsonRecord): void {
    const id = textOf(span, 'span_id');
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    const own = this.#facets.ofSpan(span);
    // The span's value takes precedence, because the item's field of the same name may have been edited.
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
      if (!this.#sourceIds.has(textOf(span, 'span_id'))) picked.push(this.#facets.ofSpan(span));
    }
    return picked;
  }

  #readSpans(lists: readonly List[]): Span[] {
    const seen = new Set<string>();
    const candidates: Span[] = [];
    for (const [list, source] of lists.entries()) {
      for (const { position, json } of this.#sources.rowsOf(source)) {
        const span = parseExactObject(json);
        const [traceId, spanId] = [textOf(span, 'trace_id'), textOf(span, 'span_id')];
        const key = keyOf(span);
        if (traceId === '' || spanId === '' || seen.has(key)) continue;
        seen.add(key);
        this.#meet(span);
        const type = textOf(span, 'span_type');
        if (type !== '') this.#types.add(type);
        if (this.#sourceIds.has(spanId)) this.#inDataset += 1;
        else if (!this.#basket.has(key) && (this.#asked.spanType ?? type) === type) {
          const startTime = textOf(span, 'start_time') || null;
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
    return dimensions === null ? storedValues <= MAX_COUNTED_VALUES : dimensions.includes(key);
  }

  #with(tally: Tally, candidates: readonly (readonly number[])[], places: readonly number[]): Tally {
    const filled = tally.copy();
    for (const place of places) filled.add(elementAt(candidates, place));
    return filled;
  }

  #blind(
    tally: Tally,
    { candidates, dimensions }: { candidates: readonly (readonly number[])[]; dimensions: readonly number[] },
    size: number,
  ): CoverageFill['blind'] {
    // Without dimensions, the fill has selected nothing.
    if (size === 0) return null;
    let sum = 0;
    for (let draw = 1; draw <= DRAWS; draw += 1) {
      const places = drawBlindly(candidates.length, size, 7_919 * draw);
      sum += sumOfOverlaps(this.#facets, this.#with(tally, candidates, places), dimensions);
    }
    return sum / DRAWS / dimensions.length;
  }

  #shown(
    dimensions: readonly Dimension[],
    filled: Tally,
    counted: ReadonlySet<Dimension>,
  ): CoverageDimension[] {
    const facets = this.#facets;
    const most = this.#asked.hasAllValues === true ? MAX_ALL_VALUES : MAX_SHOWN_VALUES;
    return dimensions
      .map((dimension): CoverageDimension => {
        const { number, key, title, entityType, storedValues, totalValues, oldestMs } = dimension;
        const [rows, items] = [rowsOf(facets, number), this.#items.totalOf(number)];
        const values = facets.of(number).map((facet) => ({
          value: elementAt(facets.values, facet),
          rows: elementAt(facets.rows, facet),
          items: this.#items.countOf(facet),
          afterFill: filled.countOf(facet),
        }));
        const gapOf = (value: (typeof values)[number]) =>
          Math.abs(value.rows / Math.max(1, rows) - value.items / Math.max(1, items));
        const shown = values.toSorted((one, other) => gapOf(other) - gapOf(one)).slice(0, most);
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

/** Measures the coverage. Reads all data once and takes about as long as parsing it. */
export function measureCoverage<List extends SourceList>(
  sources: CoverageSources<List>,
  query: CoverageQuery,
): Coverage {
  return new Measure(sources, query).run();
}

const keyOf = (span: JsonRecord): string => `${textOf(span, 'trace_id')} ${textOf(span, 'span_id')}`;

function listed(
  lists: readonly SourceList[],
  candidates: readonly Span[],
  places: readonly number[],
): ListedSpans[] {
  const picked = places.map((place) => elementAt(candidates, place));
  return [...Map.groupBy(picked, ({ list }) => list)].map(([list, spans]) => ({
    query: elementAt(lists, list).query,
    spans: spans.map(({ traceId, spanId, position, startTime }) => {
      return { trace_id: traceId, span_id: spanId, position, start_time: startTime };
    }),
  }));
}
