/** Checks that SQL typed by a person only reads views, and finds the position of errors in it. Pure. */

import { isPrivateList } from '../shared/private-lists.ts';
import { LISTS_SCHEMA } from '../shared/sql-model.ts';
import { successorOf, viewKey } from './views.ts';

/** An error of the engine in typed SQL, or the reason why the SQL was rejected before. */
export interface SqlFault {
  message: string;
  /** Line and column, counted from 1; null if the engine stated no position. */
  place: { line: number; column: number } | null;
}

/** A table in typed SQL: the words as typed, and the view they refer to. */
interface TypedTable {
  schema: string;
  name: string;
  key: string;
}

export type CheckedSql = { isRead: true; tables: TypedTable[] } | { isRead: false; fault: SqlFault };

const NODES = new Set(['SELECT_NODE', 'SET_OPERATION_NODE', 'RECURSIVE_CTE_NODE', 'CTE_NODE']);
const TABLE_FORMS = new Set([
  'BASE_TABLE',
  'EMPTY',
  'EMPTY_FROM',
  'EXPRESSION_LIST',
  'JOIN',
  'SHOW_REF',
  'SUBQUERY',
  'TABLE_FUNCTION',
]);
const TABLE_FUNCTIONS = new Set(['range', 'generate_series', 'unnest']);
/** Functions that write, wait, or reveal settings of the engine. */
const REFUSED_FUNCTIONS = new Set([
  'current_setting',
  'nextval',
  'pg_sleep',
  'setseed',
  'sleep_ms',
  'write_log',
]);
const ONE_SELECT = 'Expected one SELECT statement (or VALUES, WITH … SELECT, DESCRIBE, SUMMARIZE)';

type Fields = Readonly<Record<string, unknown>>;

class SqlError extends Error {
  readonly offset: number | null;
  constructor(message: string, at: unknown = null) {
    super(message);
    this.offset = typeof at === 'number' && Number.isSafeInteger(at) ? at : null;
  }
}

/**
 * Checks the output of `json_serialize_sql` for `sql`. Only known node types are accepted, so types of a later engine
 * are rejected until they are added here. `views`: keys of the views (see `viewKey`).
 */
export function checkTree(sql: string, tree: unknown, views: ReadonlySet<string>): CheckedSql {
  const refuse = (message: string, offset: number | null): CheckedSql => ({
    isRead: false,
    fault: { message, place: offset === null ? null : placeOf(sql, offset) },
  });
  if (!isFields(tree)) return refuse(`${ONE_SELECT}.`, null);
  if (tree['error'] === true) {
    if (tree['error_type'] === 'not implemented')
      return refuse(`${ONE_SELECT}, got another statement.`, null);
    const offset = Number(tree['position'] ?? Number.NaN);
    return refuse(String(tree['error_message']), Number.isSafeInteger(offset) ? offset : null);
  }
  const { statements } = tree;
  if (!Array.isArray(statements) || statements.length !== 1) {
    const count = Array.isArray(statements) ? statements.length : 0;
    return refuse(`${ONE_SELECT}, got ${count === 0 ? 'none' : `${count} statements`}.`, null);
  }
  const tables = new Map<string, TypedTable>();
  try {
    walk(statements[0], { views, own: new Set(), tables });
  } catch (problem) {
    if (problem instanceof SqlError) return refuse(problem.message, problem.offset);
    throw problem;
  }
  return { isRead: true, tables: [...tables.values()] };
}

interface Scope {
  views: ReadonlySet<string>;
  /** Names defined by WITH. */
  own: ReadonlySet<string>;
  tables: Map<string, TypedTable>;
}

function walk(value: unknown, scope: Scope): void {
  if (Array.isArray(value)) {
    for (const part of value) walk(part, scope);
    return;
  }
  if (!isFields(value)) return;
  const { cte_map: named, ...others } = value;
  const inner = named === undefined ? scope : walkNamed(value, named, scope);
  if ('sample' in value && 'alias' in value) checkTable(value, inner);
  if (value['class'] === 'FUNCTION' || value['class'] === 'WINDOW') checkFunction(value);
  const ownName = value['cte_name'];
  for (const [key, part] of Object.entries(others)) {
    const isNameKnown = typeof ownName === 'string' && PARTS_WITH_OWN_NAME.has(key);
    walk(part, isNameKnown ? withName(inner, ownName) : inner);
  }
}

/** Parts of a recursive query, and of a query with one name, in which the engine knows this name. */
const PARTS_WITH_OWN_NAME = new Set(['right', 'child']);

const withName = (scope: Scope, name: string): Scope => ({
  ...scope,
  own: new Set([...scope.own, name.toLowerCase()]),
});

/**
 * Checks the queries of a WITH. In each, only the earlier names are known, as in the engine: its own name would be that
 * of a table. Returns the scope for the query that follows.
 */
function walkNamed(node: Fields, named: unknown, scope: Scope): Scope {
  if (!NODES.has(String(node['type']))) throw new SqlError(`${ONE_SELECT}.`);
  const map = isFields(named) ? named['map'] : null;
  let inner = scope;
  for (const entry of Array.isArray(map) ? map : []) {
    walk(entry, inner);
    if (isFields(entry)) inner = withName(inner, String(entry['key']));
  }
  return inner;
}

function checkTable(table: Fields, { views, own, tables }: Scope): void {
  const { type, query_location: at } = table;
  if (!TABLE_FORMS.has(String(type))) throw new SqlError('This form of FROM is not available here.', at);
  if (type === 'SHOW_REF' && !isFields(table['query']))
    throw new SqlError(`SHOW is not available here. ${viewsText(views)}`, at);
  if (type === 'TABLE_FUNCTION') {
    const name = isFields(table['function']) ? String(table['function']['function_name']) : '';
    if (!TABLE_FUNCTIONS.has(name.toLowerCase()))
      throw new SqlError(
        `The table function ${name} is not available here; range, generate_series and unnest are.`,
        at,
      );
  }
  if (type !== 'BASE_TABLE') return;
  const name = String(table['table_name']).toLowerCase();
  const [catalog, schema, typed] = ['catalog_name', 'schema_name', 'table_name'].map((part) =>
    String(table[part]),
  );
  if (catalog === '' && schema === '' && own.has(name)) return;
  const key = viewKey(schema ?? '', typed ?? '');
  if (catalog !== '' || !views.has(key))
    throw new SqlError(
      `${missingText(
        [catalog, schema, typed].filter((part) => part !== ''),
        views,
      )}`,
      at,
    );
  tables.set(`${schema}.${typed}`.toLowerCase(), { schema: schema ?? '', name: typed ?? '', key });
}

/** The name of a removed list, or a name from earlier versions, must never be read as another list. */
function missingText(parts: readonly (string | undefined)[], views: ReadonlySet<string>): string {
  const typed = parts.join('.');
  if (parts.length === 2 && String(parts[0]).toLowerCase() === LISTS_SCHEMA)
    return `The list ${typed} is no longer stored. Open it again, or read all stored records: ${viewsText(views)}`;
  if (parts.length === 1 && isPrivateList(typed.toLowerCase().replaceAll('_', '-')))
    return `Access keys and users are not views; ls access-keys and ls users list them. ${viewsText(views)}`;
  const successor = parts.length === 1 ? successorOf(typed) : null;
  if (successor === null) return `No view named ${typed}. ${viewsText(views)}`;
  return `No view named ${typed}: ${successor} has all stored records of this kind, once each; single lists have names of their own under ${LISTS_SCHEMA}. ${viewsText(views)}`;
}

const MAX_NAMED = 8;

function viewsText(views: ReadonlySet<string>): string {
  const names = [...views].filter((name) => !name.startsWith(`${LISTS_SCHEMA}.`));
  if (names.length === 0) return 'Nothing is stored yet.';
  const more = names.length - MAX_NAMED;
  return `There are ${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

function checkFunction({ function_name: name, query_location: at }: Fields): void {
  if (REFUSED_FUNCTIONS.has(String(name).toLowerCase()))
    throw new SqlError(`The function ${String(name)} is not available here.`, at);
}

/** Message for a query that exceeds the limits of the engine (see engine.ts). */
export const BEYOND_BOUNDS =
  'This query needs more memory than a query may use. Select fewer rows or columns, or only the start of long values: left(column, 1000).';

/** The engine's message for an out-of-memory error. Also used for a process that was ended because of its memory. */
export const OUT_OF_MEMORY = 'Out of Memory Error: the process reached its bound';

/**
 * Whether the engine ran out of memory. Only the beginning of the message counts, because messages may quote these
 * words from data. A full disk is another error.
 */
export const isBeyondBounds = (said: string): boolean =>
  /^Out of Memory Error: (?![^\n]*No space left)/i.test(said);

/** The engine's error for SQL that it started to run, without the error type and with its position. */
export function engineFault(sql: string, said: string): SqlFault {
  if (isBeyondBounds(said)) return { message: BEYOND_BOUNDS, place: null };
  const [, head = said, number, excerpt = '', blanks = ''] =
    /^([\s\S]*?)\n+LINE (\d+): (.*)\n( *)\^/.exec(said) ?? [];
  const message = head
    .replace(/^[A-Z][A-Za-z ]* Error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .trim();
  if (number === undefined) return { message, place: null };
  const line = Number(number);
  const cut = excerpt.startsWith('...') ? 3 : 0;
  const shown = excerpt.slice(cut).replace(/\.\.\.$/, '');
  // The engine may show only the middle of a long line.
  const from = (sql.split('\n')[line - 1] ?? '').indexOf(shown);
  const column = blanks.length - `LINE ${number}: `.length - cut + Math.max(0, from) + 1;
  return { message, place: { line, column: Math.max(1, column) } };
}

/** `offset` counts characters (code points). */
function placeOf(sql: string, offset: number): { line: number; column: number } {
  const before = [...sql].slice(0, offset).join('').split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
