/** Score runs of a dataset, and the scores of the loaded items. */

import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { Job } from '../../electron/shared/job-contract.ts';
import type {
  ComparisonQuery,
  ScoreComparison,
  ScoreDetail,
  ScoreFigures,
} from '../../electron/shared/score-comparison.ts';
import type { ScorePlan, ScoreResult, ScoreRun, ScoreStart } from '../../electron/shared/score-model.ts';
import { client as realClient } from '../lib/client.ts';
import { jobs as allJobs, type JobsState } from './jobs.svelte.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

/** Maximum number of items in one call. */
const MAX_ITEMS = 200;
/** Maximum number of cached items; others are read again when they are needed. */
const MAX_KEPT = 4_000;
const SETTLE_MS = 400;

/** While a run is scoring, its figures are read once; afterwards for each change of its counts. */
function figuresKey({ runId, state, counts }: ScoreRun): string {
  const isBusy = state === 'running' || state === 'reading';
  return JSON.stringify([runId, isBusy ? 'busy' : counts]);
}

export class DatasetScores {
  readonly connectionId: string;
  readonly datasetId: string;
  #readError = $state.raw<AppError | null>(null);
  #version = $state(0);
  /** Figures of whole runs, by run, score and direction; null if they have none. */
  #figures = $state.raw<ReadonlyMap<string, ScoreFigures | null>>(new Map());
  readonly #results = new Map<string, readonly ScoreResult[]>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stopListening: (() => void) | null = null;
  readonly #jobs: JobsState;
  readonly #client: Client;

  constructor(connectionId: string, datasetId: string, jobs = allJobs, client: Client = realClient) {
    this.connectionId = connectionId;
    this.datasetId = datasetId;
    this.#jobs = jobs;
    this.#client = client;
  }

  /** Runs of this dataset, newest first. Reactive. */
  get jobs(): readonly Job<'scores'>[] {
    return this.#jobs.ofKind('scores').filter(({ own }) => own.plan.datasetId === this.datasetId);
  }
  get runs(): readonly ScoreRun[] {
    return this.jobs.map(({ own }) => own);
  }
  get isLoaded(): boolean {
    return this.#jobs.isLoaded;
  }
  get error(): AppError | null {
    return this.#jobs.errorOf('scores') ?? this.#readError;
  }

  /** Costs one read; events keep it current afterwards. */
  async open(): Promise<void> {
    this.#stopListening ??= this.#client.on('jobs:changed', ({ connectionId, kind }) => {
      if (connectionId === this.connectionId && kind === 'scores') this.#readAgainSoon();
    });
    this.#readError = null;
    await this.#jobs.watch(this.connectionId);
    if (this.runs.length > 0) this.#readAgainSoon();
  }

  dispose(): void {
    this.#stopListening?.();
    this.#stopListening = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Results of an item, one per evaluator. */
  of(itemId: string): readonly ScoreResult[] {
    void this.#version;
    return this.#results.get(itemId) ?? [];
  }

  /** Rows became visible. Never rejects: the items stay usable without scores. */
  async see(rows: readonly Record<string, unknown>[]): Promise<void> {
    const ids = rows.map((row) => row['id']).filter((id): id is string => typeof id === 'string');
    for (const id of ids) {
      const known = this.#results.get(id) ?? [];
      this.#results.delete(id);
      this.#results.set(id, known);
    }
    for (const id of [...this.#results.keys()].slice(0, -MAX_KEPT)) this.#results.delete(id);
    if (this.runs.length > 0) await this.#read(ids);
  }

  async #read(ids: readonly string[]): Promise<void> {
    const { connectionId, datasetId } = this;
    try {
      for (let at = 0; at < ids.length; at += MAX_ITEMS) {
        const itemIds = ids.slice(at, at + MAX_ITEMS);
        const results = await this.#client.invoke('scores:of-items', { connectionId, datasetId, itemIds });
        const byItem = Map.groupBy(results, ({ itemId }) => itemId);
        for (const id of itemIds) this.#results.set(id, byItem.get(id) ?? []);
        this.#version += 1;
      }
    } catch (thrown) {
      this.#readError = toAppError(thrown);
    }
  }

  /** Scores can arrive many times a second; the loaded ones are read again once for all of them. */
  #readAgainSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#read([...this.#results.keys()].slice(-MAX_ITEMS * 2));
    }, SETTLE_MS);
  }

  /** Compares two runs of this dataset item by item. Throws AppError. */
  compare(query: ComparisonQuery): Promise<ScoreComparison> {
    return this.#client.invoke('scores:compare', { connectionId: this.connectionId, ...query });
  }

  /** The figures of a run alone; undefined until `readFigures` has read them. Reactive. */
  figuresOf(run: ScoreRun): ScoreFigures | null | undefined {
    return this.#figures.get(figuresKey(run));
  }

  /** Reads the figures of runs that are not known yet. Never rejects: a run is listed without them. */
  async readFigures(runs: readonly ScoreRun[]): Promise<void> {
    for (const run of runs.filter(({ counts }) => counts.scored > 0)) {
      const key = figuresKey(run);
      if (this.#figures.has(key)) continue;
      this.#figures = new Map([...this.#figures, [key, null]]);
      const alone = {
        before: null,
        after: run.runId,
        name: null,
        lowerIsBetter: false,
        show: null,
        only: null,
      };
      try {
        const { figures } = await this.compare({ ...alone, offset: 0, limit: 0 });
        this.#figures = new Map([...this.#figures, [key, figures]]);
      } catch (thrown) {
        this.#readError = toAppError(thrown);
      }
    }
  }

  /** An item as the runs judged it. Throws AppError. */
  detail(itemId: string, runIds: string[]): Promise<(ScoreDetail | null)[]> {
    return this.#client.invoke('scores:item', { connectionId: this.connectionId, itemId, runIds });
  }

  /** Throws AppError. */
  start(plan: ScorePlan, { startAtMs, expectedItems }: ScoreStart): Promise<ScoreRun> {
    return this.#jobs.create('scores', { scores: plan, expectedItems }, startAtMs, this.connectionId);
  }
}
