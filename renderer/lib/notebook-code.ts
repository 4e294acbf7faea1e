/**
 * Python code that reads the rows of a view from a mirror. Comments in the code say which choices of the view it cannot
 * express. Pure.
 */
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';
import { constantConditions } from '../../electron/shared/constant-sql.ts';
import { isRawNumber } from '../../electron/shared/exact-json.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { constantsSaid, tablesOfList } from '../../electron/shared/shown-words.ts';
import { tableOf } from '../../electron/shared/table-names.ts';
import { isExpression } from '../../electron/shared/text-filter.ts';
import { filterParam } from './comparison-params.ts';
import type { ExportSubject, TableSubject } from './export-words.ts';
import { formatCount } from './format.ts';
import { isObject, type JsonObject } from './records.ts';

type Table = TableSubject['table'];

/** A query over the mirror, with sentences about the choices that it leaves out. */
interface NotebookQuery {
  sql: string;
  notes: readonly string[];
}

/**
 * The code for a view; null if a mirror does not have its rows. `folder`: that of the mirror; null if none was written
 * yet.
 */
export function notebookCode(subject: ExportSubject, folder: string | null): string | null {
  const query = 'table' in subject ? tableQuery(subject.table) : listQuery(subject);
  if (query === null) return null;
  const place =
    folder === null
      ? [
          '# Write a mirror first (Mirror for notebooks… in Spandeck), and name its folder here.',
          'MIRROR = "notebooks"',
        ]
      : [`MIRROR = ${pythonText(folder)}`];
  const notes = query.notes.map((note) => `# ${note.replaceAll(/\s+/g, ' ')}`);
  return [
    `# ${subject.name.replaceAll(/\s+/g, ' ')}. Needs duckdb: pip install duckdb`,
    'import sys',
    '',
    ...place,
    'sys.path.insert(0, MIRROR)',
    'import spandeck',
    '',
    'm = spandeck.open(MIRROR)',
    ...notes,
    `frame = m.sql(${pythonBlock(query.sql)})`,
    'print(frame)  # frame.df() for pandas, frame.pl() for polars',
    '',
  ].join('\n');
}

/** Code that opens a mirror and lists its tables. */
export const mirrorCode = (folder: string): string =>
  `import sys

MIRROR = ${JSON.stringify(folder)}
sys.path.insert(0, MIRROR)
import spandeck

m = spandeck.open(MIRROR)
for table in m.tables():
    print(table.name, table.rows, table.missing or "")
`;

/** A Python string literal: JSON uses the same escapes. */
const pythonText = (text: string): string => JSON.stringify(text);
/** A multi-line Python string literal. */
const pythonBlock = (text: string): string =>
  `"""\n${text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')}\n"""`;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
/** Quoted, because names such as `values` and `at` are SQL keywords. */
const columnOf = (field: string): string => `"${field.replaceAll('"', '""')}"`;
const textOf = (field: string): string => `CAST(${columnOf(field)} AS VARCHAR)`;

type ListSubject = Exclude<ExportSubject, TableSubject>;

function listQuery(subject: ListSubject): NotebookQuery {
  const { query, narrow, filters, sort } = subject;
  const asked = new AskedRows(query);
  const conditions = [...asked.conditions, ...filters.map(conditionOf)];
  const notes = [...asked.notes];
  if (filters.some((filter) => filter.kind === 'emptiness' && filter.is !== 'empty'))
    notes.push('A mirror does not tell absent fields from null.');
  if (narrow !== null) {
    const isPattern = isExpression(narrow);
    const { values, part } = constantsSaid(narrow, tablesOfList(query.operation));
    if (!isPattern)
      conditions.push(`contains(lower(concat_ws(chr(10), *COLUMNS(*))), lower(${quoted(narrow)}))`);
    notes.push(
      isPattern
        ? `Not expressed: the text filter ${narrow}.`
        : 'The text filter looks in all columns here, in the view only in those it shows. Times read as DuckDB writes them.',
    );
    if (!isPattern && (values.length > 0 || part !== null))
      notes.push('Constants are found by their spelling here, in the view also by the words shown for them.');
  }
  if (subject.ticked !== null)
    notes.push(`All rows of the view, not only the ${formatCount(subject.ticked.count, 'ticked row')}.`);
  else if (subject.selectedRows > 1)
    notes.push(`All rows of the view, not only the ${formatCount(subject.selectedRows, 'selected row')}.`);
  const order = sort === null ? asked.order : { field: sort.field, isDescending: sort.isDescending };
  return { sql: selectFrom(tableOf(query.operation), conditions, order), notes };
}

type Order = { field: string; isDescending: boolean } | null;

function selectFrom(table: string, conditions: readonly string[], order: Order): string {
  return [
    'SELECT *',
    `FROM ${columnOf(table)} AS t`,
    ...conditions.map((condition, at) => `${at === 0 ? 'WHERE' : '  AND'} ${condition}`),
    ...(order === null
      ? []
      : [`ORDER BY ${columnOf(order.field)}${order.isDescending ? ' DESC' : ''} NULLS LAST`]),
  ].join('\n');
}

/** Columns with the names of owners, by the name of the owner's id in queries. */
const OWNERS: Readonly<Record<string, string>> = {
  application_id: 'application',
  dataset_id: 'dataset',
  experiment_id: 'experiment',
};
/** Conditions for the rows that a list requested from the service. */
class AskedRows {
  readonly conditions: string[] = [];
  readonly notes: string[] = [];
  order: Order = null;

  constructor({ operation, path, query, body }: ListQuery) {
    for (const [name, value] of Object.entries({ ...path, ...query, ...body }))
      this.#add(name, value, operation);
  }

  #add(name: string, value: unknown, operation: string): void {
    if (value === null || value === '') return;
    const owner = OWNERS[name];
    const isOfEntity = operation === 'catalog.values' && (name === 'name' || name === 'entity_type');
    if (owner !== undefined && typeof value === 'string')
      this.conditions.push(`${owner} = name_of(${quoted(value)})`);
    else if (isOfEntity)
      this.conditions.push(`${name === 'name' ? 'entity' : name} = ${quoted(String(value))}`);
    else if ((name === 'start_time' || name === 'end_time') && typeof value === 'string')
      this.conditions.push(`start_time ${name === 'start_time' ? '>=' : '<'} TIMESTAMPTZ ${quoted(value)}`);
    else if (name === 'ordering' && typeof value === 'string')
      this.order = { field: value.replace(/^-/, ''), isDescending: value.startsWith('-') };
    else this.#addFilter(name, value);
  }

  #addFilter(name: string, value: unknown): void {
    const condition = name === 'filter' ? ruleCondition(value) : null;
    if (condition !== null) this.conditions.push(condition);
    else
      this.notes.push(
        `Not expressed: ${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}, which the service applied.`,
      );
  }
}

/** The SQL condition of a rule; null if it cannot be expressed. */
function ruleCondition(node: unknown): string | null {
  if (!isObject(node)) return null;
  const { rules, condition } = node;
  if (!Array.isArray(rules)) return isObject(node) ? oneRule(node) : null;
  const parts = rules.map(ruleCondition);
  if (parts.length === 0 || parts.includes(null)) return null;
  return `(${parts.join(condition === 'OR' ? ' OR ' : ' AND ')})`;
}

const COMPARED: Readonly<Record<string, string>> = {
  eq: '=',
  equal: '=',
  less: '<',
  less_or_equal: '<=',
  greater: '>',
  greater_or_equal: '>=',
};

function oneRule({ field, operator, value }: JsonObject): string | null {
  if (typeof field !== 'string' || typeof operator !== 'string') return null;
  const column = ruleColumn(field);
  if (column === null) return null;
  const [, negation, plain = ''] = /^(not_|is_not_)?(.*)$/.exec(operator) ?? [];
  const positive = positiveRule(column, negation === 'is_not_' ? `is_${plain}` : plain, value);
  if (positive === null) return null;
  return negation === undefined ? positive : `NOT coalesce(${positive}, false)`;
}

/** The column of a field, which can be named like `Span::name` or `SpanAttribute::gen_ai.request.model` in spans. */
function ruleColumn(field: string): string | null {
  const [, kind, name = ''] = /^(Span|SpanAttribute)::(.+)$/s.exec(field) ?? [null, '', field];
  if (kind === 'SpanAttribute') return `span_attributes.${name}`;
  return name === '' ? null : name;
}

function positiveRule(field: string, operator: string, value: unknown): string | null {
  const text = textOf(field);
  const list = Array.isArray(value) ? value : [value];
  const compared = COMPARED[operator];
  if (compared !== undefined) return comparison(field, compared, value);
  switch (operator) {
    case 'in':
    case 'any': {
      const parts = list.map((each) => comparison(field, '=', each));
      return parts.includes(null) || parts.length === 0 ? null : `(${parts.join(' OR ')})`;
    }
    case 'between': {
      const parts = [comparison(field, '>=', list[0]), comparison(field, '<=', list[1])];
      return parts.includes(null) ? null : `(${parts.join(' AND ')})`;
    }
    case 'begins_with':
      return typeof value === 'string' ? `starts_with(${text}, ${quoted(value)})` : null;
    case 'ends_with':
      return typeof value === 'string' ? `ends_with(${text}, ${quoted(value)})` : null;
    case 'contains':
      return typeof value === 'string' ? `contains(${text}, ${quoted(value)})` : null;
    case 'is_null':
      return `${columnOf(field)} IS NULL`;
    case 'is_empty':
      return emptiness(field, true);
    default:
      return null;
  }
}

/** A number is compared as a number, whatever the type of the column; a text by the type of the column. */
function comparison(field: string, operator: string, value: unknown): string | null {
  if (typeof value === 'number' || isRawNumber(value))
    return `axis_of(${columnOf(field)}) ${operator} ${String(value)}`;
  if (typeof value !== 'string' && typeof value !== 'boolean') return null;
  return `compared(${columnOf(field)}, ${quoted(String(value))}) ${operator} 0`;
}

const emptiness = (field: string, isNullToo: boolean): string => {
  const isEmpty = `${textOf(field)} IN ('', '""', '[]', '{}')`;
  return isNullToo ? `(${columnOf(field)} IS NULL OR ${isEmpty})` : isEmpty;
};

/** Whether a column contains the text, or a constant that the view shows with words that contain it. */
function containing(filter: Extract<ColumnFilter, { kind: 'contains' }>): string {
  const text = textOf(filter.field);
  const found = [
    `contains(lower(${text}), lower(${quoted(filter.text)}))`,
    ...constantConditions(text, filter, quoted),
  ];
  return found.length === 1 ? found.join('') : `(${found.join(' OR ')})`;
}

/** The condition of a column filter. It selects the same rows as the filter in the window. */
function conditionOf(filter: ColumnFilter): string {
  const { field } = filter;
  const unless = (isExcluded: boolean | undefined, condition: string) =>
    isExcluded === true ? `NOT coalesce(${condition}, false)` : condition;
  switch (filter.kind) {
    case 'values': {
      const parts = filter.values.map((value) => `compared(${columnOf(field)}, ${quoted(value)}) = 0`);
      return unless(filter.excludes, parts.length === 1 ? parts.join('') : `(${parts.join(' OR ')})`);
    }
    case 'contains':
      return unless(filter.excludes, containing(filter));
    case 'emptiness':
      if (filter.is === 'empty') return emptiness(field, false);
      return filter.is === 'missing' ? emptiness(field, true) : `${columnOf(field)} IS NULL`;
    case 'range': {
      const axis = `axis_of(${columnOf(field)})`;
      const bounds = [
        ...(filter.from === null
          ? []
          : [`${axis} ${filter.excludesFrom === true ? '>' : '>='} ${filter.from}`]),
        ...(filter.to === null ? [] : [`${axis} ${filter.includesTo ? '<=' : '<'} ${filter.to}`]),
        ...(filter.from === null && filter.to === null ? [`${axis} IS NOT NULL`] : []),
      ];
      return unless(filter.excludes, bounds.length === 1 ? (bounds[0] ?? '') : `(${bounds.join(' AND ')})`);
    }
  }
}

function tableQuery(table: Table): NotebookQuery | null {
  switch (table.form) {
    case 'sql':
      return { sql: table.sql.trim().replace(/;$/, ''), notes: notesOfSql(table.sql) };
    case 'scores':
      return {
        sql: selectFrom(
          'scores',
          [
            `run_id = ${quoted(table.runId)}`,
            ...(table.state === null ? [] : [`state = ${quoted(table.state)}`]),
          ],
          null,
        ),
        notes: [],
      };
    case 'runs':
      return runsQuery(table);
    case 'requests':
      return {
        sql: selectFrom('requests', [], null),
        notes: Object.values(table.filter).every((value) => value === null || value === undefined)
          ? []
          : [`Not expressed: the filter of the log, ${JSON.stringify(table.filter)}.`],
      };
    case 'sessions': {
      const { conditions, notes } = new AskedRows(table.query);
      const where = conditions.map((condition, at) => `${at === 0 ? 'WHERE' : '  AND'} ${condition}`);
      return {
        sql: [
          'SELECT session_id, count(*) AS spans, min(start_time) AS first_at, max(start_time) AS last_at',
          'FROM spans AS t',
          ...where,
          'GROUP BY session_id',
          'ORDER BY last_at DESC',
        ].join('\n'),
        notes: [
          ...notes,
          ...(table.filters.length > 0 || table.narrow !== null
            ? ['Not expressed: the filters of the view.']
            : []),
        ],
      };
    }
    default:
      return null;
  }
}

function notesOfSql(sql: string): string[] {
  return [
    ...(/\blists\s*\./i.test(sql)
      ? [
          'A mirror has no single lists: replace lists."…" by the table of its kind, and choose rows by their columns.',
        ]
      : []),
    ...(/\bas_of\b/i.test(sql)
      ? ['In a mirror, records have no column as_of: m.tables() has the age of each table.']
      : []),
  ];
}

type Runs = Extract<Table, { form: 'runs' }>;

/** Compares two score runs item by item, or lists the items of one; null for any other number of runs. */
function pairQuery({ runs, baseline, score: name, filter }: Runs): NotebookQuery | null {
  const before = runs.length === 1 ? null : (runs[baseline]?.id ?? null);
  const after = runs.find((_, at) => runs.length === 1 || at !== baseline)?.id;
  if (after === undefined || runs.length > 2 || runs.some(({ kind }) => kind !== 'scores')) return null;
  const rowsOf = (runId: string) =>
    `(SELECT * FROM scores WHERE run_id = ${quoted(runId)}${name === null ? '' : ` AND score = ${quoted(name)}`})`;
  const notes = [
    ...(name === null && before !== null
      ? ['Items with several scores have a row for each: choose one by score = …']
      : []),
    ...(filterParam(filter) === '' ? [] : ['Not expressed: the choice of items in the view.']),
  ];
  if (before === null) return { sql: selectFrom('scores', [`run_id = ${quoted(after)}`], null), notes };
  return {
    sql: [
      'SELECT item_id, a.value AS before, b.value AS after, b.value - a.value AS difference,',
      '  a.label AS label_before, b.label AS label_after',
      `FROM ${rowsOf(before)} AS a`,
      `FULL JOIN ${rowsOf(after)} AS b USING (item_id)`,
      'ORDER BY abs(difference) DESC NULLS LAST',
    ].join('\n'),
    notes,
  };
}

/** A row for each result of each run. The fields of results are those of the service. */
function runsQuery(table: Runs): NotebookQuery {
  const pair = pairQuery(table);
  if (pair !== null) return pair;
  const { runs } = table;
  const parts = runs.map(({ kind, id }) =>
    kind === 'scores'
      ? `SELECT run AS compared_run, * FROM scores WHERE run_id = ${quoted(id)}`
      : `SELECT experiment AS compared_run, * FROM results WHERE experiment = name_of(${quoted(id)})`,
  );
  return {
    sql: parts.join('\nUNION ALL BY NAME\n'),
    notes: [
      'Not expressed: the pairing of items, differences and filters of the comparison. Each result is a row.',
    ],
  };
}
