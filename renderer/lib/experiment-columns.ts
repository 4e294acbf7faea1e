/**
 * Columns for the results of an experiment. Their fields are not known in advance, so they are found in the loaded
 * rows. Pure.
 */
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';
import {
  type ExperimentResult,
  type ResultFate,
  type ResultScore,
  readResult,
  scoreValueOf,
} from '../../electron/shared/experiment-result.ts';
import { formatFigure } from './format.ts';
import type { Row } from './grid/columns.ts';

const known = new WeakMap<Row, ExperimentResult>();

/** The result in a row. Cached, because several cells show it. */
export function resultOf(row: Row): ExperimentResult {
  const found = known.get(row) ?? readResult(row);
  known.set(row, found);
  return found;
}

interface NamedScore {
  evaluator: string;
  name: string;
}

/** The scores in these rows, in the order in which they first occur; two evaluators can use one name. */
export function scoresIn(rows: readonly Row[]): NamedScore[] {
  const found = new Map<string, NamedScore>();
  for (const row of rows) {
    for (const { evaluator, name } of resultOf(row).scores) {
      found.set(JSON.stringify([evaluator, name]), { evaluator, name });
    }
  }
  return [...found.values()];
}

export function scoreIn(row: Row, { evaluator, name }: NamedScore): ResultScore | undefined {
  return resultOf(row).scores.find((each) => each.evaluator === evaluator && each.name === name);
}

/** The number or label of a score; its state if it has neither. */
export function scoreCell(score: ResultScore | undefined): string | number | undefined {
  if (score === undefined) return undefined;
  return (
    scoreValueOf(score) ??
    (score.status === '' || score.status === 'SUCCESS' ? undefined : score.status.toLowerCase())
  );
}

export const writeScore = (value: unknown): string =>
  typeof value === 'number' ? formatFigure(value) : typeof value === 'string' ? value : '';

/** The field of the stored record that rows are sorted by; null if these rows have none of the candidates. */
export function fieldOf(rows: readonly Row[], candidates: readonly string[]): string | null {
  const has = (row: Row, path: string) => {
    const [head = '', rest] = path.split('.');
    const value = row[head];
    if (rest === undefined) return value !== undefined;
    return typeof value === 'object' && value !== null && Object.hasOwn(value, rest);
  };
  return candidates.find((path) => rows.some((row) => has(row, path))) ?? null;
}

/** States of items that can be filtered for, each with the status words that mean it. */
export const FATES = [
  { fate: 'good', title: 'Succeeded', words: ['SUCCESS', 'COMPLETED'] },
  { fate: 'failed', title: 'Failed', words: ['FAILED'] },
  { fate: 'skipped', title: 'Skipped', words: ['SKIPPED'] },
] as const satisfies readonly { fate: ResultFate; title: string; words: readonly string[] }[];

/** The state that the column filters select; empty if they select none or several. */
export function fateOfFilters(filters: readonly ColumnFilter[], field: string | null): ResultFate | '' {
  const filter = filters.find((each) => each.field === field);
  if (filter?.kind !== 'values' || filter.excludes) return '';
  return FATES.find(({ words }) => words.join(' ') === filter.values.join(' '))?.fate ?? '';
}

/** The filters changed to select this state; all states if `fate` is empty. */
export function filtersOfFate(filters: readonly ColumnFilter[], field: string, fate: string): ColumnFilter[] {
  const others = filters.filter((each) => each.field !== field);
  const found = FATES.find((each) => each.fate === fate);
  if (found === undefined) return others;
  return [...others, { kind: 'values', field, values: [...found.words], excludes: false }];
}

/** A result with its most important parts first, followed by the whole record unchanged. */
export function shownResult(row: Row): Row {
  const { inputs, outputs, expectedOutputs, scores, status, errorReason, errorMessage } = resultOf(row);
  const texts = { error_reason: errorReason, error_message: errorMessage };
  return {
    ...(inputs === null ? {} : { inputs }),
    ...(outputs === null ? {} : { output: outputs }),
    ...(expectedOutputs === null ? {} : { expected_outputs: expectedOutputs }),
    ...(status === '' ? {} : { status }),
    ...(errorReason === null && errorMessage === null ? {} : texts),
    ...(scores.length === 0 ? {} : { scores: row['scores'] ?? scores }),
    ...row,
  };
}
