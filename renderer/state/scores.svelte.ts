/** Score runs of one dataset, and the scores of the items at hand. */

import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { PlannedAction } from '../../electron/shared/planned-model.ts';
import type { ScorePlan, ScoreResult, ScoreRun, ScoreStart } from '../../electron/shared/score-model.ts';
import { client } from '../lib/client.ts';

/** Items asked about in one call at most. */
const MOST_ITEMS = 200;
/** Items remembered: what a person scrolled past is asked for again. */
const MOST_KEPT = 4_000;
const SETTLE_MS = 400;

export type RunAction = 'pause' | 'resume' | 'retry' | 'schedule' | 'unschedule';

export class DatasetScores {
  readonly connectionId: string;
  readonly datasetId: string;
  /** Newest first. */
  runs = $state.raw<readonly ScoreRun[]>([]);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);

  #version = $state(0);
  readonly #results = new Map<string, readonly ScoreResult[]>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #stopListening: (() => void) | null = null;

  constructor(connectionId: string, datasetId: string) {
    this.connectionId = connectionId;
    this.datasetId = datasetId;
  }

  /** Asking again costs one read; events keep it current from then on. */
  async open(): Promise<void> {
    this.#stopListening ??= client.on('scores:changed', ({ connectionId, run }) => {
      if (connectionId === this.connectionId && run.plan.datasetId === this.datasetId) this.#put(run);
    });
    const { connectionId, datasetId } = this;
    try {
      this.runs = await client.invoke('scores:list', { connectionId, datasetId });
      this.error = null;
      this.isLoaded = true;
      if (this.runs.length > 0) this.#readAgainSoon();
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  dispose(): void {
    this.#stopListening?.();
    this.#stopListening = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Results of an item, one for each evaluator. */
  of(itemId: string): readonly ScoreResult[] {
    void this.#version;
    return this.#results.get(itemId) ?? [];
  }

  /** Rows came into view. Never rejects: scores are beside the items, which stay. */
  async see(rows: readonly Record<string, unknown>[]): Promise<void> {
    const ids = rows.map((row) => row['id']).filter((id): id is string => typeof id === 'string');
    for (const id of ids) {
      const known = this.#results.get(id) ?? [];
      this.#results.delete(id);
      this.#results.set(id, known);
    }
    for (const id of [...this.#results.keys()].slice(0, -MOST_KEPT)) this.#results.delete(id);
    if (this.runs.length > 0) await this.#read(ids);
  }

  async #read(ids: readonly string[]): Promise<void> {
    const { connectionId, datasetId } = this;
    try {
      for (let at = 0; at < ids.length; at += MOST_ITEMS) {
        const itemIds = ids.slice(at, at + MOST_ITEMS);
        const results = await client.invoke('scores:of-items', { connectionId, datasetId, itemIds });
        const byItem = Map.groupBy(results, ({ itemId }) => itemId);
        for (const id of itemIds) this.#results.set(id, byItem.get(id) ?? []);
        this.#version += 1;
      }
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  #put(run: ScoreRun): void {
    const at = this.runs.findIndex(({ runId }) => runId === run.runId);
    this.runs = at === -1 ? [run, ...this.runs] : this.runs.with(at, run);
    this.#readAgainSoon();
  }

  /** Scores come many times a second; what is at hand is read once for all of them. */
  #readAgainSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#read([...this.#results.keys()].slice(-MOST_ITEMS * 2));
    }, SETTLE_MS);
  }

  run(runId: string | null | undefined): ScoreRun | null {
    return this.runs.find((each) => each.runId === runId) ?? null;
  }

  /** Throws AppError. */
  async start(plan: ScorePlan, start: ScoreStart): Promise<ScoreRun> {
    const run = await client.invoke('scores:start', { connectionId: this.connectionId, plan, ...start });
    this.#put(run);
    return run;
  }

  /** Throws AppError. */
  async control(runId: string, action: RunAction, startAtMs: number | null = null): Promise<void> {
    const { connectionId } = this;
    this.#put(await client.invoke('scores:control', { connectionId, runId, action, startAtMs }));
  }

  /** What can be done with a run that is to begin later, as with everything that is. Throws AppError. */
  controlPlanned(runId: string, action: PlannedAction, startAtMs: number | null = null): Promise<void> {
    const actions = { start: 'resume', schedule: 'schedule', cancel: 'unschedule' } as const;
    return this.control(runId, actions[action], startAtMs);
  }

  /** Throws AppError. */
  async forget(runId: string): Promise<void> {
    await client.invoke('scores:forget', { connectionId: this.connectionId, runId });
    this.runs = this.runs.filter((run) => run.runId !== runId);
    this.#readAgainSoon();
  }

  /** Asks where to save; null where the person cancelled. Throws AppError. */
  save(runId: string): Promise<{ fileName: string; rows: number } | null> {
    return client.invoke('scores:save-file', { connectionId: this.connectionId, runId });
  }

  /** Throws AppError. */
  async results(
    runId: string,
    show: 'all' | 'scored' | 'failed' | 'unscored',
    offset: number,
    limit: number,
  ): Promise<{ rows: ScoreResult[]; total: number }> {
    const { connectionId } = this;
    const answer = await client.invoke('scores:list-results', { connectionId, runId, show, offset, limit });
    return { rows: answer.results, total: answer.total };
  }
}
