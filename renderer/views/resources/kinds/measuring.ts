/** Baselines, custom metrics and segments (SERVICE.md S4.4 and S4.7, F7.1, F7.3 and F11). */
import Filter from '@lucide/svelte/icons/funnel';
import Ruler from '@lucide/svelte/icons/ruler';
import Sigma from '@lucide/svelte/icons/sigma';
import { type FormField, type FormValues, textOf } from '../../../lib/form/fields.ts';
import { formatCount } from '../../../lib/format.ts';
import { textField } from '../../../lib/records.ts';
import { CREATED, column, dayAndMinute, ID, kindColumn, NAME, referenceColumn, UPDATED } from '../columns.ts';
import { known, NAME_KNOWN, STAMPS_KNOWN } from '../known.ts';
import MetricAssist from '../MetricAssist.svelte';
import type { Dependents, Resource } from '../types.ts';
import { rulesOf } from './watching.ts';

const is = (name: string, value: string) => (values: FormValues) => textOf(values, name) === value;

/** Alert rules that refer to the record. The service can refuse to delete a record that a rule uses. */
function watchedBy(field: 'baseline_id' | 'metric_id'): Dependents {
  return {
    id: 'alert-rules',
    operation: 'alert-rules.list',
    scope: (record) => [{ field, value: textField(record, 'id') }],
    say: (count) =>
      `the ${field === 'baseline_id' ? 'baseline' : 'metric'} of ${formatCount(count, 'alert rule')}; the service may refuse while it is in use`,
  };
}

const MODEL: FormField = {
  name: 'model_id',
  label: 'Model',
  kind: 'reference',
  operation: 'models.list',
  noun: 'model',
  isRequired: true,
};

const BASELINE_FIELDS: readonly FormField[] = [
  {
    name: 'name',
    label: 'Name',
    kind: 'text',
    isRequired: true,
    hint: 'Each name can be used once per model.',
  },
  MODEL,
  {
    name: 'type',
    label: 'Type',
    kind: 'select',
    isRequired: true,
    start: 'STATIC',
    hint: 'Static: fixed data. Rolling: a window that moves with time.',
    options: [
      { value: 'STATIC', title: 'Static' },
      { value: 'ROLLING', title: 'Rolling' },
    ],
  },
  {
    name: 'env_type',
    label: 'Environment type',
    kind: 'select',
    isRequired: true,
    start: 'PRODUCTION',
    options: [
      { value: 'PRODUCTION', title: 'Production' },
      { value: 'PRE_PRODUCTION', title: 'Pre-production' },
    ],
  },
  {
    name: 'env_id',
    label: 'Environment',
    kind: 'reference',
    operation: 'models.environments',
    noun: 'environment',
    path: (values) => {
      const modelId = textOf(values, 'model_id');
      return modelId === '' ? null : { model_id: modelId };
    },
    query: () => ({ type: 'PRE_PRODUCTION' }),
    needs: 'Choose the model first.',
    isRequired: true,
    isShown: is('env_type', 'PRE_PRODUCTION'),
  },
  {
    name: 'start_time',
    label: 'From',
    kind: 'time',
    sentAs: 'ms',
    isRequired: is('env_type', 'PRODUCTION'),
    isShown: is('type', 'STATIC'),
  },
  {
    name: 'end_time',
    label: 'To',
    kind: 'time',
    sentAs: 'ms',
    isRequired: is('env_type', 'PRODUCTION'),
    isShown: is('type', 'STATIC'),
    check: (values) => {
      const [from, to] = [textOf(values, 'start_time'), textOf(values, 'end_time')];
      return from !== '' && to !== '' && to <= from ? 'Expected a time later than the start.' : null;
    },
  },
  {
    name: 'window_bin_size',
    label: 'Window',
    kind: 'select',
    isRequired: true,
    options: ['Hour', 'Day', 'Week', 'Month'].map((value) => ({ value })),
    isShown: is('type', 'ROLLING'),
  },
  {
    name: 'offset_delta',
    label: 'Windows back',
    kind: 'number',
    isWhole: true,
    min: 1,
    isRequired: true,
    hint: 'How many windows back from now.',
    isShown: is('type', 'ROLLING'),
  },
];

export const baselines: Resource = {
  id: 'baselines',
  title: 'Baselines',
  noun: 'baseline',
  nouns: 'baselines',
  icon: Ruler,
  list: {
    operation: 'baselines.list',
    emptyText: 'No baselines. Drift is measured against a baseline.',
  },
  get: { operation: 'baselines.get', param: 'baseline_id' },
  columns: [
    NAME,
    kindColumn('type', 'Type', 100, { ROLLING: 'info' }),
    referenceColumn('model', 'Model', 150),
    referenceColumn('environment', 'Environment', 130),
    column('row_count', 'Rows', 'number', 80),
    column('start_time', 'From', 'time', 142, { write: dayAndMinute }),
    column('end_time', 'To', 'time', 142, { write: dayAndMinute }),
    column('window_bin_size', 'Window', 'text', 90),
    column('offset_delta', 'Windows back', 'number', 120, { startsHidden: true }),
    { ...referenceColumn('project', 'Project'), startsHidden: true },
    CREATED,
    { ...UPDATED, startsHidden: true },
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      type: 'Type',
      model: 'Model',
      environment: 'Environment',
      row_count: 'Rows',
      start_time: { label: 'From', kind: 'time' },
      end_time: { label: 'To', kind: 'time' },
      window_bin_size: 'Window',
      offset_delta: 'Windows back',
      project: 'Project',
    }),
    ...STAMPS_KNOWN,
  ],
  filterFields: [
    { name: 'name', type: 'text' },
    { name: 'model_id', type: 'text' },
    { name: 'type', type: 'text', values: [{ value: 'STATIC' }, { value: 'ROLLING' }] },
  ],
  create: {
    operation: 'baselines.create',
    fields: BASELINE_FIELDS,
    allowsCopy: true,
    note: 'A baseline cannot be changed later. To change one, duplicate it.',
  },
  remove: {
    operation: 'baselines.delete',
    param: 'baseline_id',
    goes: [],
    dependents: [watchedBy('baseline_id')],
    notes: ['The data behind a baseline stays.'],
    allowsBulk: true,
  },
  parts: [rulesOf('baseline_id')],
};

export const customMetrics: Resource = {
  id: 'custom-metrics',
  title: 'Custom metrics',
  noun: 'custom metric',
  nouns: 'custom metrics',
  icon: Sigma,
  list: {
    operation: 'custom-metrics.list',
    emptyText: 'No custom metrics. A custom metric is defined by an expression.',
  },
  get: { operation: 'custom-metrics.get', param: 'uuid' },
  columns: [
    NAME,
    column('definition', 'Definition', 'text', 320, { isMono: true }),
    referenceColumn('model', 'Model'),
    column('description', 'Description', 'text', 240),
    referenceColumn('project', 'Project'),
    CREATED,
    UPDATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      definition: { label: 'Definition', kind: 'code' },
      description: { label: 'Description', kind: 'text' },
      model: 'Model',
      project: 'Project',
    }),
    ...STAMPS_KNOWN,
  ],
  filterFields: [
    { name: 'name', type: 'text' },
    { name: 'model_id', type: 'text' },
  ],
  create: {
    operation: 'custom-metrics.create',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isRequired: true },
      MODEL,
      { name: 'description', label: 'Description', kind: 'long', rows: 2 },
      {
        name: 'definition',
        label: 'Definition',
        kind: 'long',
        rows: 6,
        isMono: true,
        isRequired: true,
        placeholder: 'average(if("amount" > 100, 1, 0))',
        hint: 'An aggregate. Write columns as they are or in double quotes, text in single quotes.',
      },
    ],
    assist: MetricAssist,
    allowsCopy: true,
    note: 'A custom metric cannot be changed later. To change one, duplicate it.',
  },
  remove: {
    operation: 'custom-metrics.delete',
    param: 'uuid',
    goes: [],
    dependents: [watchedBy('metric_id')],
    notes: ['Charts that show a deleted metric lose it.'],
    allowsBulk: true,
  },
  parts: [rulesOf('metric_id')],
};

export const segments: Resource = {
  id: 'segments',
  title: 'Segments',
  noun: 'segment',
  nouns: 'segments',
  isOptional: true,
  icon: Filter,
  list: {
    operation: 'segments.list',
    emptyText: 'No segments. A segment is a part of the rows of a model, defined by an expression.',
  },
  get: { operation: 'segments.get', param: 'segment_id' },
  columns: customMetrics.columns,
  known: customMetrics.known,
  filterFields: customMetrics.filterFields,
  create: {
    operation: 'segments.create',
    fields: [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        isRequired: true,
        hint: 'Each name can be used once per model.',
      },
      MODEL,
      { name: 'description', label: 'Description', kind: 'long', rows: 2 },
      {
        name: 'definition',
        label: 'Definition',
        kind: 'long',
        rows: 4,
        isMono: true,
        isRequired: true,
        placeholder: '"amount" > 100 and "channel" == \'online\'',
        hint: 'True or false for each row, without an aggregate. Write columns as they are or in double quotes, text in single quotes.',
      },
    ],
    allowsCopy: true,
    note: 'A segment cannot be changed later. To change one, duplicate it.',
  },
  remove: {
    operation: 'segments.delete',
    param: 'segment_id',
    goes: [],
    notes: ['The service refuses to delete a segment that an alert rule uses.'],
    allowsBulk: true,
  },
  parts: [],
};
