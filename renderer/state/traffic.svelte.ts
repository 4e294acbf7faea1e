import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ChosenPriority, LaneOverview } from '../../electron/shared/traffic-model.ts';
import { type Numbered, client as realClient } from '../lib/client.ts';
import { nextChangeMs } from '../lib/lanes.ts';
import { Newest } from './newest.ts';

type Client = Pick<typeof realClient, 'ask' | 'on'>;

const NOTHING: LaneOverview = { lanes: [], waiting: [], isAllPaused: false, uploadOrder: null };
/** Minimum interval of queries. The main process reports changes up to ten times a second. */
const SETTLE_MS = 250;
/**
 * Minimum intervals of queries without an event, for the status bar and for the view: limits become free without one.
 */
const IDLE_MS = 5_000;
const WATCHED_MS = 1_000;
/** Maximum delay of the next query. */
const FAR_MS = 600_000;

/** Lanes of the active connection, and pauses made by the user. */
export class TrafficState {
  overview = $state.raw<LaneOverview>(NOTHING);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  readonly lanes = $derived(this.overview.lanes);

  #connectionId: string | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #dueMs = Number.POSITIVE_INFINITY;
  #watchers = 0;
  readonly #newest = new Newest();
  readonly #client: Client;

  constructor(client: Client = realClient) {
    this.#client = client;
  }

  /** Returns a function that unsubscribes. */
  listen(): () => void {
    const stop = this.#client.on('traffic:changed', ({ connectionId }) => {
      if (connectionId === this.#connectionId) this.#loadIn(SETTLE_MS);
    });
    return () => {
      stop();
      this.#cancel();
    };
  }

  /**
   * To be called while a view shows the lanes, which must then be current to the second. Returns a function that ends
   * this.
   */
  show(): () => void {
    this.#watchers += 1;
    this.#loadIn(0);
    return () => {
      this.#watchers -= 1;
    };
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  #loadIn(delayMs: number): void {
    const dueMs = Date.now() + delayMs;
    if (this.#timer !== null && this.#dueMs <= dueMs) return;
    this.#cancel();
    this.#dueMs = dueMs;
    this.#timer = setTimeout(() => {
      this.#cancel();
      void this.load();
    }, delayMs);
  }

  #loadWhenItChanges(): void {
    const nowMs = Date.now();
    const changeMs = nextChangeMs(this.lanes, nowMs);
    if (changeMs === null) return;
    const leastMs = this.#watchers > 0 ? WATCHED_MS : IDLE_MS;
    this.#loadIn(Math.min(FAR_MS, Math.max(leastMs, changeMs - nowMs)));
  }

  async watch(connectionId: string): Promise<void> {
    this.#connectionId = connectionId;
    this.overview = NOTHING;
    this.isLoaded = false;
    this.error = null;
    await this.load();
  }

  async load(): Promise<void> {
    await this.#take((connectionId) => this.#client.ask('traffic:get-lanes', { connectionId }));
  }

  /** Pauses the requests of a lane, or of all lanes (null). Throws AppError. */
  async pause(operation: string | null): Promise<void> {
    await this.#show((connectionId) =>
      this.#client.ask('traffic:control', { connectionId, action: 'pause', operation }),
    );
  }

  /** Throws AppError. */
  async resume(operation: string | null): Promise<void> {
    await this.#show((connectionId) =>
      this.#client.ask('traffic:control', { connectionId, action: 'resume', operation }),
    );
  }

  /** Sets the priority of present and later requests of a group; null for the default. Throws AppError. */
  async choosePriority(group: string, priority: ChosenPriority | null): Promise<void> {
    await this.#show((connectionId) =>
      this.#client.ask('traffic:control', { connectionId, action: 'choose-priority', group, priority }),
    );
  }

  /** Sets the order in which uploads are sent; null to send them in turn. Throws AppError. */
  async orderUploads(jobIds: string[] | null): Promise<void> {
    await this.#show((connectionId) =>
      this.#client.ask('traffic:control', { connectionId, action: 'order-uploads', jobIds }),
    );
  }

  /** Resets a lane to the documented limits. Throws AppError. */
  async forget(operation: string): Promise<void> {
    await this.#show((connectionId) =>
      this.#client.ask('traffic:control', { connectionId, action: 'forget-limits', operation }),
    );
  }

  async #show(change: (connectionId: string) => Promise<Numbered<LaneOverview>>): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    const { value, seq } = await change(connectionId);
    if (connectionId === this.#connectionId && this.#newest.takes(seq)) this.overview = value;
  }

  async #take(ask: (connectionId: string) => Promise<Numbered<LaneOverview>>): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    try {
      const { value, seq } = await ask(connectionId);
      if (connectionId !== this.#connectionId) return;
      if (this.#newest.takes(seq)) this.overview = value;
      this.error = null;
      this.#loadWhenItChanges();
    } catch (thrown) {
      if (connectionId === this.#connectionId) this.error = toAppError(thrown);
    } finally {
      if (connectionId === this.#connectionId) this.isLoaded = true;
    }
  }
}

export const traffic = new TrafficState();
