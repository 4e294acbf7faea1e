/** Objects that a view keeps while its tab is open: lists, records and grids, by name. */

import type { RowWindow } from '../../../electron/shared/model.ts';
import { GridModel } from '../../components/grid/grid-model.svelte.ts';
import { app } from '../../state/app.svelte.ts';
import { type Joined, JoinedList } from '../../state/joined-list.svelte.ts';
import { KeptList } from '../../state/kept-list.svelte.ts';
import { ListModel, type ListModelOptions, type Row } from '../../state/list-state.svelte.ts';
import { RecordModel } from '../../state/record-state.svelte.ts';

export function activeConnectionId(): string {
  return app.connections.activeId ?? '';
}

function optionsOf(tabId: string, name: string): ListModelOptions {
  const connectionId = activeConnectionId();
  const key = `list.${name}`;
  return {
    connectionId,
    viewId: `tab-${tabId}.${name}`,
    isOnline: () => app.network.phaseOf(connectionId) === 'online',
    memory: {
      read: () => app.keptPlace(tabId, key),
      write: (narrowing) => app.keepPlace(tabId, key, narrowing),
    },
  };
}

/** `groupBy`: shows one row per group. */
export function listOfTab(
  tabId: string,
  name: string,
  groupBy?: NonNullable<RowWindow['groupBy']>,
): ListModel {
  return app.tabs.hold(
    tabId,
    `list.${name}`,
    () => new ListModel({ ...optionsOf(tabId, name), ...(groupBy === undefined ? {} : { groupBy }) }),
  );
}

/** A list that can also be sorted by data about its rows that comes from another source. */
export function joinedListOfTab(tabId: string, name: string, joined: Joined): JoinedList {
  return app.tabs.hold(tabId, `list.${name}`, () => new JoinedList({ ...optionsOf(tabId, name), joined }));
}

/** A list that shows only some of its rows. */
export function keptListOfTab(tabId: string, name: string, keeps: (row: Row) => boolean): KeptList {
  return app.tabs.hold(tabId, `list.${name}`, () => new KeptList({ ...optionsOf(tabId, name), keeps }));
}

export function recordOfTab(tabId: string, name: string): RecordModel {
  const connectionId = activeConnectionId();
  return app.tabs.hold(
    tabId,
    `record.${name}`,
    () => new RecordModel({ connectionId, viewId: `tab-${tabId}.${name}` }),
  );
}

/**
 * `layoutId`: views with the same id share their column layout. `startsWithSummaries`: column summaries are
 * shown until the user collapses them.
 */
export function gridOfTab(tabId: string, layoutId: string, startsWithSummaries = false): GridModel {
  const name = `grid.${layoutId}`;
  return app.tabs.hold(tabId, name, () => {
    const model = new GridModel(app.gridMemory(layoutId), startsWithSummaries);
    model.goTo(app.keptPlace(tabId, name));
    return model;
  });
}
