/** Computes orders of stored rows (selection, filtering, sorting), once for each change of a list. */
import type { Sidecars } from '../analysis/sidecars.ts';
import type { Clock } from '../core/ports.ts';
import type { Generation } from '../db/library-rows.ts';
import type { ListReads } from '../db/list-reads.ts';
import type { ColumnFilter } from '../shared/analysis-model.ts';
import type { RowWindow } from '../shared/model.ts';
import type { Derivation } from './derive.ts';
import { type OrderStep, runStep, type TextFilter } from './order-steps.ts';
import type { OrderThread } from './order-thread.ts';
import { ascending, commonOf, type Positions } from './positions.ts';
import { Slices } from './slices.ts';

interface OrderRequest {
  derivation: Derivation | null;
  narrow: TextFilter | null;
  sort: RowWindow['sort'];
  /** Column filters, as set in the column summaries. */
  filters: readonly ColumnFilter[];
}

/**
 * Maximum size of a list that is processed on the main thread. Records of this size are read and parsed in a few
 * milliseconds, whatever they contain.
 */
export const MAX_BYTES_HERE = 131_072;
const KEPT_ORDERS = 32;
const KEPT_POSITIONS = 2_000_000;

export class RowOrders {
  readonly #reads: ListReads;
  readonly #clock: Clock;
  readonly #sidecars: Pick<Sidecars, 'positions'>;
  readonly #thread: Pick<OrderThread, 'run'>;
  /** Orders by key, the least recently used first. */
  readonly #orders = new Map<string, Promise<Positions | null>>();
  readonly #sizes = new Map<string, number>();

  constructor(
    reads: ListReads,
    clock: Clock,
    sidecars: Pick<Sidecars, 'positions'>,
    thread: Pick<OrderThread, 'run'>,
  ) {
    this.#reads = reads;
    this.#thread = thread;
    this.#sidecars = sidecars;
    this.#clock = clock;
  }

  /**
   * Positions of the selected rows, in order; at least one part of the request must be set. Null if the derivation is
   * not possible. Throws INVALID_ARGUMENT for an invalid expression.
   */
  of(generation: Generation, request: OrderRequest): Promise<Positions | null> {
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

  async #compute(generation: Generation, request: OrderRequest): Promise<Positions | null> {
    const { derivation, narrow, sort, filters } = request;
    if (derivation !== null && narrow === null && sort === null && filters.length === 0)
      return this.#run(generation, { kind: 'select', query: derivation.query }, null);
    const derived =
      derivation === null
        ? null
        : await this.of(generation, { derivation, narrow: null, sort: null, filters: [] });
    if (derivation !== null && derived === null) return null;
    const isNarrowed = narrow !== null || filters.length > 0;
    const reordered = derivation?.isReordered === true ? derived : null;
    const within =
      reordered !== null && isNarrowed ? await ascending(reordered, new Slices(this.#clock)) : derived;
    const passing = filters.length === 0 ? within : await this.#passing(generation, filters, within);
    const left =
      narrow === null ? passing : await this.#run(generation, { kind: 'text-filter', ...narrow }, passing);
    const shown =
      reordered !== null && left !== null && isNarrowed
        ? await commonOf(reordered, left, new Slices(this.#clock))
        : left;
    return sort === null ? shown : this.#run(generation, { kind: 'sort', sort }, shown);
  }

  /** The rows of `within` (null for all) that pass the filters, ascending. */
  async #passing(
    generation: Generation,
    filters: readonly ColumnFilter[],
    within: Positions | null,
  ): Promise<Positions> {
    const passing = await this.#sidecars.positions(generation, filters);
    return within === null ? passing : commonOf(within, passing, new Slices(this.#clock));
  }

  /** A small list is processed here, because starting a thread would take longer. */
  #run(generation: Generation, step: OrderStep, within: Positions | null): Promise<Positions | null> {
    const query = { generationId: generation.id, step, within };
    if (generation.sizeBytes > MAX_BYTES_HERE) return this.#thread.run(query);
    return runStep(this.#reads, query, new Slices(this.#clock));
  }
}
