/**
 * Size limits of a plan, checked with a message before anything is stored, because stored plans must be readable again.
 */

import { numberText as number } from './count-text.ts';
import { cutText } from './cut-text.ts';
import {
  BATCH_ROWS,
  COLUMN_NAME_CHARS,
  type ColumnPlan,
  ENV_NAME_CHARS,
  ENV_TYPE_CHARS,
  MAX_COLUMNS,
  MODEL_NAME_CHARS,
  type UploadPlan,
} from './upload-model.ts';

/** Maximum characters of all names together, because a plan is written with every change of its upload. */
const ALL_NAMES_CHARS = 2_000_000;

/** One sentence for each part that is too large, in the order of the form. */
export function boundProblems(
  plan: Pick<UploadPlan, 'columns' | 'envType' | 'envName' | 'batchRows'>,
): string[] {
  const { envType, envName, batchRows } = plan;
  const problems: string[] = [];
  if (envType.length > ENV_TYPE_CHARS) problems.push(tooLong('environment type', envType, ENV_TYPE_CHARS));
  if (envName !== null && envName.length > ENV_NAME_CHARS)
    problems.push(tooLong('environment name', envName, ENV_NAME_CHARS));
  if (!Number.isInteger(batchRows) || batchRows < 1 || batchRows > BATCH_ROWS) {
    const got = Number.isNaN(batchRows) ? '' : `, got ${number(batchRows)}`;
    problems.push(`Rows per request: a whole number from 1 to ${number(BATCH_ROWS)} is expected${got}.`);
  }
  return [...problems, ...columnBoundProblems(plan.columns, 'an upload takes')];
}

/**
 * One sentence for each exceeded bound of columns and their names. `taker` is the part of the sentence before the bound:
 * “an upload takes”.
 */
export function columnBoundProblems(
  columns: readonly Pick<ColumnPlan, 'source' | 'target'>[],
  taker: string,
): string[] {
  const problems: string[] = [];
  if (columns.length > MAX_COLUMNS) {
    problems.push(
      `The file has ${number(columns.length)} columns; ${taker} at most ${number(MAX_COLUMNS)}. Check the delimiter, or split the file.`,
    );
  }
  const [long] = columns.flatMap(({ source, target }, index) =>
    source.length > COLUMN_NAME_CHARS || (target ?? '').length > COLUMN_NAME_CHARS ? [index + 1] : [],
  );
  if (long !== undefined) {
    problems.push(
      `The name of column ${number(long)} has more than ${number(COLUMN_NAME_CHARS)} characters. Check the delimiter, or shorten the name in the file.`,
    );
  }
  const all = columns.reduce((sum, { source, target }) => sum + source.length + (target ?? '').length, 0);
  if (all > ALL_NAMES_CHARS) {
    problems.push(
      `The names of the columns have ${number(all)} characters together; at most ${number(ALL_NAMES_CHARS)} are accepted.`,
    );
  }
  return problems;
}

function tooLong(what: string, text: string, most: number): string {
  return `The ${what} has ${number(text.length)} characters; at most ${number(most)} are accepted.`;
}

/** A name of the service, stored with an id for display: a long one is truncated and ends with “…”. */
export const shownName = (name: string, most = MODEL_NAME_CHARS): string => cutText(name, most);
