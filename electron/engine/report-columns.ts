/** Types and helpers for the sources of reports. */
import type { Clock, Random } from '../core/ports.ts';
import type { SourceColumn } from '../core/report/choose.ts';
import { AppError } from '../shared/errors.ts';
import type { ReportFact, ReportSubject } from '../shared/report-model.ts';
import type { Session } from './session.ts';

export type Of<K extends ReportSubject['kind']> = Extract<ReportSubject, { kind: K }>;

export interface ReportParts {
  session: Session;
  clock: Clock;
  random: Random;
  /** Folder whose files are deleted if they were not read for a long time. */
  copiesDir: string;
}

/** Maximum rows in a report, which is for people; more rows belong in an export. */
const MAX_ROWS = 200_000;

export const fact = (label: string, text: string): ReportFact => ({ label, text });
export const isoTime = (ms: number | null): string => (ms === null ? 'unknown' : new Date(ms).toISOString());

export type ColumnForm = Partial<Omit<SourceColumn, 'name' | 'title' | 'values'>>;

/** A column of records; it is shown as text, and included by default, unless `form` says otherwise. */
export function column<R>(
  name: string,
  title: string,
  records: readonly R[],
  read: (record: R) => unknown,
  form: ColumnForm = {},
): SourceColumn {
  return { name, title, type: 'text', isUsual: true, ...form, values: records.map(read) };
}

/** A column that is included by default only if it has a value. */
export const usualIfFilled = (own: SourceColumn): SourceColumn => ({
  ...own,
  isUsual: own.isUsual && own.values.some((value) => value !== null),
});

/** `paths`: for each value, the field that it comes from. */
export function pathForm(paths: readonly string[]): ColumnForm {
  const [path] = new Set(paths);
  return path !== undefined && paths.every((each) => each === path) ? { path } : { paths };
}

export const NUMBER = { type: 'number' } as const;
export const CHOSEN = { isUsual: false } as const;
export const CONTENT = { isUsual: false, isContent: true } as const;

export function checkRows(rows: number): void {
  if (rows <= MAX_ROWS) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `A report has at most ${MAX_ROWS} rows, and this one would have ${rows}. Export the rows instead.`,
  );
}
