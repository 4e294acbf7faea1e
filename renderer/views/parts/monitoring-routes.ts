/** Opens the views of charts and alert rules. */
import { type BoardTimes, tileBody } from '../../../electron/shared/board-times.ts';
import type { BoardTile } from '../../lib/monitoring/board.ts';
import { app } from '../../state/app.svelte.ts';
import type { ChartDraft } from '../../state/chart-draft.svelte.ts';
import type { SavedChart } from '../../state/saved-charts.svelte.ts';

export function openCharts(): void {
  app.tabs.open('charts', 'Charts');
}

/** Opens a saved chart, in the tab that already shows it, if any. */
export function openChart(chart: SavedChart): void {
  app.tabs.open('chart', chart.name, { chartId: chart.id });
}

/** Opens an unsaved chart; if another chart is given, with its definition. */
export function newChart(from?: Pick<ChartDraft, 'params'>): void {
  const number = app.tabs.list.filter(({ kind }) => kind === 'chart').length + 1;
  app.tabs.open('chart', 'New chart', { new: `${number}.${crypto.randomUUID()}`, ...from?.params() });
}

/** Opens a tile of a board as a separate chart, with the times of the board. */
export function openTile(tile: BoardTile, times: BoardTimes): void {
  const body = JSON.stringify(tileBody(tile, times));
  const params = { body, right: tile.right.join(','), about: tile.about };
  app.tabs.open('chart', tile.title, { new: `tile.${crypto.randomUUID()}`, ...params });
}

export function openRules(): void {
  app.tabs.open('alert-rules', 'Alert rules');
}

export function openRule(alertId: string, name: string): void {
  app.tabs.open('alert-rule', name, { alertId, name });
}

/** Opens the form of a new rule for a model. */
export function newRuleFor(modelId: string): void {
  app.tabs.open('alert-rule-form', 'New alert rule', { model_id: modelId });
}

/** Opens the form of a new rule; if the id of another rule is given, as a copy of it. */
export function newRule(like?: { id: string; name: string }): void {
  const title = like === undefined ? 'New alert rule' : `Copy of ${like.name}`;
  app.tabs.open('alert-rule-form', title, like === undefined ? {} : { like: like.id });
}
