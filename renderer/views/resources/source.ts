/** The record of a tab, whichever operation can read it. */
import { app } from '../../state/app.svelte.ts';
import { type RecordLike, RecordOrRow, RowRecord } from '../../state/row-record.svelte.ts';
import { activeConnectionId, recordOfTab } from '../parts/tab-models.ts';
import type { Resource } from './types.ts';

function heldRow(tabId: string, operation: string, id: string, idField?: string): RowRecord {
  const connectionId = activeConnectionId();
  return app.tabs.hold(tabId, `row.${operation}.${id}`, () => {
    const isOnline = () => app.network.phaseOf(connectionId) === 'online';
    return new RowRecord({ connectionId, viewId: `tab-${tabId}.row.${id}`, isOnline }, id, idField);
  });
}

interface Source {
  model: RecordLike;
  open: () => Promise<void>;
}

/** The record, which the tab keeps. It is opened when it is shown. */
export function sourceOfTab(tabId: string, resource: Resource, id: string): Source {
  const { get, list, idField } = resource;
  if (get === null) {
    const row = heldRow(tabId, list?.operation ?? '', id, idField);
    return { model: row, open: () => row.open(list?.operation ?? '') };
  }
  const record = recordOfTab(tabId, `${resource.id}.${id}`);
  const path: Record<string, string> = get.param === null ? {} : { [get.param]: id };
  const openRecord = async () => {
    if (record.phase === 'closed') await record.open({ operation: get.operation, path, query: {} });
  };
  if (list === null) return { model: record, open: openRecord };
  const row = heldRow(tabId, list.operation, id, idField);
  return {
    model: app.tabs.hold(tabId, `either.${resource.id}.${id}`, () => new RecordOrRow(record, row)),
    open: async () => {
      await Promise.all([openRecord(), row.open(list.operation, 'never')]);
    },
  };
}
