/** Orders of stored rows, computed once for each change of a list: selection, narrowing, sorting. */
import type { Sidecars } from '../analysis/sidecars.ts';
import type { Clock } from '../core/ports.ts';
import type { Generation } from '../db/library-rows.ts';
import type { ListReads } from '../db/list-reads.ts';
import type { ColumnFilter } from '../shared/analysis-model.ts';
import { parseExact } from '../shared/exact-json.ts';
import type { RowWindow } from '../shared/model.ts';
import { createMatcher, shownTextOf } from '../shared/narrowing.ts';
import type { Derivation } from './derive.ts';
import { Slices } from './slices.ts';
import { sortIndices, sortRows } from './sort-rows.ts';

interface OrderRequest {
  derivation: Derivation | null;
  narrow: string | null;
  sort: RowWindow['sort'];
  /** Of columns, as their pictures set them. */
  filters: readonly ColumnFilter[];
}

const KEPT_ORDERS = 32;
const KEPT_POSITIONS = 2_000_000;

export class RowOrders {
  readonly #reads: ListReads;
  readonly #clock: Clock;
  readonly #sidecars: Pick<Sidecars, 'positions'>;
  /** Least recently used first. */
  readonly #orders = new Map<string, Promise<readonly number[] | null>>();
  readonly #sizes = new Map<string, number>();

  constructor(reads: ListReads, clock: Clock, sidecars: Pick<Sidecars, 'positions'>) {
    this.#reads = reads;
    this.#sidecars = sidecars;
    this.#clock = clock;
  }

  /**
   * Positions of the rows that are left, in order; at least one part of the request is set. Null where the derivation
   * cannot be worked out. Throws INVALID_ARGUMENT for a broken expression.
   */
  of(generation: Generation, request: OrderRequest): Promise<readonly number[] | null> {
    const { derivation, narrow, sort, filters } = request;
    const selection = derivation?.key ?? null;
    const key = JSON.stringify([generation.id, generation.revision, selection, narrow, sort, filters]);
    const known = this.#orders.get(key);
    const order = known ?? this.#compute(generation, request);
    this.#orders.delete(key);
    this.#orders.set(key, order);
    if (known === undefined) {
      order.then(
        (positions) => this.#keep(key, positions?.length ?? 0),
        () => this.#orders.delete(key),
      );
    }
    return order;
  }

  #keep(key: string, size: number): void {
    this.#sizes.set(key, size);
    let total = 0;
    for (const kept of this.#sizes.values()) total += kept;
    for (const oldest of this.#orders.keys()) {
      if (oldest === key || (this.#orders.size <= KEPT_ORDERS && total <= KEPT_POSITIONS)) return;
      total -= this.#sizes.get(oldest) ?? 0;
      this.#orders.delete(oldest);
      this.#sizes.delete(oldest);
    }
  }

  async #compute(generation: Generation, request: OrderRequest): Promise<readonly number[] | null> {
    const { derivation, narrow, sort, filters } = request;
    const slices = new Slices(this.#clock);
    if (derivation !== null && narrow === null && sort === null && filters.length === 0)
      return derivation.select(this.#reads, generation.id, slices);
    const derived =
      derivation === null
        ? null
        : await this.of(generation, { derivation, narrow: null, sort: null, filters: [] });
    if (derivation !== null && derived === null) return null;
    const isReordered = derived !== null && derivation?.isReordered === true;
    const within = isReordered ? await growing(derived, slices) : derived;
    const passing = filters.length === 0 ? within : await this.#passing(generation, filters, within);
    const left = narrow === null ? passing : await this.#narrow(generation.id, narrow, passing, slices);
    if (sort !== null) return sortRows(this.#reads, generation.id, left, sort, slices);
    if (!isReordered) return left;
    const isLeft = new Set(left);
    return derived.filter((position) => isLeft.has(position));
  }

  /** Those of `within` (null for all rows) that pass, growing. */
  async #passing(
    generation: Generation,
    filters: readonly ColumnFilter[],
    within: readonly number[] | null,
  ): Promise<number[]> {
    const passing = await this.#sidecars.positions(generation, filters);
    if (within === null) return [...passing];
    const isPassing = new Set(passing);
    return within.filter((position) => isPassing.has(position));
  }

  async #narrow(
    generationId: number,
    narrow: string,
    within: readonly number[] | null,
    slices: Slices,
  ): Promise<number[]> {
    const matches = createMatcher(narrow);
    // Both grow: one walk beside the other, instead of a set of everything before the first slice.
    let next = 0;
    const isAllowed = (position: number): boolean => {
      if (within === null) return true;
      while ((within[next] ?? Number.POSITIVE_INFINITY) < position) next += 1;
      return within[next] === position;
    };
    const found: number[] = [];
    await slices.each((from, limit) => {
      const { positions, texts } = this.#reads.textsFrom(generationId, from, limit);
      const shown = texts.some((text) => text === null) ? this.#longTexts(generationId, from, limit) : texts;
      for (const [index, position] of positions.entries()) {
        if (isAllowed(position) && matches(shown[index] ?? '')) found.push(position);
      }
      return positions;
    });
    return found;
  }

  #longTexts(generationId: number, from: number, limit: number): string[] {
    const { texts } = this.#reads.recordsFrom(generationId, from, limit);
    return texts.map((json) => {
      const record = parseExact(json ?? 'null');
      return typeof record === 'object' && record !== null ? shownTextOf({ ...record }) : '';
    });
  }
}

async function growing(positions: readonly number[], slices: Slices): Promise<number[]> {
  const order = await sortIndices(
    positions.length,
    (a, b) => (positions[a] ?? 0) - (positions[b] ?? 0),
    slices,
  );
  return order.map((index) => positions[index] ?? 0);
}
