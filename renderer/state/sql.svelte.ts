/** The SQL view of a connection: the views that can be queried, the running query, and the last result. */
import type { Preparation } from '../../electron/shared/analysis-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { DescribedView, SqlAnswers, SqlRequest } from '../../electron/shared/sql-model.ts';
import { client as realClient } from '../lib/client.ts';
import { type AskedSql, SqlRowsState } from './sql-result.svelte.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

export class SqlState {
  /** The views that can be queried; null until they are read. */
  views = $state.raw<readonly DescribedView[] | null>(null);
  viewsError = $state.raw<AppError | null>(null);
  /** Whether the views are being read again, because lists may have been stored or evicted since. */
  isReadingViews = $state(false);
  isRunning = $state(false);
  startedMs = $state(0);
  /** The columns of a long list that must be prepared before the query can run; null if there are none. */
  preparation = $state.raw<Preparation | null>(null);
  /** Error of the last query. Its position refers to the whole text. */
  error = $state.raw<AppError | null>(null);
  result = $state.raw<SqlRowsState | null>(null);

  readonly #connectionId: string;
  readonly #client: Client;
  #runId: string | null = null;
  #resultId: string | null = null;

  constructor(connectionId: string, client: Client = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  readonly #ask = async <A extends SqlRequest['act']>(request: AskedSql<A>): Promise<SqlAnswers[A]> => {
    const argument = { ...request, connectionId: this.#connectionId } as unknown as SqlRequest;
    // The table of answers determines the type for each action.
    return (await this.#client.invoke('library:sql', argument)) as SqlAnswers[A];
  };

  /** Returns a function that unsubscribes. */
  listen(): () => void {
    const stops = [
      this.#client.on('library:profile-changed', ({ connectionId, preparation }) => {
        if (connectionId === this.#connectionId && this.isRunning) this.preparation = preparation;
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }

  async readViews(): Promise<void> {
    // Lists may have been stored meanwhile. Until the new answer arrives, an empty list would be misleading.
    if (this.views?.length === 0) this.views = null;
    this.isReadingViews = true;
    try {
      this.views = await this.#ask({ act: 'views' });
      this.viewsError = null;
    } catch (thrown) {
      this.viewsError = toAppError(thrown);
    } finally {
      this.isReadingViews = false;
    }
  }

  /** Runs a query. One that is still running is stopped first. */
  async run(sql: string, nowMs: number): Promise<void> {
    await this.stop();
    const runId = crypto.randomUUID();
    this.#runId = runId;
    this.isRunning = true;
    this.startedMs = nowMs;
    this.preparation = null;
    this.error = null;
    try {
      const about = await this.#ask({ act: 'run', runId, sql });
      if (this.#runId !== runId) return;
      const before = this.#resultId;
      this.#resultId = runId;
      this.result = new SqlRowsState(this.#ask, runId, sql, about);
      if (before !== null) void this.#letGo(before);
      // The columns of a list that was prepared for this query are now all known.
      if (
        this.views?.some(
          ({ name, isSample }) => isSample && about.views.some((key) => key.endsWith(name.toLowerCase())),
        ) === true
      )
        void this.readViews();
    } catch (thrown) {
      if (this.#runId === runId) this.error = toAppError(thrown);
    }
    if (this.#runId !== runId) return;
    this.#runId = null;
    this.isRunning = false;
  }

  /** Stops the running query. The previous result stays. */
  async stop(): Promise<void> {
    if (this.#runId === null) return;
    await this.#letGo(this.#runId);
  }

  async #letGo(runId: string): Promise<void> {
    await this.#ask({ act: 'stop', runId }).catch(() => null);
  }

  /** To be called when the tab was closed. */
  dispose(): void {
    for (const runId of [this.#runId, this.#resultId]) if (runId !== null) void this.#letGo(runId);
  }
}
