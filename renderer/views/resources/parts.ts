/** Objects that the tab of a record keeps for the parts of the record. */
import type { GridModel } from '../../components/grid/grid-model.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import type { RecordModel } from '../../state/record-state.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';
import { gridOfTab, listOfTab, recordOfTab } from '../parts/tab-models.ts';
import type { Part, Resource, TablePart } from './types.ts';

export function partOfTab(tabId: string, owner: Resource, part: Part): { list: ListModel; grid: GridModel } {
  return {
    list: listOfTab(tabId, `part.${part.id}`),
    grid: gridOfTab(tabId, `parts.${owner.id}.${part.id}`),
  };
}

/** The chosen parameter for the source of a table, e.g. the metrics; empty for the default of the service. */
export function choiceOf(tab: Tab, part: TablePart): string {
  const { choice } = part.source ?? {};
  return choice === undefined ? '' : (tab.params[`${part.id}.${choice.param}`] ?? '');
}

/** The record with the rows of a table, if it is not the record of the tab. */
export function tableOfTab(tab: Tab, part: TablePart): RecordModel | null {
  return part.source === undefined ? null : recordOfTab(tab.id, `part.${part.id}.${choiceOf(tab, part)}`);
}
