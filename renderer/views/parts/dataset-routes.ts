/** Opens the view of a dataset. */
import type { ItemsJob } from '../../../electron/shared/items-model.ts';
import type { RowAct } from '../../components/grid/row-menu.ts';
import { app } from '../../state/app.svelte.ts';
import { setParams } from './params.ts';

interface NamedDataset {
  id: string;
  name: string;
}

/** Opens a dataset, in the tab that already shows it, if any. `shows`: parameters of the view. */
export function openDataset({ id, name }: NamedDataset, shows: Readonly<Record<string, string>> = {}): void {
  const tab = app.tabs.open('dataset', name, { datasetId: id, name });
  setParams(tab, shows);
}

/**
 * Replaces the tab of a dataset with that of its copy, which contains the edits made in the tab. If the tab has other
 * input, it stays open behind the new one.
 */
export function becomeCopy(
  tabId: string,
  { plan, itemsId }: Pick<ItemsJob, 'plan' | 'itemsId'>,
  originalCreatedAt: string,
): void {
  openDataset({ id: plan.datasetId, name: plan.datasetName }, { copy: itemsId, originalCreatedAt });
  if (app.drafts.lossReason(tabId) === null) app.closeTab(tabId);
}

/** Opens the items of a dataset, filtered to one item. */
export function openDatasetItem(dataset: NamedDataset, itemId: string): void {
  openDataset(dataset, { part: '', item: itemId });
}

/** An action of a row that opens an item. */
export function openItemAction(
  { datasetId: id, datasetName: name }: { datasetId: string; datasetName: string },
  itemId: string,
): RowAct {
  return { title: 'Open item', run: () => openDatasetItem({ id, name }, itemId) };
}
