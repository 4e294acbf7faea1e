/** Projects and GenAI applications (SERVICE.md S4.2, F7.4). */
import AppWindow from '@lucide/svelte/icons/app-window';
import Folder from '@lucide/svelte/icons/folder';
import { formatCount } from '../../../lib/format.ts';
import { isObject, recordTitle, textField } from '../../../lib/records.ts';
import { app } from '../../../state/app.svelte.ts';
import { CREATED, column, ID, kindColumn, NAME, referenceColumn, UPDATED } from '../columns.ts';
import { known, NAME_KNOWN, STAMPS_KNOWN } from '../known.ts';
import type { Resource } from '../types.ts';

export function openCatalog(record: Record<string, unknown>): void {
  const title = recordTitle(record);
  const tab = app.tabs.open('catalog', title);
  const params = { applicationId: textField(record, 'id'), applicationName: title };
  app.tabs.update(tab.id, { title, params });
}

function openAttributes(record: Record<string, unknown>): void {
  const tab = app.tabs.open('attributes', 'Attributes');
  app.tabs.update(tab.id, { params: { application_id: textField(record, 'id') } });
}

export function openSpansOf(record: Record<string, unknown>): void {
  const tab = app.tabs.open('spans', 'Spans');
  const params = { application_id: textField(record, 'id'), application_name: recordTitle(record) };
  app.tabs.update(tab.id, { params });
}

export const projects: Resource = {
  id: 'projects',
  title: 'Projects',
  noun: 'project',
  nouns: 'projects',
  icon: Folder,
  list: { operation: 'projects.list', emptyText: 'No projects. A project contains models and applications.' },
  get: null,
  columns: [
    NAME,
    kindColumn('asset_type', 'Holds', 170),
    referenceColumn('organization', 'Organization'),
    CREATED,
    UPDATED,
    ID,
  ],
  known: [NAME_KNOWN, ...known({ asset_type: 'Holds' }), ...STAMPS_KNOWN],
  filterFields: [{ name: 'name', type: 'text' }],
  create: {
    operation: 'projects.create',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      {
        name: 'asset_type',
        label: 'Holds',
        hint: 'What the project is for. If not set, the service decides.',
        kind: 'select',
        options: [
          { value: 'ML_MODEL', title: 'Models (ML_MODEL)' },
          { value: 'GEN_AI_APP', title: 'Applications (GEN_AI_APP)' },
        ],
      },
    ],
    note: 'A project cannot be changed or deleted later.',
  },
  first: (record) => (textField(record, 'asset_type') === 'GEN_AI_APP' ? 'applications' : 'models'),
  parts: [
    {
      kind: 'list',
      id: 'models',
      title: 'Models',
      resource: 'models',
      operation: 'models.list',
      scope: (record) => [{ field: 'project_id', value: textField(record, 'id') }],
    },
    {
      kind: 'list',
      id: 'applications',
      title: 'Applications',
      resource: 'applications',
      operation: 'applications.list',
      scope: (record) => [{ field: 'project_id', value: textField(record, 'id') }],
      start: (record) => ({ project_id: textField(record, 'id') }),
    },
  ],
};

export const applications: Resource = {
  id: 'applications',
  title: 'Applications',
  noun: 'application',
  nouns: 'applications',
  icon: AppWindow,
  list: {
    operation: 'applications.list',
    emptyText: 'No applications. An application sends spans to the service.',
  },
  get: { operation: 'applications.get', param: 'application_id' },
  columns: [
    NAME,
    referenceColumn('project', 'Project'),
    UPDATED,
    CREATED,
    { ...referenceColumn('organization', 'Organization'), startsHidden: true },
    ID,
  ],
  known: [NAME_KNOWN, ...known({ project: 'Project' }), ...STAMPS_KNOWN],
  filterFields: [
    { name: 'name', type: 'text' },
    { name: 'project_id', type: 'text' },
  ],
  create: {
    operation: 'applications.create',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      {
        name: 'project_id',
        label: 'Project',
        kind: 'reference',
        operation: 'projects.list',
        noun: 'project',
        isRequired: true,
      },
    ],
    note: 'The application sends its spans itself. Name and project cannot be changed later.',
  },
  remove: {
    operation: 'applications.delete',
    param: 'application_id',
    goes: ['all its data: spans with traces and sessions, datasets, entities and their values'],
    notes: ['The service deletes it in a job. You can follow the job here.'],
    dependents: [
      {
        id: 'datasets',
        operation: 'datasets.list',
        scope: (record) => [{ field: 'application_id', value: textField(record, 'id') }],
        say: (count) =>
          count === 1 ? '1 dataset with its items' : `${formatCount(count, 'dataset')} with their items`,
      },
    ],
    allowsBulk: false,
  },
  links: [
    { title: 'Spans', open: openSpansOf },
    { title: 'Catalog', open: openCatalog },
    { title: 'Attributes', open: openAttributes },
  ],
  parts: [
    {
      kind: 'list',
      id: 'datasets',
      title: 'Datasets',
      resource: 'datasets',
      operation: 'datasets.list',
      scope: (record) => [{ field: 'application_id', value: textField(record, 'id') }],
      start: (record) => ({ application_id: textField(record, 'id') }),
    },
    {
      kind: 'list',
      id: 'experiments',
      title: 'Experiments',
      resource: 'experiments',
      operation: 'experiments.list',
      scope: (record) => [{ field: 'application_id', value: textField(record, 'id') }],
      takes: ['filter'],
    },
    {
      kind: 'table',
      id: 'metrics',
      title: 'Metrics',
      noun: 'metric',
      source: {
        operation: 'applications.metrics',
        path: (record) => ({ application_id: textField(record, 'id') }),
        choice: {
          param: 'source',
          label: 'Metrics for',
          options: [
            { value: '', title: 'Charts' },
            { value: 'GENAI_ALERTS', title: 'Alerts' },
          ],
        },
      },
      rows: (record) => (Array.isArray(record['metrics']) ? record['metrics'].filter(isObject) : []),
      columns: [column('name', 'Name', 'text', 220, { startsPinned: true }), kindColumn('type', 'Type', 130)],
      emptyText: 'The service lists no metrics for this application.',
    },
  ],
};
