/** Columns for the results of an experiment, from the loaded rows: their fields are not known in advance. Pure. */
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

/** The result in a row; read once, as several cells show it. */
export function resultOf(row: Row): ExperimentResult {
  const found = known.get(row) ?? readResult(row);
  known.set(row, found);
  return found;
}

interface NamedScore {
  evaluator: string;
  name: string;
}

/** The scores in these rows, in order of first appearance; two evaluators may use one name. */
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

/** The number or label; the state of a score that has neither. */
export function scoreCell(score: ResultScore | undefined): string | number | undefined {
  if (score === undefined) return undefined;
  return (
    scoreValueOf(score) ??
    (score.status === '' || score.status === 'SUCCESS' ? undefined : score.status.toLowerCase())
  );
}

export const writeScore = (value: unknown): string =>
  typeof value === 'number' ? formatFigure(value) : typeof value === 'string' ? value : '';

/** The field of the stored record by which rows are sorted; null if these rows have it in another form. */
export function fieldOf(rows: readonly Row[], candidates: readonly string[]): string | null {
  const has = (row: Row, path: string) => {
    const [head = '', rest] = path.split('.');
    const value = row[head];
    if (rest === undefined) return value !== undefined;
    return typeof value === 'object' && value !== null && Object.hasOwn(value, rest);
  };
  return candidates.find((path) => rows.some((row) => has(row, path))) ?? null;
}

/** States of items that are shown apart, each with the words that stand for it. */
export const FATES = [
  { fate: 'good', title: 'Succeeded', words: ['SUCCESS', 'COMPLETED'] },
  { fate: 'failed', title: 'Failed', words: ['FAILED'] },
  { fate: 'skipped', title: 'Skipped', words: ['SKIPPED'] },
] as const satisfies readonly { fate: ResultFate; title: string; words: readonly string[] }[];

/** The state that the filters of the columns select; empty if they select none, or a mixture. */
export function fateOfFilters(filters: readonly ColumnFilter[], field: string | null): ResultFate | '' {
  const filter = filters.find((each) => each.field === field);
  if (filter?.kind !== 'values' || filter.excludes) return '';
  return FATES.find(({ words }) => words.join(' ') === filter.values.join(' '))?.fate ?? '';
}

/** The filters with another state selected; all states if it is empty. */
export function filtersOfFate(filters: readonly ColumnFilter[], field: string, fate: string): ColumnFilter[] {
  const others = filters.filter((each) => each.field !== field);
  const found = FATES.find((each) => each.fate === fate);
  if (found === undefined) return others;
  return [...others, { kind: 'values', field, values: [...found.words], excludes: false }];
}

/** The parts that people look for first, then the rest of the record as it came. */
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
