/** Charts that the user saved, per connection. Stored with its data and deleted with it. */

import {
  isJsonObject,
  type JsonObject,
  objectsOf,
  textOf,
  textsOf,
} from '../../electron/shared/json-fields.ts';
import { bodyText } from '../lib/monitoring/chart-text.ts';
import { app } from './app.svelte.ts';
import { clock } from './clock.svelte.ts';

export interface SavedChart {
  id: string;
  name: string;
  /** Body of POST /v3/queries. */
  body: JsonObject;
  /** Name of the chart's subject, as the body contains only ids. */
  about: string;
  /** Keys of queries on the right axis. */
  right: string[];
  savedAtMs: number;
}

const KEY = 'charts';

function readChart(value: JsonObject): SavedChart | null {
  const { id, savedAtMs } = value;
  const body = value['body'];
  if (typeof id !== 'string' || id === '' || !isJsonObject(body)) return null;
  return {
    id,
    name: textOf(value, 'name') || 'Chart',
    body,
    about: textOf(value, 'about'),
    right: textsOf(value, 'right'),
    savedAtMs: typeof savedAtMs === 'number' ? savedAtMs : 0,
  };
}

class SavedCharts {
  list = $state.raw<readonly SavedChart[]>([]);
  readonly #connectionId: string | null;

  constructor(connectionId: string | null) {
    this.#connectionId = connectionId;
    const kept = app.keep.get(KEY);
    this.list = objectsOf(kept, 'list').flatMap((each) => readChart(each) ?? []);
  }

  find(id: string): SavedChart | null {
    return this.list.find((chart) => chart.id === id) ?? null;
  }

  /** Stores a new or changed chart. Throws AppError if it cannot be stored; the list is then unchanged. */
  async save(chart: Omit<SavedChart, 'id' | 'savedAtMs'> & { id: string | null }): Promise<SavedChart> {
    const saved = { ...chart, id: chart.id ?? crypto.randomUUID(), savedAtMs: clock.nowMs };
    const others = this.list.filter(({ id }) => id !== saved.id);
    await this.#write([saved, ...others]);
    return saved;
  }

  /** Throws AppError if the list cannot be stored; it is then unchanged. */
  async remove(ids: ReadonlySet<string>): Promise<void> {
    await this.#write(this.list.filter(({ id }) => !ids.has(id)));
  }

  /** Restores removed charts. Throws AppError if they cannot be stored. */
  async restore(removed: readonly SavedChart[]): Promise<void> {
    const ids = new Set(removed.map(({ id }) => id));
    await this.#write([...removed, ...this.list.filter(({ id }) => !ids.has(id))]);
  }

  async #write(list: readonly SavedChart[]): Promise<void> {
    await app.keep.save(KEY, { list }, this.#connectionId);
    this.list = list;
  }
}

/** Whether two charts have the same query and the same display settings. */
export function isSameChart(
  one: Pick<SavedChart, 'body' | 'right'>,
  two: Pick<SavedChart, 'body' | 'right'>,
): boolean {
  return bodyText(one.body) === bodyText(two.body) && one.right.join() === two.right.join();
}

let held: { connectionId: string | null; charts: SavedCharts } | null = null;

// They are read again whenever the connection is entered.
app.whenLeft(() => {
  held = null;
});

/** The charts of the active connection. */
export function savedCharts(): SavedCharts {
  const connectionId = app.connections.activeId;
  if (held === null || held.connectionId !== connectionId)
    held = { connectionId, charts: new SavedCharts(connectionId) };
  return held.charts;
}
