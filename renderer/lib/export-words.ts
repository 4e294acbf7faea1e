/** The choices of an export as a person reads them, and the plan that follows from them. Pure. */
import { EXPORT_FORMATS, type ExportFormat, type ExportPlan } from '../../electron/shared/export-model.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { formatCount, formatNumber } from './format.ts';

/** A list as its grid shows it. */
export interface ExportSubject extends Pick<ExportPlan, 'query' | 'narrow' | 'filters' | 'sort'> {
  /** As the view calls it, e.g. `Spans of Support assistant`. */
  name: string;
  /** What one row is. */
  noun: string;
  nouns: string;
  freshness: Freshness;
  /** Rows that the grid shows after narrowing and filters. */
  shownRows: number;
  ranges: NonNullable<ExportPlan['ranges']>;
  selectedRows: number;
  /** Fields of the columns that are shown. */
  fields: readonly string[];
}

const FORMAT_TITLES: Readonly<Record<ExportFormat, string>> = {
  csv: 'CSV',
  jsonl: 'JSON Lines',
  parquet: 'Parquet',
  arrow: 'Arrow',
};
export const FORMAT_CHOICES = EXPORT_FORMATS.map((value) => ({ value, title: FORMAT_TITLES[value] }));

export const FORMAT_HINTS: Readonly<Record<ExportFormat, string>> = {
  csv: 'For spreadsheets. Texts that look like formulas begin with an apostrophe.',
  jsonl: 'A record a line, nested as the service sent it.',
  parquet: 'Typed and small. For pandas, Polars, DuckDB, Spark, Trino.',
  arrow: 'Typed, not compressed: the Arrow IPC file format, also called Feather 2.',
};

export type RowChoice = 'all' | 'stored' | 'shown' | 'selected';

export function rowChoices(subject: ExportSubject): { value: RowChoice; title: string; hint: string }[] {
  const { freshness, noun, nouns, shownRows, selectedRows } = subject;
  const { storedRows, totalRows, isComplete } = freshness;
  const rows = (count: number) => formatCount(count, noun, nouns);
  const missing = totalRows === null ? null : Math.max(0, totalRows - storedRows);
  const isNarrowed = subject.narrow !== null || subject.filters.length > 0;
  return [
    ...(selectedRows > 1
      ? [{ value: 'selected' as const, title: `${rows(selectedRows)} selected`, hint: 'In the order shown.' }]
      : []),
    ...(isNarrowed
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
          hint: 'All are stored: nothing is asked of the service.',
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
            hint: 'Nothing is asked of the service.',
          },
        ]),
  ];
}

interface ExportChoices {
  format: ExportFormat;
  rows: RowChoice;
  columns: 'all' | 'shown';
  isExact: boolean;
  /** Empty: one file. */
  partitionBy: string;
}

export function exportPlanOf(subject: ExportSubject, choices: ExportChoices): ExportPlan {
  const { name, query, narrow, filters, sort, ranges, freshness, fields } = subject;
  const { format, rows, columns, isExact, partitionBy } = choices;
  const isOfGrid = rows === 'selected' || rows === 'shown';
  const { storedRows, newestMs } = freshness;
  return {
    name: name.slice(0, 200),
    query,
    reads: rows === 'all' ? 'whole' : 'stored',
    narrow: isOfGrid ? narrow : null,
    filters: isOfGrid ? [...filters] : [],
    sort,
    ranges: rows === 'selected' ? [...ranges] : null,
    seen: rows === 'selected' ? { storedRows, newestMs } : null,
    columns: columns === 'shown' ? [...fields] : null,
    format,
    isExact: format === 'csv' && isExact,
    partitionBy: format === 'parquet' && partitionBy !== '' ? partitionBy : null,
  };
}
