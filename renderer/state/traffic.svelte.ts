import type { LaneStatus, RequestLogRow } from '../../electron/shared/model.ts';
import { client } from '../lib/client.ts';

const LOG_ROWS = 200;
/** Events come per request; the window asks at most this often. */
const SETTLE_MS = 500;
/** After the last request, when the shortest windows are free again. */
const QUIET_MS = 1_500;

/** Lanes and request log of the connection at hand. */
class TrafficState {
  lanes = $state.raw<LaneStatus[]>([]);
  log = $state.raw<RequestLogRow[]>([]);
  isLoaded = $state(false);

  #connectionId: string | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #wantsLog = false;

  /** Returns what ends it. */
  listen(): () => void {
    const stop = client.on('traffic:changed', ({ connectionId }) => {
      if (connectionId === this.#connectionId) this.#loadIn(SETTLE_MS);
    });
    return () => {
      stop();
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
    };
  }

  #loadIn(delayMs: number, isLast = false): void {
    if (this.#timer !== null && isLast) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.load().then(() => {
        if (!isLast) this.#loadIn(QUIET_MS, true);
      });
    }, delayMs);
  }

  async watch(connectionId: string): Promise<void> {
    this.#connectionId = connectionId;
    this.lanes = [];
    this.log = [];
    this.isLoaded = false;
    await this.load();
  }

  /** The log is read only while a view shows it. */
  wantLog(isWanted: boolean): void {
    this.#wantsLog = isWanted;
    if (isWanted) void this.load();
  }

  async load(): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    const [lanes, log] = await Promise.all([
      client.invoke('traffic:get-lanes', { connectionId }),
      this.#wantsLog
        ? client.invoke('traffic:get-log', { connectionId, limit: LOG_ROWS, beforeMs: null })
        : null,
    ]);
    if (connectionId !== this.#connectionId) return;
    this.lanes = lanes;
    if (log !== null) this.log = log;
    this.isLoaded = true;
  }
}

export const traffic = new TrafficState();
