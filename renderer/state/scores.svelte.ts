/** Score runs of one dataset, and the scores of the items at hand. */

import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { PlannedAction } from '../../electron/shared/planned-model.ts';
import type { ScorePlan, ScoreResult, ScoreRun, ScoreStart } from '../../electron/shared/score-model.ts';
import { client as realClient } from '../lib/client.ts';
import { Tellings } from './tellings.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

/** Items asked about in one call at most. */
const MOST_ITEMS = 200;
/** Items remembered: what a person scrolled past is asked for again. */
const MOST_KEPT = 4_000;
const SETTLE_MS = 400;

type RunAction = 'pause' | 'resume' | 'retry' | 'schedule' | 'unschedule';

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
  readonly #tellings = new Tellings();
  readonly #client: Client;

  constructor(connectionId: string, datasetId: string, client: Client = realClient) {
    this.connectionId = connectionId;
    this.datasetId = datasetId;
    this.#client = client;
  }

  /** Asking again costs one read; events keep it current from then on. */
  async open(): Promise<void> {
    this.#stopListening ??= this.#client.on('scores:changed', ({ connectionId, run }) => {
      if (connectionId === this.connectionId && run.plan.datasetId === this.datasetId) this.#told(run);
    });
    const { connectionId, datasetId } = this;
    const asked = this.#tellings.now;
    try {
      const runs = await this.#client.invoke('scores:list', { connectionId, datasetId });
      this.runs = this.#tellings.merge(runs, this.runs, asked, ({ runId }) => runId);
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
        const results = await this.#client.invoke('scores:of-items', { connectionId, datasetId, itemIds });
        const byItem = Map.groupBy(results, ({ itemId }) => itemId);
        for (const id of itemIds) this.#results.set(id, byItem.get(id) ?? []);
        this.#version += 1;
      }
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  #told(run: ScoreRun): void {
    if (this.#tellings.told(run.runId)) this.#put(run);
  }

  /** Asks for something that is answered with a run as it stands then. Throws AppError. */
  async #ask(question: () => Promise<ScoreRun>): Promise<ScoreRun> {
    const asked = this.#tellings.now;
    const run = await question();
    if (!this.#tellings.isNewer(run.runId, asked)) this.#put(run);
    return run;
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
  start(plan: ScorePlan, start: ScoreStart): Promise<ScoreRun> {
    const { connectionId } = this;
    return this.#ask(() => this.#client.invoke('scores:start', { connectionId, plan, ...start }));
  }

  /** Throws AppError. */
  async control(runId: string, action: RunAction, startAtMs: number | null = null): Promise<void> {
    const { connectionId } = this;
    await this.#ask(() => this.#client.invoke('scores:control', { connectionId, runId, action, startAtMs }));
  }

  /** What can be done with a run that is to begin later, as with everything that is. Throws AppError. */
  controlPlanned(runId: string, action: PlannedAction, startAtMs: number | null = null): Promise<void> {
    const actions = { start: 'resume', schedule: 'schedule', cancel: 'unschedule' } as const;
    return this.control(runId, actions[action], startAtMs);
  }

  /** Throws AppError. */
  async forget(runId: string): Promise<void> {
    await this.#client.invoke('scores:forget', { connectionId: this.connectionId, runId });
    this.#tellings.gone(runId);
    this.runs = this.runs.filter((run) => run.runId !== runId);
    this.#readAgainSoon();
  }

  /** Asks where to save; null where the person cancelled. Throws AppError. */
  save(runId: string): Promise<{ fileName: string; rows: number } | null> {
    return this.#client.invoke('scores:save-file', { connectionId: this.connectionId, runId });
  }

  /** Throws AppError. */
  async results(
    runId: string,
    show: 'all' | 'scored' | 'failed' | 'unscored',
    offset: number,
    limit: number,
  ): Promise<{ rows: ScoreResult[]; total: number }> {
    const { connectionId } = this;
    const answer = await this.#client.invoke('scores:list-results', {
      connectionId,
      runId,
      show,
      offset,
      limit,
    });
    return { rows: answer.results, total: answer.total };
  }
}
