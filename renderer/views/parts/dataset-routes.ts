/** Ways into the view of a dataset. */
import type { ItemsJob } from '../../../electron/shared/items-model.ts';
import type { RowAct } from '../../components/grid/row-menu.ts';
import { app } from '../../state/app.svelte.ts';
import { setParams } from './params.ts';

interface NamedDataset {
  id: string;
  name: string;
}

/** In the tab that shows it already where there is one. `shows`: parameters of that view. */
export function openDataset({ id, name }: NamedDataset, shows: Readonly<Record<string, string>> = {}): void {
  const tab = app.tabs.open('dataset', name, { datasetId: id, name });
  setParams(tab, shows);
}

/**
 * The tab of a dataset becomes that of a copy that was made of it: what was done in the tab went into the copy. A tab that
 * holds other input stays open behind it.
 */
export function becomeCopy(
  tabId: string,
  { plan, itemsId }: Pick<ItemsJob, 'plan' | 'itemsId'>,
  originalCreatedAt: string,
): void {
  openDataset({ id: plan.datasetId, name: plan.datasetName }, { copy: itemsId, originalCreatedAt });
  if (app.drafts.whyLost(tabId) === null) app.closeTab(tabId);
}

/** Its items, narrowed to one. */
export function openDatasetItem(dataset: NamedDataset, itemId: string): void {
  openDataset(dataset, { part: '', item: itemId });
}

/** The same as a way on from a row. */
export function itemWay(
  { datasetId: id, datasetName: name }: { datasetId: string; datasetName: string },
  itemId: string,
): RowAct {
  return { title: 'Open item', run: () => openDatasetItem({ id, name }, itemId) };
}
