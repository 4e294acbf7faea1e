/** Ways into the view of a dataset. */
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
