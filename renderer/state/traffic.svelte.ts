import type { LaneStatus, RequestLogRow } from '../../electron/shared/model.ts';
import { client } from '../lib/client.ts';
import { formatDuration } from '../lib/format.ts';

const LOG_ROWS = 200;
/** Events come per request; the window asks at most this often. */
const SETTLE_MS = 500;

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
    return client.on('traffic:changed', ({ connectionId }) => {
      if (connectionId !== this.#connectionId || this.#timer !== null) return;
      this.#timer = setTimeout(() => {
        this.#timer = null;
        void this.load();
      }, SETTLE_MS);
    });
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

/** The lane that is nearest to a limit, for the status bar. */
export function describeMeter(lanes: LaneStatus[]): { text: string; share: number; title: string } | null {
  let tightest: { lane: LaneStatus; window: LaneStatus['windows'][number]; share: number } | null = null;
  for (const lane of lanes) {
    for (const window of lane.windows) {
      const share = window.count === 0 ? 1 : window.used / window.count;
      if (tightest === null || share > tightest.share) tightest = { lane, window, share };
    }
  }
  if (tightest === null) return null;
  const { lane, window, share } = tightest;
  const waiting = lanes.reduce((sum, each) => sum + each.queued, 0);
  const period = formatDuration(window.lengthMs);
  return {
    text:
      waiting > 0
        ? `${waiting} waiting · ${window.used}/${window.count} in ${period}`
        : `${window.used}/${window.count} in ${period}`,
    share,
    title: `${lane.title}: ${window.used} of ${window.count} requests used in ${period}`,
  };
}
