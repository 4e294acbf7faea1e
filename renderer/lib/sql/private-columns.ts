/**
 * Determines which columns of a result privacy mode hides. A text column stays readable only if it is a column of a
 * stored list and its name is not hidden: under a new name, a text can contain anything. Pure.
 */
import type { DescribedView, SqlColumn } from '../../../electron/shared/sql-model.ts';
import { type Token, tokensOf } from './tokens.ts';

const HOLDS_TEXT = /^(?:VARCHAR|JSON|STRUCT|MAP|UNION|BLOB|ENUM)|\]$/;
/** Keywords that combine rows of two queries under the names of the first one. */
const JOINS_ROWS: ReadonlySet<string> = new Set(['UNION', 'EXCEPT', 'INTERSECT', 'VALUES']);

/** Names of the columns to hide. They are hidden whatever their names suggest. */
export function privateColumns(
  sql: string,
  columns: readonly SqlColumn[],
  views: readonly DescribedView[],
): ReadonlySet<string> {
  const stored = new Set(views.flatMap((view) => view.columns.map(({ name }) => name)));
  const tokens = tokensOf(sql).filter(({ kind, text }) => kind !== 'comment' && text.trim() !== '');
  const hidesAll = tokens.some((token, at) => joinsRows(token) || namesColumns(tokens, at));
  const hidden = columns.filter(
    ({ name, type }) =>
      HOLDS_TEXT.test(type) && (hidesAll || !stored.has(name) || isNewName(tokens, name.toLowerCase())),
  );
  return new Set(hidden.map(({ name }) => name));
}

const joinsRows = ({ kind, text }: Token): boolean =>
  kind === 'keyword' && JOINS_ROWS.has(text.toUpperCase());

/** Whether a list of names is separate from the expressions, as in `WITH t(a, b) AS (…)` and `(…) AS t(a, b)`. */
function namesColumns(tokens: readonly Token[], at: number): boolean {
  const [before, token, next] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  if (token?.kind !== 'function' && !(token?.kind === 'name' && next?.text === '(')) return false;
  return /^(?:AS|WITH|RECURSIVE|\))$/i.test(before?.text ?? '') || isListOfQuery(tokens, at + 1);
}

/** Whether `AS (` follows the parentheses opened here. */
function isListOfQuery(tokens: readonly Token[], open: number): boolean {
  const close = tokens.findIndex(({ text }, at) => at > open && text === ')');
  return close !== -1 && /^AS$/i.test(tokens[close + 1]?.text ?? '') && tokens[close + 2]?.text === '(';
}

const STANDS_FOR_A_VALUE: readonly Token['kind'][] = ['name', 'text', 'number'];

/** Whether the name is an alias: `x AS name`, `x name` or `name: x`. */
function isNewName(tokens: readonly Token[], name: string): boolean {
  return tokens.some((token, at) => {
    if (token.kind !== 'name' || token.text.replaceAll('"', '').toLowerCase() !== name) return false;
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    if (after?.text === ':' && tokens[at + 2]?.text !== ':') return true;
    if (before === undefined) return false;
    const ends = /^(?:AS|END|NULL|TRUE|FALSE|\)|\]|\*)$/i.test(before.text);
    return ends || STANDS_FOR_A_VALUE.includes(before.kind);
  });
}
