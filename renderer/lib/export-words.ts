/** Texts of the export choices, and the plan that follows from them. Pure. */
import { cutText } from '../../electron/shared/cut-text.ts';
import {
  type ConversationPlan,
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportPlan,
  type ListExportPlan,
  type TableExportPlan,
} from '../../electron/shared/export-model.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { formatCount, formatNumber } from './format.ts';

/** A list, sorted and filtered as its grid shows it. */
interface ListSubject extends Pick<ListExportPlan, 'query' | 'narrow' | 'filters' | 'sort'> {
  /** Name in the view, e.g. `Spans of Support assistant`. */
  name: string;
  /** Noun for one row. */
  noun: string;
  nouns: string;
  freshness: Freshness;
  /** Number of rows that the grid shows after filtering. */
  shownRows: number;
  ranges: NonNullable<ListExportPlan['ranges']>;
  selectedRows: number;
  /** Ticked rows of this list and others; null if none is ticked. */
  ticked: { count: number; table: TableExportPlan['table'] } | null;
  /** Fields of the visible columns. */
  fields: readonly string[];
}

/** A table that is not a list of the service; it is always written whole. */
export interface TableSubject extends Pick<TableExportPlan, 'table'> {
  name: string;
  /** A sentence that says which rows the file will contain. */
  rowsText: string;
}

export type ExportSubject = ListSubject | TableSubject;

const FORMAT_TITLES: Readonly<Record<ExportFormat, string>> = {
  csv: 'CSV',
  jsonl: 'JSON Lines',
  parquet: 'Parquet',
  arrow: 'Arrow',
};
export const FORMAT_CHOICES = EXPORT_FORMATS.map((value) => ({ value, title: FORMAT_TITLES[value] }));

export const FORMAT_HINTS: Readonly<Record<ExportFormat, string>> = {
  csv: 'For spreadsheets. Texts that look like formulas begin with an apostrophe.',
  jsonl: 'One record per line, nested as the service sent it.',
  parquet: 'Typed and small. For pandas, Polars, DuckDB, Spark, Trino.',
  arrow: 'Typed, not compressed: the Arrow IPC file format, also called Feather 2.',
};

/** The content of one line when items of a dataset are exported. */
export type LineChoice = 'records' | ConversationPlan['as'];
export const LINE_CHOICES: readonly { value: LineChoice; title: string }[] = [
  { value: 'records', title: 'Items' },
  { value: 'chat', title: 'Chat' },
  { value: 'evals', title: 'Evals' },
];
export const LINE_HINTS: Readonly<Record<LineChoice, string>> = {
  records: 'One item per line, nested as the service sent it.',
  chat: 'For fine-tuning: one {"messages": […]} per line, ending with the expected answer.',
  evals: 'For evals: one {"input": […], "ideal": …, "metadata": …} per line.',
};

/** Whether the rows can be written as conversations. */
export const hasConversations = ({ query }: Pick<ListSubject, 'query'>): boolean =>
  query.operation === 'datasets.items';

/** Fields of a bucket to choose from. By default the field is searched by its name in each item. */
export function fieldChoices(
  { fields }: Pick<ListSubject, 'fields'>,
  bucket: string,
): { value: string; title: string }[] {
  const own = fields.filter((field) => field.startsWith(`${bucket}.`));
  return [
    { value: '', title: 'Found by its name' },
    ...own.map((field) => ({ value: field, title: field.slice(bucket.length + 1) })),
  ];
}

export type RowChoice = 'all' | 'stored' | 'shown' | 'selected' | 'ticked';

export function rowChoices(subject: ListSubject): { value: RowChoice; title: string; hint: string }[] {
  const { freshness, noun, nouns, shownRows, selectedRows } = subject;
  const { storedRows, totalRows, isComplete } = freshness;
  const rows = (count: number) => formatCount(count, noun, nouns);
  const missing = totalRows === null ? null : Math.max(0, totalRows - storedRows);
  const isFiltered = subject.narrow !== null || subject.filters.length > 0;
  return [
    ...(subject.ticked !== null && subject.ticked.count > 0
      ? [
          {
            value: 'ticked' as const,
            title: `${rows(subject.ticked.count)} selected`,
            hint: 'In the order of selection, also those of other lists. Nothing is requested from the service.',
          },
        ]
      : []),
    ...(selectedRows > 1
      ? [
          {
            value: 'selected' as const,
            // If other rows are ticked, those are the selection, and these rows are only highlighted in the grid.
            title: `${rows(selectedRows)} ${subject.ticked === null ? 'selected' : 'highlighted'}`,
            hint: 'In the order shown.',
          },
        ]
      : []),
    ...(isFiltered
      ? [
          {
            value: 'shown' as const,
            title: `${rows(shownRows)} that pass the filters`,
            hint: 'In the order shown.',
          },
        ]
      : []),
    isComplete
      ? {
          value: 'all' as const,
          title: `All ${rows(storedRows)}`,
          hint: 'All are stored: nothing is requested from the service.',
        }
      : {
          value: 'all' as const,
          title: missing === null ? `All ${nouns}` : `All ${rows(totalRows ?? 0)}`,
          hint:
            missing === null
              ? 'What is not stored yet is read first.'
              : `${formatNumber(missing)} are not stored yet and are read first.`,
        },
    ...(isComplete
      ? []
      : [
          {
            value: 'stored' as const,
            title: `${rows(storedRows)} stored`,
            hint: 'Nothing is requested from the service.',
          },
        ]),
  ];
}

const orNull = (text: string): string | null => (text === '' ? null : text);

interface ExportChoices {
  format: ExportFormat;
  rows: RowChoice;
  columns: 'all' | 'shown';
  isExact: boolean;
  /** Field that the files are split by; empty for a single file. */
  partitionBy: string;
  lines: LineChoice;
  /** Fields of conversations; empty if they are searched by name. */
  prompt: string;
  answer: string;
}

function formOf({ format, isExact, partitionBy }: ExportChoices) {
  return {
    format,
    isExact: format === 'csv' && isExact,
    partitionBy: format === 'parquet' && partitionBy !== '' ? partitionBy : null,
  };
}

function tablePlan(
  name: string,
  table: TableExportPlan['table'],
  columns: TableExportPlan['columns'],
  choices: ExportChoices,
): TableExportPlan {
  return { name: cutText(name, 200), table, columns, ...formOf(choices) };
}

export function exportPlanOf(subject: ExportSubject, choices: ExportChoices): ExportPlan {
  if ('table' in subject) return tablePlan(subject.name, subject.table, null, choices);
  if (choices.rows === 'ticked' && subject.ticked !== null) {
    const { fields, ticked } = subject;
    const picked = `Selected ${subject.nouns}`;
    return tablePlan(picked, ticked.table, choices.columns === 'shown' ? [...fields] : null, choices);
  }
  const { name, query, narrow, filters, sort, ranges, freshness, fields } = subject;
  const { rows, columns, lines, prompt, answer } = choices;
  const isConversation = choices.format === 'jsonl' && lines !== 'records' && hasConversations(subject);
  const isOfGrid = rows === 'selected' || rows === 'shown';
  const { storedRows, newestMs } = freshness;
  return {
    name: cutText(name, 200),
    query,
    reads: rows === 'all' ? 'whole' : 'stored',
    narrow: isOfGrid ? narrow : null,
    filters: isOfGrid ? [...filters] : [],
    sort,
    ranges: rows === 'selected' ? [...ranges] : null,
    seen: rows === 'selected' ? { storedRows, newestMs } : null,
    columns: columns === 'shown' && !isConversation ? [...fields] : null,
    ...formOf(choices),
    ...(isConversation
      ? { conversation: { as: lines, prompt: orNull(prompt), answer: orNull(answer) } }
      : {}),
  };
}
