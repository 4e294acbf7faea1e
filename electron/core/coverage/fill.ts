/**
 * How well a dataset represents production, and the spans that would improve it most. Pure.
 *
 * The coverage of a dimension is the overlap of both distributions: the sum over its values of the smaller of the two
 * shares. For a fixed final size, the gain of a span decreases with every span taken, so greedy selection reaches at
 * least 63 % of the best possible choice.
 */
import { elementAt } from '../element-at.ts';
import { seededWords } from '../seeded.ts';
import type { Facets } from './facets.ts';

/** A gap below this is a rounding error. */
const ROUNDING = 1e-9;

/** Counts the occurrences of each facet, with a total for each dimension. */
export class Tally {
  readonly #facets: Facets;
  readonly #counts: number[] = [];
  readonly #totals: number[] = [];
  /** Number of spans and items added. */
  size = 0;

  constructor(facets: Facets) {
    this.#facets = facets;
  }

  copy(): Tally {
    const copy = new Tally(this.#facets);
    copy.#counts.push(...this.#counts);
    copy.#totals.push(...this.#totals);
    copy.size = this.size;
    return copy;
  }

  add(facets: readonly number[]): void {
    this.size += 1;
    for (const facet of facets) {
      const dimension = elementAt(this.#facets.dimensions, facet);
      this.#counts[facet] = this.countOf(facet) + 1;
      this.#totals[dimension] = this.totalOf(dimension) + 1;
    }
  }

  countOf(facet: number): number {
    return this.#counts[facet] ?? 0;
  }

  totalOf(dimension: number): number {
    return this.#totals[dimension] ?? 0;
  }
}

/** Number of production rows of a dimension. */
export function rowsOf(facets: Facets, dimension: number): number {
  return facets.of(dimension).reduce((sum, facet) => sum + elementAt(facets.rows, facet), 0);
}

/** From 0 to 1; 0 if either side is empty. */
export function overlapOf(facets: Facets, tally: Tally, dimension: number): number {
  const [rows, total] = [rowsOf(facets, dimension), tally.totalOf(dimension)];
  if (rows === 0 || total === 0) return 0;
  return facets
    .of(dimension)
    .reduce(
      (sum, facet) => sum + Math.min(elementAt(facets.rows, facet) / rows, tally.countOf(facet) / total),
      0,
    );
}

/** Mean over these dimensions; null if there are none. */
export function meanOverlap(facets: Facets, tally: Tally, dimensions: readonly number[]): number | null {
  return dimensions.length === 0 ? null : sumOfOverlaps(facets, tally, dimensions) / dimensions.length;
}

export function sumOfOverlaps(facets: Facets, tally: Tally, dimensions: readonly number[]): number {
  return dimensions.reduce((sum, dimension) => sum + overlapOf(facets, tally, dimension), 0);
}

/** Spans with the same facets, which are interchangeable. */
interface Group {
  facets: readonly number[];
  /** Indices of these spans among the candidates, in order. */
  places: number[];
  taken: number;
  /** The gain computed last. The current gain cannot be larger. */
  gain: number;
  order: number;
}

interface FillQuery {
  facets: Facets;
  /** The dataset's facets, including those of picked spans. Not modified. */
  tally: Tally;
  /** The dimensions that count, with equal weight. */
  dimensions: readonly number[];
  /** Facets of each candidate span. */
  candidates: readonly (readonly number[])[];
  size: number;
}

/**
 * Indices of the candidates that fill the gap best, best first. Fewer than `size` if no further candidate would improve
 * coverage.
 */
export function fillGap(query: FillQuery): number[] {
  const { candidates, size } = query;
  const tally = query.tally.copy();
  const gainOf = gains(query, tally);
  const heap = new Heap(groupsOf(query));
  for (const group of heap.all) group.gain = gainOf(group.facets);
  heap.order();
  const picked: number[] = [];
  while (picked.length < Math.min(size, candidates.length)) {
    const best = heap.all[0];
    if (best === undefined || best.gain <= 0) break;
    const gain = gainOf(best.facets);
    if (gain < best.gain) {
      best.gain = gain;
      heap.sink(0);
      continue;
    }
    const place = elementAt(best.places, best.taken);
    best.taken += 1;
    picked.push(place);
    tally.add(elementAt(candidates, place));
    if (best.taken === best.places.length) best.gain = 0;
    else best.gain = gainOf(best.facets);
    heap.sink(0);
  }
  return picked;
}

/** The current gain of a span with these facets. A value counts at most for the amount that is still missing. */
function gains(
  { facets, dimensions, candidates, size }: FillQuery,
  tally: Tally,
): (of: readonly number[]) => number {
  const wanted = new Map<number, { rows: number; target: number }>();
  const occurrences = new Map<number, number>();
  for (const candidate of candidates) {
    for (const facet of candidate) {
      const dimension = elementAt(facets.dimensions, facet);
      occurrences.set(dimension, (occurrences.get(dimension) ?? 0) + 1);
    }
  }
  for (const dimension of dimensions) {
    const each = (occurrences.get(dimension) ?? 0) / Math.max(1, candidates.length);
    const target = tally.totalOf(dimension) + size * each;
    const rows = rowsOf(facets, dimension);
    if (rows > 0 && target > 0) wanted.set(dimension, { rows, target });
  }
  return (of) => {
    let gain = 0;
    for (const facet of of) {
      const aim = wanted.get(elementAt(facets.dimensions, facet));
      if (aim === undefined) continue;
      const missing = (elementAt(facets.rows, facet) / aim.rows) * aim.target - tally.countOf(facet);
      if (missing > ROUNDING) gain += Math.min(1, missing) / aim.target;
    }
    return gain;
  };
}

function groupsOf({ facets, dimensions, candidates }: FillQuery): Group[] {
  const counted = new Set(dimensions);
  const groups = new Map<string, Group>();
  candidates.forEach((candidate, place) => {
    const own = candidate.filter((facet) => counted.has(elementAt(facets.dimensions, facet)));
    const key = own.join();
    const known = groups.get(key);
    if (known === undefined)
      groups.set(key, { facets: own, places: [place], taken: 0, gain: 0, order: groups.size });
    else known.places.push(place);
  });
  return [...groups.values()];
}

/** Largest gain first. Among equal gains, the earliest candidate first. */
class Heap {
  readonly all: Group[];

  constructor(groups: Group[]) {
    this.all = groups;
  }

  order(): void {
    for (let at = (this.all.length >> 1) - 1; at >= 0; at -= 1) this.sink(at);
  }

  sink(from: number): void {
    for (let at = from; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (this.#isBefore(left, first)) first = left;
      if (this.#isBefore(right, first)) first = right;
      const [one, other] = [this.all[at], this.all[first]];
      if (first === at || one === undefined || other === undefined) return;
      this.all[at] = other;
      this.all[first] = one;
      at = first;
    }
  }

  #isBefore(at: number, than: number): boolean {
    const [one, other] = [this.all[at], this.all[than]];
    if (one === undefined || other === undefined) return false;
    if (one.gain !== other.gain) return one.gain > other.gain;
    return one.order < other.order;
  }
}

/** `size` random indices, reproducible by the seed, as a baseline for the fill. */
export function drawBlindly(count: number, size: number, seed: number): number[] {
  const places = Array.from({ length: count }, (_, place) => place);
  const next = seededWords(seed | 1);
  const wanted = Math.min(size, count);
  for (let at = 0; at < wanted; at += 1) {
    const other = at + (next() % (count - at));
    const [one, drawn] = [elementAt(places, at), elementAt(places, other)];
    places[at] = drawn;
    places[other] = one;
  }
  return places.slice(0, wanted);
}
