/** The same change for several records, one after another: what came of each stays until it is put away. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { client } from '../lib/client.ts';
import { type Act, act } from './act.svelte.ts';

export interface BulkRow {
  id: string;
  name: string;
}

export interface BulkItem extends BulkRow {
  /** `unknown`: sent, but the answer was lost; it is not sent again by itself. */
  state: 'waiting' | 'sending' | 'done' | 'failed' | 'unknown' | 'left';
  error: AppError | null;
}

export class BulkActState {
  items = $state.raw<readonly BulkItem[]>([]);
  isRunning = $state(false);
  #isStopped = false;
  #requestOf: ((row: BulkRow) => Act) | null = null;
  readonly #connectionId: string;

  readonly done = $derived.by(() => this.items.filter(({ state }) => state === 'done').length);
  readonly failed = $derived.by(() =>
    this.items.filter(({ state }) => state === 'failed' || state === 'unknown'),
  );

  constructor(connectionId: string) {
    this.#connectionId = connectionId;
  }

  /** How long this many requests take at least, in milliseconds; null where that is not known. */
  async plan(operation: string, count: number): Promise<number | null> {
    try {
      const plan = await client.invoke('traffic:plan', {
        connectionId: this.#connectionId,
        requests: [{ operation, count }],
      });
      return Math.max(0, plan.finishAtMs - plan.startAtMs);
    } catch {
      // The plan is a courtesy: without it the deletion can still be asked for.
      return null;
    }
  }

  async run(rows: readonly BulkRow[], requestOf: (row: BulkRow) => Act): Promise<void> {
    if (this.isRunning) return;
    this.#requestOf = requestOf;
    this.items = rows.map((row) => ({ ...row, state: 'waiting', error: null }));
    await this.#work();
  }

  /** Sends again what was refused; not what may have been done. */
  async retry(): Promise<void> {
    if (this.isRunning) return;
    this.items = this.items.map((item) =>
      item.state === 'failed' || item.state === 'left' ? { ...item, state: 'waiting', error: null } : item,
    );
    await this.#work();
  }

  /** The one under way is waited for; the rest is left. */
  stop(): void {
    this.#isStopped = true;
  }

  putAway(): void {
    if (!this.isRunning) this.items = [];
  }

  dispose(): void {
    this.stop();
  }

  #set(id: string, change: Partial<BulkItem>): void {
    this.items = this.items.map((item) => (item.id === id ? { ...item, ...change } : item));
  }

  async #work(): Promise<void> {
    const requestOf = this.#requestOf;
    if (requestOf === null) return;
    this.isRunning = true;
    this.#isStopped = false;
    for (const item of this.items.filter(({ state }) => state === 'waiting')) {
      if (this.#isStopped) this.#set(item.id, { state: 'left' });
      else await this.#one(item, requestOf(item));
    }
    this.isRunning = false;
  }

  async #one(item: BulkItem, request: Act): Promise<void> {
    this.#set(item.id, { state: 'sending' });
    try {
      await act(this.#connectionId, request);
      this.#set(item.id, { state: 'done' });
    } catch (thrown) {
      const error = toAppError(thrown);
      this.#set(item.id, { state: error.details.outcome === 'unknown' ? 'unknown' : 'failed', error });
      // The rest would be refused for the same reason.
      if (['OFFLINE', 'READ_ONLY', 'UNAUTHORIZED'].includes(error.code)) this.#isStopped = true;
    }
  }
}
