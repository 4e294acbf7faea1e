/** Evaluation datasets and evaluators (INTERFACE 4.9, API_FACTS 3). */
import Database from '@lucide/svelte/icons/database';
import Scale from '@lucide/svelte/icons/scale';
import type { FormField } from '../../../lib/form/fields.ts';
import { app } from '../../../state/app.svelte.ts';
import { CREATED, column, ID, kindColumn, NAME, referenceColumn, UPDATED } from '../columns.ts';
import type { Resource } from '../types.ts';

const CHANGEABLE: readonly FormField[] = [
  { name: 'description', label: 'Description', kind: 'long', rows: 3 },
  {
    name: 'metadata',
    label: 'Metadata',
    kind: 'json',
    mustBe: 'object',
    hint: 'An object; emptied, it is cleared.',
    placeholder: '{"owner": "evaluation"}',
  },
  {
    name: 'active',
    label: 'Active',
    kind: 'flag',
    start: true,
    hint: 'In use; an inactive dataset is kept.',
  },
];

/** A dataset, in the tab that shows it already where there is one. */
function openDataset(id: string, name: string): void {
  const known = app.tabs.list.find(({ kind, params }) => kind === 'dataset' && params['datasetId'] === id);
  if (known === undefined) app.tabs.open('dataset', name, { datasetId: id, name });
  else app.tabs.activate(known.id);
}

export const datasets: Resource = {
  id: 'datasets',
  title: 'Datasets',
  noun: 'dataset',
  nouns: 'datasets',
  icon: Database,
  list: { operation: 'datasets.list', emptyText: 'Evaluation datasets would be here. There is none.' },
  get: { operation: 'datasets.get', param: 'dataset_id' },
  columns: [
    NAME,
    column('description', 'Description', 'text', 300),
    referenceColumn('application', 'Application'),
    column('active', 'Active', 'text', 80),
    UPDATED,
    CREATED,
    ID,
  ],
  known: [
    { name: 'name', label: 'Name', kind: 'text' },
    { name: 'description', label: 'Description', kind: 'text' },
    { name: 'application', label: 'Application' },
    { name: 'project', label: 'Project' },
    { name: 'active', label: 'Active' },
    { name: 'metadata', label: 'Metadata' },
    { name: 'organization', label: 'Organization' },
    { name: 'created_at', label: 'Created' },
    { name: 'created_by', label: 'Created by' },
    { name: 'updated_at', label: 'Updated' },
    { name: 'updated_by', label: 'Updated by' },
    { name: 'id', label: 'Id' },
  ],
  filterFields: [
    { name: 'application_id', type: 'text' },
    { name: 'name', type: 'text' },
  ],
  create: {
    operation: 'datasets.create',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true, hint: 'It cannot be changed later.' },
      {
        name: 'application_id',
        label: 'Application',
        kind: 'reference',
        operation: 'applications.list',
        noun: 'application',
        isRequired: true,
      },
      ...CHANGEABLE,
    ],
    allowsCopy: true,
  },
  update: {
    operation: 'datasets.update',
    param: 'dataset_id',
    fields: CHANGEABLE,
    note: 'Name and application stay as they are: the interface has no change of them.',
  },
  remove: {
    operation: 'datasets.delete',
    param: 'dataset_id',
    goes: ['all of its items'],
    allowsBulk: true,
  },
  parts: [],
  home: () => app.tabs.open('datasets', 'Datasets'),
  open: openDataset,
};

export const evaluators: Resource = {
  id: 'evaluators',
  title: 'Evaluators',
  noun: 'evaluator',
  nouns: 'evaluators',
  icon: Scale,
  list: {
    operation: 'evaluators.list',
    emptyText: 'Evaluators that inputs can be scored with would be here. There is none.',
  },
  get: null,
  columns: [
    NAME,
    kindColumn('type', 'Type', 100),
    kindColumn('status', 'Status', 110, { ACTIVE: 'ok' }),
    column('version', 'Version', 'number', 90),
    column('description', 'Description', 'text', 300),
    UPDATED,
    ID,
  ],
  known: [
    { name: 'name', label: 'Name', kind: 'text' },
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'description', label: 'Description', kind: 'text' },
    { name: 'type', label: 'Type' },
    { name: 'status', label: 'Status' },
    { name: 'version', label: 'Version' },
    { name: 'inputs', label: 'Inputs' },
    { name: 'outputs', label: 'Outputs' },
    { name: 'organization', label: 'Organization' },
    { name: 'created_at', label: 'Created' },
    { name: 'updated_at', label: 'Updated' },
    { name: 'id', label: 'Id' },
  ],
  filterFields: [{ name: 'name', type: 'text' }],
  parts: [],
};
