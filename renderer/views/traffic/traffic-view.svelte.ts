/** State of the Requests view while its tab is open: the log, the selected request, the filter. */

import type { RequestDetails, RequestLogRow, Shell } from '../../../electron/shared/traffic-model.ts';
import type { GridModel } from '../../components/grid/grid-model.svelte.ts';
import { client } from '../../lib/client.ts';
import { formatCount } from '../../lib/format.ts';
import { type LogFilter, NO_FILTER } from '../../lib/request-log.ts';
import { RequestLogModel } from '../../state/request-log.svelte.ts';
import { toast } from '../../state/toast.ts';

const NARROW_WINDOW = 1_100;

export class TrafficViewModel {
  readonly log: RequestLogModel;
  /** Id of the request in the panel; null if the panel is closed. */
  openId = $state<string | null>(null);
  readonly usualWidth = window.innerWidth < NARROW_WINDOW ? 320 : 400;
  width = $state(this.usualWidth);

  readonly #connectionId: string;
  /** Index of the row that the panel showed last, so that new rows above it do not change the panel. */
  #followed = 0;

  constructor(connectionId: string, grid: GridModel) {
    this.#connectionId = connectionId;
    this.log = new RequestLogModel(connectionId);
    this.log.isBusyReading = () =>
      this.openId !== null || grid.row > 0 || grid.scrollTop > 0 || grid.picked.length > 0;
    // Requests are let in only while the first row is the newest: the cursor stays there, like before it was moved.
    this.log.beforeLetIn = () => {
      grid.isTouched = false;
    };
    this.log.onRestart = () => {
      this.#followed = 0;
      grid.restart();
    };
  }

  dispose(): void {
    this.log.dispose();
  }

  setFilter(change: Partial<LogFilter>): void {
    void this.log.open({ ...this.log.filter, ...change });
  }

  /** Shows only the row of the request with this id, with all details. */
  show(requestId: string): void {
    this.openId = requestId;
    void this.log.open({ ...NO_FILTER, text: requestId });
  }

  /** Throws AppError. */
  async clear(): Promise<void> {
    this.openId = null;
    await this.log.clear();
  }

  /**
   * Shows the request at the cursor in the panel, if it is open. If no row is selected any more, the panel keeps its
   * request, as the user opened it, and the next row that the user selects replaces it.
   */
  follow(row: RequestLogRow | null, index: number): void {
    if (row === null) {
      this.#followed = -1;
      return;
    }
    if (this.openId !== null && index !== this.#followed) this.openId = row.id;
    this.#followed = index;
  }

  /** Throws AppError. */
  read(requestId: string): Promise<RequestDetails> {
    return client.invoke('traffic:get-request', { connectionId: this.#connectionId, requestId });
  }

  /** Throws AppError. */
  async copyCurl(requestId: string, shell: Shell | null = null): Promise<void> {
    const connectionId = this.#connectionId;
    const { command, note } = await client.invoke('traffic:copy-curl', { connectionId, requestId, shell });
    await client.invoke('app:copy-text', { text: command });
    const token = 'The token is not in it: set SPANDECK_TOKEN before you run it.';
    toast('curl command copied', { description: [token, note].filter((text) => text !== '').join(' ') });
  }

  /** Writes the requests that match the filter to a file. Throws AppError. */
  async saveHar(): Promise<void> {
    const { filter } = this.log;
    const connectionId = this.#connectionId;
    const saved = await client.invoke('traffic:save-har', {
      connectionId,
      ...filter,
      text: filter.text.trim(),
    });
    if (saved !== null)
      toast(`Saved ${saved.fileName}`, { description: formatCount(saved.entries, 'request') });
  }
}
