/** Models and their environments (SERVICE.md S4.8, F7.2 and F7.5). */
import Box from '@lucide/svelte/icons/box';
import Layers from '@lucide/svelte/icons/layers';
import { listText } from '../../../lib/constant-words.ts';
import { isObject, recordTitle, textField } from '../../../lib/records.ts';
import { app } from '../../../state/app.svelte.ts';
import { newRuleFor } from '../../parts/monitoring-routes.ts';
import { chooseFilesFor } from '../../parts/upload-routes.ts';
import { CREATED, column, ID, kindColumn, NAME, referenceColumn, UPDATED, yesNoColumn } from '../columns.ts';
import { known, NAME_KNOWN, STAMPS_KNOWN } from '../known.ts';
import type { Resource, TablePart } from '../types.ts';
import { rulesOf } from './watching.ts';

type Row = Record<string, unknown>;

const modelPath = (record: Row) => ({ model_id: textField(record, 'id') });
const list = (value: unknown): Row[] => (Array.isArray(value) ? value.filter(isObject) : []);

const SCHEMA: TablePart = {
  kind: 'table',
  id: 'schema',
  title: 'Schema',
  noun: 'column',
  rows: (record) => (isObject(record['schema']) ? list(record['schema']['columns']) : []),
  columns: [
    column('name', 'Name', 'text', 220, { startsPinned: true, isMono: true }),
    kindColumn('data_type', 'Data type', 110),
    column('min', 'Min', 'number', 100),
    column('max', 'Max', 'number', 100),
    column('categories', 'Categories', 'json', 320, { write: listText }),
    column('n_dimensions', 'Dimensions', 'number', 110),
  ],
  emptyText: 'The service sent no columns for this model.',
};

const METRICS: TablePart = {
  kind: 'table',
  id: 'metrics',
  title: 'Metrics',
  noun: 'metric',
  source: { operation: 'models.metrics', path: modelPath },
  rows: (record) => list(record['metrics']),
  columns: [
    column('name', 'Name', 'text', 220, { startsPinned: true }),
    column('id', 'Id', 'text', 200, { isMono: true }),
    kindColumn('type', 'Type', 130),
    column('columns', 'Columns', 'json', 220, { write: listText }),
    yesNoColumn('requires_baseline', 'Needs a baseline', 130),
    yesNoColumn('requires_categories', 'Needs categories', 130),
  ],
  emptyText: 'The service lists no metrics for this model.',
};

export const models: Resource = {
  id: 'models',
  title: 'Models',
  noun: 'model',
  nouns: 'models',
  icon: Box,
  list: {
    operation: 'models.list',
    emptyText: 'No models. The service creates models; events belong to them.',
  },
  get: { operation: 'models.get', param: 'model_id' },
  columns: [
    NAME,
    column('version', 'Version', 'text', 80),
    referenceColumn('project', 'Project', 140),
    kindColumn('task', 'Task', 170),
    column('description', 'Description', 'text', 260),
    kindColumn('input_type', 'Input', 110),
    UPDATED,
    CREATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      version: { label: 'Version', kind: 'text' },
      project: 'Project',
      description: { label: 'Description', kind: 'text' },
      task: 'Task',
      task_params: 'Parameters of the task',
      input_type: 'Input',
      event_id_col: 'Column of event ids',
      event_ts_col: 'Column of event times',
      event_ts_format: 'Format of event times',
      artifact_status: 'Artifact',
      spec: 'Roles of the columns',
      schema: { label: 'Schema', kind: 'elsewhere' },
    }),
    ...STAMPS_KNOWN,
  ],
  filterFields: [
    { name: 'name', type: 'text' },
    { name: 'project_id', type: 'text' },
    { name: 'task', type: 'text' },
  ],
  links: [
    { title: 'New alert rule', open: (record) => newRuleFor(textField(record, 'id')) },
    {
      title: 'Upload events…',
      open: (record) =>
        void app.run(() => chooseFilesFor({ id: textField(record, 'id'), name: recordTitle(record) })),
    },
  ],
  parts: [
    SCHEMA,
    {
      kind: 'list',
      id: 'environments',
      title: 'Environments',
      resource: 'environments',
      operation: 'models.environments',
      path: modelPath,
    },
    {
      kind: 'list',
      id: 'baselines',
      title: 'Baselines',
      resource: 'baselines',
      operation: 'models.baselines',
      path: modelPath,
      start: modelPath,
    },
    {
      kind: 'list',
      id: 'custom-metrics',
      title: 'Custom metrics',
      resource: 'custom-metrics',
      operation: 'models.custom-metrics',
      path: modelPath,
      start: modelPath,
    },
    METRICS,
    rulesOf('model_id'),
  ],
};

export const environments: Resource = {
  id: 'environments',
  title: 'Environments',
  noun: 'environment',
  nouns: 'environments',
  icon: Layers,
  list: {
    operation: 'environments.list',
    emptyText: 'No environments. Events are published to an environment.',
    typeChoices: ['PRODUCTION', 'PRE_PRODUCTION'],
  },
  get: { operation: 'environments.get', param: 'env_id' },
  columns: [
    NAME,
    kindColumn('type', 'Type', 150, { PRODUCTION: 'info' }),
    column('row_count', 'Rows', 'number', 110),
    referenceColumn('model', 'Model'),
    referenceColumn('project', 'Project'),
    UPDATED,
    CREATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({ type: 'Type', row_count: 'Rows', model: 'Model', project: 'Project' }),
    ...STAMPS_KNOWN,
  ],
  filterFields: [
    { name: 'name', type: 'text' },
    { name: 'model_id', type: 'text' },
    { name: 'row_count', type: 'number' },
  ],
  parts: [
    {
      kind: 'list',
      id: 'baselines',
      title: 'Baselines',
      resource: 'baselines',
      operation: 'baselines.list',
      scope: (record) => [{ field: 'environment_id', value: textField(record, 'id') }],
      start: (record) => ({
        model_id: isObject(record['model']) ? textField(record['model'], 'id') : '',
        env_type: textField(record, 'type'),
        env_id: textField(record, 'type') === 'PRE_PRODUCTION' ? textField(record, 'id') : '',
      }),
    },
  ],
};
