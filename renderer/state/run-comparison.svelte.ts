/** A comparison of runs. The results of the runs are read completely, the compared rows when they become visible. */
import { untrack } from 'svelte';
import { AppError, toAppError } from '../../electron/shared/errors.ts';
import {
  type ChosenItem,
  type ChosenItems,
  type ComparedItem,
  type ComparedSeries,
  MAX_NAMED_ITEMS,
  NO_FILTER,
  type RunItem,
  type RunRef,
  type RunsComparison,
} from '../../electron/shared/run-comparison.ts';
import type { RunsUsage, RunUsage } from '../../electron/shared/run-usage.ts';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { client as realClient } from '../lib/client.ts';
import type { ListModel } from './list-state.svelte.ts';
import { LatestRequest } from './newest.ts';
import { PagedRows } from './uploads-paged.svelte.ts';

/** While results arrive, the comparison is repeated each time this many more are stored. */
const ROWS_BETWEEN = 2_000;
/** The same for items that are scored here, which takes longer than reading. */
const SCORED_BETWEEN = 100;

/** Results of an experiment that are being read. */
export interface ReadRun {
  ref: RunRef;
  list: ListModel;
}

export class RunComparisonState {
  readonly connectionId: string;
  summary = $state.raw<RunsComparison | null>(null);
  #query = $state.raw<ChosenItems | null>(null);
  #rows = $state.raw<PagedRows<ComparedItem> | null>(null);
  /** Sums over the traces that the results refer to; null until the stored spans are read. */
  usage = $state.raw<RunsUsage | null>(null);
  usageError = $state.raw<AppError | null>(null);
  readonly #latestUsage = new LatestRequest();
  /** Ids of the items that the user ticked, in order. */
  ticked = $state.raw<readonly string[]>([]);
  /** Identifies the runs, baseline, score and direction of the shown summary. */
  #shown = '';
  readonly #reads = new Map<string, ListModel>();
  readonly #makeList: (experimentId: string) => ListModel;
  readonly #client: Pick<typeof realClient, 'invoke'>;
  readonly #hasShape: boolean;

  /** `hasShape`: the answer includes the distribution of the shown score. */
  constructor(
    connectionId: string,
    makeList: (experimentId: string) => ListModel,
    { hasShape = false } = {},
    client: Pick<typeof realClient, 'invoke'> = realClient,
  ) {
    this.connectionId = connectionId;
    this.#makeList = makeList;
    this.#client = client;
    this.#hasShape = hasShape;
  }

  get rows(): PagedRows<ComparedItem> | null {
    return this.#rows;
  }

  /** The lists of results of these runs. Lists that are not open yet are opened. */
  readsOf(runs: readonly RunRef[]): ReadRun[] {
    return runs.flatMap((ref) => {
      if (ref.kind !== 'experiment') return [];
      const list = this.#reads.get(ref.id) ?? this.#makeList(ref.id);
      if (!this.#reads.has(ref.id)) {
        this.#reads.set(ref.id, list);
        const query = { operation: 'experiments.results', path: { experiment_id: ref.id }, query: {} };
        void list.open(query);
      }
      return { ref, list };
    });
  }

  /** Requests the next page of a list that is not completely stored. */
  static readOn({ list }: ReadRun, isOnline: boolean): void {
    const { freshness, phase } = list;
    if (!isOnline || phase !== 'ready' || freshness === null || freshness.isComplete) return;
    if (freshness.refresh.phase !== 'idle' || freshness.missingRows !== undefined) return;
    void list.fetchMore();
  }

  /** A text that changes when enough results were stored, or enough items scored here, to repeat the comparison. */
  static versionOf(
    reads: readonly ReadRun[],
    scored: readonly Pick<ScoreRun, 'state' | 'counts'>[] = [],
  ): string {
    const read = reads.map(({ list: { freshness } }) =>
      freshness?.isComplete === true
        ? `${freshness.newestMs} ${freshness.storedRows}`
        : `${Math.floor((freshness?.storedRows ?? 0) / ROWS_BETWEEN)}`,
    );
    const steps = scored.map(({ state, counts }) =>
      [state, Math.floor(counts.scored / SCORED_BETWEEN)].join(' '),
    );
    return [...read, ...steps].join();
  }

  show(query: ChosenItems): void {
    if (JSON.stringify(query) === JSON.stringify(this.#query)) return;
    if (JSON.stringify(query.runs) !== JSON.stringify(this.#query?.runs)) this.ticked = [];
    const { filter: _, ...about } = query;
    const key = JSON.stringify(about);
    if (key !== this.#shown) this.summary = null;
    this.#shown = key;
    this.#query = query;
    this.#rows = new PagedRows<ComparedItem>(async (offset, limit) => {
      const answer = await this.#client.invoke('runs:compare', {
        ...{ connectionId: this.connectionId, ...query, hasShape: this.#hasShape, offset, limit },
      });
      if (this.#query === query) this.summary = answer;
      return answer;
    });
    void untrack(() => this.#rows?.reload());
  }

  reload(): void {
    void untrack(() => this.#rows?.reload());
  }

  /** Reads the traces of the shown runs. If that gives new figures for rows, the rows are read again. */
  readUsage({ runs, baseline }: Pick<ChosenItems, 'runs' | 'baseline'>): Promise<void> {
    this.usage = null;
    this.usageError = null;
    return this.#latestUsage.run(
      () => this.#client.invoke('runs:usage', { connectionId: this.connectionId, runs, baseline }),
      (usage) => {
        this.usage = usage;
        if (usage.runs.some(({ whole }) => whole > 0)) this.reload();
      },
      (thrown) => {
        this.usageError = toAppError(thrown);
      },
    );
  }

  /** Ticks or unticks an item. Throws INVALID_ARGUMENT if there are more than fit into one request. */
  tick(itemId: string): void {
    const others = this.ticked.filter((each) => each !== itemId);
    if (others.length === MAX_NAMED_ITEMS)
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected at most ${MAX_NAMED_ITEMS} ticked items. Narrow the list by its filter instead: its actions take all items shown.`,
      );
    this.ticked = others.length < this.ticked.length ? others : [...others, itemId];
  }

  /** Ends the selection, because the rows become those of another service. */
  forgetRows(): void {
    this.ticked = [];
  }

  /** The ticked items if there are any, otherwise those that the filter shows. */
  get chosen(): ChosenItems | null {
    const query = this.#query;
    return query === null || this.ticked.length === 0
      ? query
      : { ...query, filter: { ...NO_FILTER, items: [...this.ticked] } };
  }

  /** Reads these items. Throws AppError. */
  async items(): Promise<ChosenItem[]> {
    const query = this.chosen;
    const found: ChosenItem[] = [];
    if (query === null) return found;
    for (;;) {
      const page = await this.#client.invoke('runs:items', {
        ...{ connectionId: this.connectionId, ...query, offset: found.length, limit: ITEMS_AT_ONCE },
      });
      found.push(...page);
      if (page.length < ITEMS_AT_ONCE) return found;
    }
  }

  /** An item in each run, or the error if it cannot be read. */
  async item(runs: readonly RunRef[], itemId: string): Promise<{ item: RunItem } | { error: AppError }> {
    try {
      const { connectionId } = this;
      return { item: await this.#client.invoke('runs:item', { connectionId, runs: [...runs], itemId }) };
    } catch (thrown) {
      return { error: toAppError(thrown) };
    }
  }

  dispose(): void {
    for (const list of this.#reads.values()) list.dispose();
    this.#reads.clear();
  }
}

const ITEMS_AT_ONCE = 500;

/** The figures of a single experiment, from its stored results. */
export class RunFigures {
  /** Empty until all results of the experiment are stored. */
  scores = $state.raw<readonly ComparedSeries[]>([]);
  isComplete = $state(false);
  error = $state.raw<AppError | null>(null);
  /** Sums over the traces that the stored results refer to; null until the stored spans are read. */
  usage = $state.raw<RunUsage | null>(null);
  usageError = $state.raw<AppError | null>(null);

  async read(
    connectionId: string,
    experimentId: string,
    client: Pick<typeof realClient, 'invoke'> = realClient,
  ): Promise<void> {
    try {
      const { scores, runs } = await client.invoke('runs:compare', {
        ...{ connectionId, runs: [{ kind: 'experiment', id: experimentId }], filter: NO_FILTER },
        ...{ score: null, offset: 0, limit: 0 },
      });
      this.isComplete = runs[0]?.isComplete === true && runs[0].items > 0;
      this.scores = this.isComplete ? scores : [];
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /**
   * Separate from the scores, because it reads all stored spans: done only for one shown experiment, not for a list.
   */
  async readUsage(
    connectionId: string,
    experimentId: string,
    client: Pick<typeof realClient, 'invoke'> = realClient,
  ): Promise<void> {
    try {
      const run = { kind: 'experiment' as const, id: experimentId };
      const { runs } = await client.invoke('runs:usage', { connectionId, runs: [run], baseline: 0 });
      this.usage = runs[0] ?? null;
      this.usageError = null;
    } catch (thrown) {
      this.usageError = toAppError(thrown);
    }
  }
}
