/** Tasks of the service, and the service itself (SERVICE.md F7.6 and F7.7). */
import Server from '@lucide/svelte/icons/server';
import ServerCog from '@lucide/svelte/icons/server-cog';
import { constantText } from '../../../lib/constant-words.ts';
import { isObject, textField } from '../../../lib/records.ts';
import { CREATED, column, ID, JOB_STATUS, UPDATED } from '../columns.ts';
import { known, NAME_KNOWN } from '../known.ts';
import type { Resource } from '../types.ts';

/** A field about the subject of the task: `info.resource_name`. */
function about(row: Record<string, unknown>, field: string): string {
  return isObject(row['info']) ? textField(row['info'], field) : '';
}

export const jobs: Resource = {
  id: 'jobs',
  title: 'Service tasks',
  noun: 'task',
  nouns: 'tasks',
  icon: ServerCog,
  list: {
    operation: 'jobs.list',
    emptyText: 'No tasks. Long work of the service, such as a deletion, is listed here.',
  },
  get: { operation: 'jobs.get', param: 'job_id' },
  columns: [
    column('name', 'Name', 'text', 220, { startsPinned: true }),
    JOB_STATUS,
    {
      ...column('resource_name', 'Of', 'text', 200, { get: (row) => about(row, 'resource_name') }),
      sortField: 'info.resource_name',
    },
    {
      ...column('resource_type', 'Kind', 'chip', 120, {
        get: (row) => about(row, 'resource_type'),
        write: constantText,
        words: 'constants',
      }),
      sortField: 'info.resource_type',
    },
    column('error_message', 'Error', 'text', 240),
    { ...CREATED, startsHidden: false },
    column('completed_at', 'Ended', 'time', 172),
    UPDATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      status: 'Status',
      progress: 'Progress (%)',
      info: 'Subject',
      error_message: { label: 'Error', kind: 'text' },
      error_reason: { label: 'Error reason', kind: 'text' },
      extras: 'Extras',
      created_at: 'Created',
      started_at: 'Began',
      completed_at: 'Ended',
      updated_at: 'Updated',
      id: 'Id',
    }),
  ],
  filterFields: [
    { name: 'name', type: 'text' },
    {
      name: 'status',
      type: 'text',
      values: ['PENDING', 'STARTED', 'RETRY', 'SUCCESS', 'FAILURE', 'REVOKED'].map((value) => ({ value })),
    },
  ],
  parts: [],
};

export const serverInfo: Resource = {
  id: 'server-info',
  title: 'Server information',
  noun: 'server',
  nouns: 'servers',
  icon: Server,
  list: null,
  get: { operation: 'server-info.get', param: null },
  columns: [],
  known: [
    ...known({
      server_version: { label: 'Version', kind: 'text' },
      organization: 'Organization',
      feature_flags: 'Feature flags',
    }),
  ],
  filterFields: [],
  parts: [],
};
