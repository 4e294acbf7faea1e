/** Charts that a person saved, of one connection. They are kept beside its pages and go with it. */

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
  /** What the chart is about, by name: its body has ids only. */
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

  constructor() {
    const kept = app.keep.get(KEY);
    this.list = objectsOf(kept, 'list').flatMap((each) => readChart(each) ?? []);
  }

  find(id: string): SavedChart | null {
    return this.list.find((chart) => chart.id === id) ?? null;
  }

  /** Keeps a chart, new or changed. Throws AppError where it cannot be kept: then the list is as before. */
  async save(chart: Omit<SavedChart, 'id' | 'savedAtMs'> & { id: string | null }): Promise<SavedChart> {
    const saved = { ...chart, id: chart.id ?? crypto.randomUUID(), savedAtMs: clock.nowMs };
    const others = this.list.filter(({ id }) => id !== saved.id);
    await this.#write([saved, ...others]);
    return saved;
  }

  /** Throws AppError where the list cannot be kept: then it is as before. */
  async remove(ids: ReadonlySet<string>): Promise<void> {
    await this.#write(this.list.filter(({ id }) => !ids.has(id)));
  }

  /** Takes back what was removed. Throws AppError where it cannot be kept. */
  async restore(removed: readonly SavedChart[]): Promise<void> {
    const ids = new Set(removed.map(({ id }) => id));
    await this.#write([...removed, ...this.list.filter(({ id }) => !ids.has(id))]);
  }

  async #write(list: readonly SavedChart[]): Promise<void> {
    await app.keep.save(KEY, { list });
    this.list = list;
  }
}

/** Do two charts ask and show the same? */
export function isSameChart(
  one: Pick<SavedChart, 'body' | 'right'>,
  two: Pick<SavedChart, 'body' | 'right'>,
): boolean {
  return bodyText(one.body) === bodyText(two.body) && one.right.join() === two.right.join();
}

let held: { connectionId: string | null; charts: SavedCharts } | null = null;

/** Those of the connection at hand. */
export function savedCharts(): SavedCharts {
  const connectionId = app.connections.activeId;
  if (held === null || held.connectionId !== connectionId) held = { connectionId, charts: new SavedCharts() };
  return held.charts;
}
