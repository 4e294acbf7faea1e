/** Experiments and their results (SERVICE.md F10). */
import CircleCheck from '@lucide/svelte/icons/circle-check';
import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import CircleSlash from '@lucide/svelte/icons/circle-slash';
import CircleX from '@lucide/svelte/icons/circle-x';
import FlaskConical from '@lucide/svelte/icons/flask-conical';
import LoaderCircle from '@lucide/svelte/icons/loader-circle';
import { doubleOf } from '../../../../electron/shared/exact-json.ts';
import { mainText } from '../../../../electron/shared/experiment-result.ts';
import { wordsFor } from '../../../../electron/shared/shown-words.ts';
import { constantText } from '../../../lib/constant-words.ts';
import type { FormField } from '../../../lib/form/fields.ts';
import { formatDuration, formatFigure } from '../../../lib/format.ts';
import type { ChipTone, Column } from '../../../lib/grid/columns.ts';
import { isObject, textField } from '../../../lib/records.ts';
import { CREATED, column, ID, NAME, referenceColumn, UPDATED } from '../columns.ts';
import { known, NAME_KNOWN, STAMPS_KNOWN } from '../known.ts';
import type { Resource } from '../types.ts';

type Row = Record<string, unknown>;

/** Colours for states of experiments and items. Other states have no colour. */
const TONES: Readonly<Record<string, ChipTone>> = {
  COMPLETED: 'ok',
  SUCCESS: 'ok',
  FAILED: 'bad',
  IN_PROGRESS: 'info',
  SKIPPED: 'warn',
};
const ICONS: Readonly<Record<string, typeof CircleCheck>> = {
  COMPLETED: CircleCheck,
  SUCCESS: CircleCheck,
  FAILED: CircleX,
  IN_PROGRESS: LoaderCircle,
  PENDING: CircleDashed,
  SKIPPED: CircleSlash,
  CANCELLED: CircleSlash,
};

export const toneOf = (status: string): ChipTone => TONES[status] ?? 'plain';

export const statusColumn = (get: Column['get'], sortField: string | null): Column => ({
  ...{ id: 'status', title: 'Status', kind: 'chip', width: 118, get, sortField },
  write: constantText,
  words: 'constants',
  tone: (value) => toneOf(String(value)),
  icon: (value) => ICONS[String(value)],
});

export const writeDuration = (value: unknown): string =>
  typeof value === 'number' ? formatDuration(value) : '';

const experimentPath = (record: Row) => ({ experiment_id: textField(record, 'id') });

/** `Answer Relevance 1 (high), Tone polite`. */
function flagsText({ flags }: Row): string {
  const list = Array.isArray(flags) ? flags.filter(isObject) : [];
  return list
    .map((flag) => {
      const { value, label } = flag;
      const note = typeof label === 'string' && label !== '' ? label : null;
      const number = doubleOf(value);
      const shown = number === null ? (note ?? '–') : formatFigure(number);
      const beside = number !== null && note !== null ? ` (${note})` : '';
      return `${textField(flag, 'evaluator_name')} ${shown}${beside}`;
    })
    .join(', ');
}

/** Fields of the forms. `hint`: the one for the metadata. */
const textsWith = (hint: string): readonly FormField[] => [
  { name: 'description', label: 'Description', kind: 'long', rows: 3 },
  {
    name: 'metadata',
    label: 'Metadata',
    kind: 'json',
    mustBe: 'object',
    hint,
    placeholder: '{"prompt": "v2"}',
  },
];

export const experiments: Resource = {
  id: 'experiments',
  title: 'Experiments',
  noun: 'experiment',
  nouns: 'experiments',
  isOptional: true,
  icon: FlaskConical,
  list: {
    operation: 'experiments.list',
    emptyText: 'No experiments yet. An experiment is one run of an application over a dataset.',
  },
  get: { operation: 'experiments.get', param: 'experiment_id' },
  columns: [
    NAME,
    referenceColumn('dataset', 'Dataset'),
    statusColumn((row) => row['status'], 'status'),
    column('duration_ms', 'Duration', 'number', 80, { write: writeDuration }),
    CREATED,
    column('description', 'Description', 'text', 260),
    referenceColumn('application', 'Application'),
    UPDATED,
    ID,
  ],
  known: [
    NAME_KNOWN,
    ...known({
      status: 'Status',
      description: { label: 'Description', kind: 'text' },
      dataset: 'Dataset',
      application: 'Application',
      project: 'Project',
      duration_ms: 'Duration',
      error_reason: 'Reason of the failure',
      error_message: { label: 'Error', kind: 'text' },
      traceback: { label: 'Traceback', kind: 'code' },
      metadata: 'Metadata',
    }),
    ...STAMPS_KNOWN,
  ],
  filterFields: [
    { name: 'name', type: 'text' },
    { name: 'dataset_id', type: 'text' },
    { name: 'application_id', type: 'text' },
  ],
  create: {
    operation: 'experiments.create',
    fields: [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        isRequired: true,
        hint: 'Unique in the application. It cannot be changed later.',
      },
      {
        name: 'application_id',
        label: 'Application',
        kind: 'reference',
        operation: 'applications.list',
        noun: 'application',
        isRequired: true,
      },
      {
        name: 'dataset_id',
        label: 'Dataset',
        kind: 'reference',
        operation: 'datasets.list',
        noun: 'dataset',
        isRequired: true,
      },
      ...textsWith('A JSON object.'),
    ],
    note: 'It has no results until some are uploaded.',
  },
  update: {
    operation: 'experiments.update',
    param: 'experiment_id',
    fields: textsWith('A JSON object; it replaces the present one. Leave empty to clear it.'),
    note: 'Name, application and dataset cannot be changed.',
  },
  remove: {
    operation: 'experiments.delete',
    param: 'experiment_id',
    goes: ['all of its results and metrics'],
    notes: ['The service cannot bring them back.'],
    allowsBulk: true,
  },
  parts: [
    {
      kind: 'list',
      id: 'results',
      title: 'Results',
      resource: 'experiment-results',
      operation: 'experiments.results',
      path: experimentPath,
      takes: [],
    },
    {
      kind: 'table',
      id: 'rows',
      title: 'Highest and lowest',
      noun: 'item',
      source: { operation: 'experiments.metric-rows', path: experimentPath },
      rows: (record) =>
        (['top', 'bottom'] as const).flatMap((side) => {
          const rows = record[side];
          return (Array.isArray(rows) ? rows.filter(isObject) : []).map((row) => ({ side, ...row }));
        }),
      columns: [
        column('side', 'Side', 'chip', 90, {
          write: (value) => wordsFor('ends', String(value)),
          words: 'ends',
          tone: (value) => (value === 'top' ? 'ok' : 'bad'),
          startsPinned: true,
        }),
        column('inputs', 'Input', 'text', 340, {
          get: ({ inputs }) => mainText(isObject(inputs) ? inputs : null),
          sortField: null,
          isPrivate: true,
        }),
        column('flags', 'Scores', 'text', 360, { get: flagsText, sortField: null }),
        column('dataset_item_id', 'Item of the dataset', 'id', 170),
        column('experiment_item_id', 'Item', 'id', 140),
      ],
      emptyText: 'The service names no items with high or low scores.',
    },
  ],
};

/** Results are rows of their experiment, and have no view of their own. */
export const experimentResults: Resource = {
  id: 'experiment-results',
  title: 'Results',
  noun: 'result',
  nouns: 'results',
  icon: FlaskConical,
  section: 'experiments',
  list: null,
  get: null,
  columns: [],
  known: [],
  filterFields: [],
  parts: [],
};
