/** Evaluation datasets and evaluators (SERVICE.md S4.9, F3). */
import Database from '@lucide/svelte/icons/database';
import Scale from '@lucide/svelte/icons/scale';
import { type FormField, type FormValues, textOf } from '../../../lib/form/fields.ts';
import { formatCount } from '../../../lib/format.ts';
import { isObject, textField } from '../../../lib/records.ts';
import { app } from '../../../state/app.svelte.ts';
import { toast } from '../../../state/toast.ts';
import { openDataset } from '../../parts/dataset-routes.ts';
import { CREATED, column, ID, kindColumn, NAME, referenceColumn, UPDATED, yesNoColumn } from '../columns.ts';
import { known, NAME_KNOWN, STAMPS_KNOWN } from '../known.ts';
import type { Resource } from '../types.ts';

const CHANGEABLE: readonly FormField[] = [
  { name: 'description', label: 'Description', kind: 'long', rows: 3 },
  {
    name: 'metadata',
    label: 'Metadata',
    kind: 'json',
    mustBe: 'object',
    hint: 'A JSON object.',
    placeholder: '{"owner": "evaluation"}',
  },
  {
    name: 'active',
    label: 'Active',
    kind: 'flag',
    start: true,
    hint: 'An inactive dataset is not deleted.',
  },
];

export const datasets: Resource = {
  id: 'datasets',
  title: 'Datasets',
  noun: 'dataset',
  nouns: 'datasets',
  icon: Database,
  list: { operation: 'datasets.list', emptyText: 'No datasets yet.' },
  get: { operation: 'datasets.get', param: 'dataset_id' },
  columns: [
    NAME,
    column('description', 'Description', 'text', 300),
    referenceColumn('application', 'Application'),
    yesNoColumn('active', 'Active', 80),
    UPDATED,
    CREATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      description: { label: 'Description', kind: 'text' },
      application: 'Application',
      project: 'Project',
      active: 'Active',
      metadata: 'Metadata',
    }),
    ...STAMPS_KNOWN,
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
    note: 'Name and application cannot be changed.',
  },
  remove: {
    operation: 'datasets.delete',
    param: 'dataset_id',
    goes: [],
    dependents: [
      {
        id: 'items',
        operation: 'datasets.schema',
        path: (record) => ({ dataset_id: textField(record, 'id') }),
        count: ({ total_items: total }) => (typeof total === 'number' ? total : null),
        say: (count) => `all of its ${formatCount(count, 'item')}`,
        unknown: 'all of its items',
      },
    ],
    allowsBulk: true,
  },
  parts: [],
  home: () => app.tabs.open('datasets', 'Datasets'),
  open: (id, name) => openDataset({ id, name }),
};

const SEVERAL = 'several';
const asOne = (values: FormValues) => textOf(values, 'how') !== SEVERAL;
const bucket = (name: string, label: string, hint: string, placeholder: string): FormField => ({
  name,
  label,
  kind: 'json',
  mustBe: 'object',
  isShown: asOne,
  placeholder,
  hint,
});

/** An item with an id of its own can be sent again without creating a duplicate. */
function itemsOf(body: Record<string, unknown>): Record<string, unknown>[] {
  const { how, items, dataset_id: _, ...one } = body;
  const all = how === SEVERAL && Array.isArray(items) ? items.filter(isObject) : [one];
  return all.map((item) => ({ id: crypto.randomUUID(), ...item }));
}

/** Items are rows of their dataset. They have only this form and no view of their own. */
export const datasetItems: Resource = {
  id: 'dataset-items',
  title: 'Datasets',
  noun: 'items',
  nouns: 'items',
  icon: Database,
  section: 'datasets',
  list: null,
  get: null,
  columns: [],
  known: [],
  filterFields: [],
  create: {
    operation: 'datasets.add-items',
    fields: [
      {
        name: 'dataset_id',
        label: 'Dataset',
        kind: 'reference',
        operation: 'datasets.list',
        noun: 'dataset',
        isRequired: true,
      },
      {
        name: 'how',
        label: 'Items',
        kind: 'select',
        isRequired: true,
        start: 'one',
        options: [
          { value: 'one', title: 'One item' },
          { value: SEVERAL, title: 'Several, as JSON' },
        ],
      },
      {
        ...bucket(
          'inputs',
          'Inputs',
          'The input to the application, e.g. a question.',
          '{"question": "How do I reset my password?"}',
        ),
        isRequired: asOne,
      },
      bucket(
        'expected_outputs',
        'Expected outputs',
        'A good answer to this input.',
        '{"answer": "Open Settings, then Security."}',
      ),
      bucket(
        'metadata',
        'Metadata',
        'Facts about the item, e.g. its reviewer.',
        '{"reviewer": "Ana", "difficulty": "easy"}',
      ),
      bucket('extras', 'Extras', 'Anything else, e.g. the context.', '{"locale": "en-GB"}'),
      { name: 'source_name', label: 'Source', kind: 'text', isShown: asOne },
      { name: 'source_id', label: 'Source id', kind: 'text', isShown: asOne },
      {
        name: 'items',
        label: 'Items as JSON',
        kind: 'json',
        mustBe: 'array',
        isShown: (values) => !asOne(values),
        isRequired: (values) => !asOne(values),
        hint: 'A list of objects with inputs and, optionally, expected_outputs, metadata and extras. If one item is invalid, the service refuses all.',
        placeholder: '[{"inputs": {"question": "…"}, "expected_outputs": {"answer": "…"}}]',
      },
    ],
    requestOf: (body) => ({
      operation: 'datasets.add-items',
      path: { dataset_id: String(body['dataset_id']) },
      body: { items: itemsOf(body) },
    }),
    leave: (request) => {
      const id = request.path?.['dataset_id'] ?? '';
      openDataset({ id, name: 'Dataset' });
      const items = request.body?.['items'];
      toast(
        `${formatCount(Array.isArray(items) ? items.length : 1, 'item')} added at the end of the dataset`,
      );
    },
    back: ({ dataset_id: id = '' }) => {
      if (id !== '') openDataset({ id, name: 'Dataset' });
    },
  },
  parts: [],
  home: () => app.tabs.open('datasets', 'Datasets'),
};

export const evaluators: Resource = {
  id: 'evaluators',
  title: 'Evaluators',
  noun: 'evaluator',
  nouns: 'evaluators',
  icon: Scale,
  list: {
    operation: 'evaluators.list',
    emptyText: 'No evaluators. An evaluator scores dataset items.',
  },
  get: null,
  columns: [
    NAME,
    column('title', 'Title', 'text', 180),
    kindColumn('type', 'Type', 90),
    kindColumn('status', 'Status', 90, { ACTIVE: 'ok' }),
    column('version', 'Version', 'number', 80),
    column('description', 'Description', 'text', 300),
    UPDATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      title: { label: 'Title', kind: 'text' },
      description: { label: 'Description', kind: 'text' },
      type: 'Type',
      status: 'Status',
      version: 'Version',
      inputs: 'Inputs',
      outputs: 'Outputs',
    }),
    ...STAMPS_KNOWN,
  ],
  filterFields: [{ name: 'name', type: 'text' }],
  parts: [],
};
