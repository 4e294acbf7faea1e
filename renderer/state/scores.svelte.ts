/** Score runs of a dataset, and the scores of the loaded items. */

import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { Job } from '../../electron/shared/job-contract.ts';
import { NO_FILTER } from '../../electron/shared/run-comparison.ts';
import type { ScoreFigures } from '../../electron/shared/score-comparison.ts';
import type { ScorePlan, ScoreResult, ScoreRun, ScoreStart } from '../../electron/shared/score-model.ts';
import { client as realClient } from '../lib/client.ts';
import { jobs as allJobs, type JobsState } from './jobs.svelte.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

/** Maximum number of items in one call. */
const MAX_ITEMS = 200;
/** Maximum number of cached items; others are read again when they are needed. */
const MAX_KEPT = 4_000;
const SETTLE_MS = 400;

/** The figures of a run with these counts; null if they could not be read. */
interface KnownFigures {
  counts: string;
  figures: RunFigures | null;
}
interface RunFigures {
  /** Name of the score that is described; null if the run has only one. */
  name: string | null;
  /** Null if no item has a number. */
  figures: ScoreFigures | null;
}

const countsKey = ({ counts }: ScoreRun): string => JSON.stringify(counts);
/** Whether to read the figures of a run. While it is scoring, they would cover only some items and change with each. */
const hasFigures = ({ state, counts }: ScoreRun): boolean =>
  counts.scored > 0 && state !== 'running' && state !== 'reading';

export class DatasetScores {
  readonly connectionId: string;
  readonly datasetId: string;
  #readError = $state.raw<AppError | null>(null);
  #version = $state(0);
  readonly #figures = new Map<string, KnownFigures>();
  #figuresVersion = $state(0);
  /** Runs whose figures are to be read by the single reader. */
  #wanted: readonly ScoreRun[] = [];
  #reader: Promise<void> | null = null;
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

  /** Reads the scores once. Events keep them current afterwards. */
  async open(): Promise<void> {
    this.#stopListening ??= this.#client.on('jobs:changed', ({ connectionId, kind }) => {
      if (connectionId === this.connectionId && kind === 'scores') this.#readAgainSoon();
    });
    this.#readError = null;
    await this.#jobs.watch(this.connectionId);
    if (this.runs.length > 0) this.#readAgainSoon();
    if (this.#wanted.length > 0) void this.readFigures(this.runs);
  }

  dispose(): void {
    this.#stopListening?.();
    this.#stopListening = null;
    this.#wanted = [];
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Results of an item, one for each evaluator. */
  of(itemId: string): readonly ScoreResult[] {
    void this.#version;
    return this.#results.get(itemId) ?? [];
  }

  /** Reads the scores of rows that became visible. Never rejects: items are usable without scores. */
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

  /** Scores can arrive many times a second. The loaded items are read again once for all of them. */
  #readAgainSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#read([...this.#results.keys()].slice(-MAX_ITEMS * 2));
    }, SETTLE_MS);
  }

  /** The figures of a run; undefined while it is scoring, and until `readFigures` has read them. Reactive. */
  figuresOf(run: ScoreRun): RunFigures | undefined {
    void this.#figuresVersion;
    return hasFigures(run) ? (this.#known(run)?.figures ?? undefined) : undefined;
  }

  #known(run: ScoreRun): KnownFigures | undefined {
    const known = this.#figures.get(run.runId);
    return known?.counts === countsKey(run) ? known : undefined;
  }

  /**
   * Reads the missing figures of these runs, one run after another, even if called again meanwhile. Never rejects:
   * without figures a run is still listed, and the next call, or `open`, tries again.
   */
  readFigures(runs: readonly ScoreRun[]): Promise<void> {
    this.#wanted = runs;
    for (const run of runs) if (this.#known(run)?.figures === null) this.#figures.delete(run.runId);
    this.#reader ??= this.#readWanted().finally(() => {
      this.#reader = null;
    });
    return this.#reader;
  }

  async #readWanted(): Promise<void> {
    for (;;) {
      const run = this.#wanted.find((each) => hasFigures(each) && this.#known(each) === undefined);
      if (run === undefined) return;
      const counts = countsKey(run);
      try {
        const { scores } = await this.#client.invoke('runs:compare', {
          ...{ connectionId: this.connectionId, runs: [{ kind: 'scores', id: run.runId }], score: null },
          ...{ filter: NO_FILTER, offset: 0, limit: 0 },
        });
        const [first] = scores;
        this.#figures.set(run.runId, {
          counts,
          figures: {
            name: scores.length > 1 ? (first?.key ?? null) : null,
            figures: first?.runs[0]?.figures ?? null,
          },
        });
      } catch (thrown) {
        this.#figures.set(run.runId, { counts, figures: null });
        this.#readError = toAppError(thrown);
      }
      this.#figuresVersion += 1;
    }
  }

  /** Starts a score run. Throws AppError. */
  start(plan: ScorePlan, { startAtMs, expectedItems }: ScoreStart): Promise<ScoreRun> {
    return this.#jobs.create('scores', { scores: plan, expectedItems }, startAtMs, this.connectionId);
  }
}
