/**
 * Reads the table in answers of databases and log services: column names as objects next to lists of cells (Trino,
 * Azure Monitor, Snowflake, Databricks), typed cells (data APIs of Amazon), lists of fields with their values (CloudWatch),
 * and ranges of Google Sheets. Pure.
 */
import { isObject } from '../../core/items/flattened.ts';

type Fields = Readonly<Record<string, unknown>>;

interface ResultTable {
  rows: readonly Fields[];
  /** Other keys of the document, which only describe the table. */
  beside: readonly string[];
  /** True if the answer has more pages. */
  isPart: boolean;
}

/** Pairs of keys: one for the column names, one for the rows. */
export const RESULT_PLACES: readonly (readonly [names: string, rows: string])[] = [
  ['columns', 'data'],
  ['columns', 'rows'],
  ['Columns', 'Rows'],
  ['ColumnMetadata', 'Records'],
  ['columnMetadata', 'records'],
  // ClickHouse
  ['meta', 'data'],
];
/** Keys of lists of tables. If such a list has one table, it is the document's table. */
export const RESULT_TABLES = ['tables', 'Tables'];
/** Keys that may accompany a table. With any other key, the document may be a record that contains a table. */
const BESIDE = new Set(
  [
    'id,name,tablename,render,infouri,partialcanceluri,nexturi,stats,statistics,status,state,warnings,error,errors',
    'updatetype,updatecount,resultsetmetadata,totalnumrows,numberofrecordsupdated,generatedfields,nexttoken',
    'rows,rows_before_limit_at_least,totals,extremes',
    'manifest,statement_id,statementhandle,statementstatusurl,requestid,code,sqlstate,message,createdon',
    'range,majordimension',
    'encryptionkey,querylanguage,rowcount,total,count,took,meta,metadata,responsemetadata,querystatus',
  ].flatMap((names) => names.split(',')),
);
const NAMES = ['name', 'Name', 'ColumnName', 'columnName'];
const NEXT_PAGE = ['NextToken', 'nextToken', 'nextUri'];
const VALUES = ['stringValue', 'longValue', 'doubleValue', 'booleanValue', 'blobValue'];

/** The table of a known kind of answer; null for any other document. */
export function resultTable(value: Fields): ResultTable | null {
  const found =
    ofOnlyTable(value) ??
    ofNamedCells(value) ??
    ofParts(value) ??
    ofSheet(value) ??
    ofAthena(value) ??
    ofInsights(value);
  return found?.beside.every((key) => BESIDE.has(key.toLowerCase())) === true ? found : null;
}

function ofOnlyTable(value: Fields): ResultTable | null {
  const key = RESULT_TABLES.find((each) => Array.isArray(value[each]));
  const list: readonly unknown[] = key !== undefined && Array.isArray(value[key]) ? value[key] : [];
  const [only] = list;
  const found = isObject(only) && list.length === 1 ? ofNamedCells(only) : null;
  const others = Object.keys(value).filter((each) => each !== key);
  return found === null
    ? null
    : { ...found, beside: [...found.beside, ...others], isPart: found.isPart || isPart(value) };
}

function ofNamedCells(value: Fields): ResultTable | null {
  for (const [namesAt, rowsAt] of RESULT_PLACES) {
    const names = namesOf(value[namesAt]);
    const rows = value[rowsAt];
    if (names === null || !Array.isArray(rows) || rows.length === 0) continue;
    if (!rows.every((row) => Array.isArray(row) && row.length === names.length)) continue;
    return {
      rows: rows.map((cells: readonly unknown[]) =>
        Object.fromEntries(names.map((name, at) => [name, cellOf(cells[at])])),
      ),
      beside: Object.keys(value).filter((key) => key !== namesAt && key !== rowsAt),
      isPart: isPart(value),
    };
  }
  return null;
}

/** Answers of Snowflake and Databricks, with the names in one part and the cells in another. */
function ofParts(value: Fields): ResultTable | null {
  const { resultSetMetaData: about, manifest, result } = value;
  const isSnowflake = isObject(about);
  const schema = isObject(manifest) ? manifest['schema'] : undefined;
  const found = ofNamedCells({
    columns: isSnowflake ? about['rowType'] : isObject(schema) ? schema['columns'] : undefined,
    data: isSnowflake ? value['data'] : isObject(result) ? result['data_array'] : undefined,
  });
  if (found === null) return null;
  const parts = isSnowflake ? about['partitionInfo'] : isObject(manifest) ? manifest['chunks'] : undefined;
  return {
    rows: found.rows,
    beside: Object.keys(value).filter((key) => key !== (isSnowflake ? 'data' : 'result')),
    isPart: Array.isArray(parts) && parts.length > 1,
  };
}

/** A range of Google Sheets: its first row has the names, and rows leave out empty cells at their end. */
function ofSheet({ range, majorDimension: order, values, ...others }: Fields): ResultTable | null {
  if (typeof range !== 'string' || order !== 'ROWS' || !Array.isArray(values)) return null;
  const [first, ...rows]: unknown[] = values;
  const names = Array.isArray(first) ? textsOf(first) : null;
  if (names === null || rows.length === 0 || names.includes('')) return null;
  const cells = rows.filter((row) => Array.isArray(row));
  if (cells.length < rows.length || cells.some((row) => row.length > names.length)) return null;
  return {
    rows: cells.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null]))),
    beside: ['range', 'majorDimension', ...Object.keys(others)],
    isPart: false,
  };
}

/** Column names that are given as objects; null for other forms and for repeated names. */
function namesOf(columns: unknown): string[] | null {
  if (!Array.isArray(columns) || columns.length === 0) return null;
  const names = columns.map((column: unknown) =>
    isObject(column) ? NAMES.map((key) => column[key]).find((name) => typeof name === 'string') : undefined,
  );
  const found = names.filter((name) => typeof name === 'string');
  return found.length === columns.length && new Set(found).size === found.length ? found : null;
}

/** The value of a cell. A data API writes a cell as an object with one key, which names the type. */
function cellOf(cell: unknown): unknown {
  if (!isObject(cell)) return cell;
  const [key, ...others] = Object.keys(cell);
  if (key === undefined || others.length > 0) return cell;
  if (key === 'isNull' && cell[key] === true) return null;
  return VALUES.includes(key) ? cell[key] : cell;
}

/**
 * Takes the column names from the description. The first page of an answer repeats them as its first row, later pages
 * do not. Without a description, the names are in the first row.
 */
function ofAthena({ ResultSet: result, ...others }: Fields): ResultTable | null {
  const rows = isObject(result) && Array.isArray(result['Rows']) ? result['Rows'] : [];
  const cells = rows.map((row: unknown) =>
    isObject(row) && Array.isArray(row['Data'])
      ? row['Data'].map((cell: unknown) => (isObject(cell) ? cell['VarCharValue'] : undefined))
      : [],
  );
  const [first = [], ...later] = cells;
  const about = isObject(result) ? result['ResultSetMetadata'] : undefined;
  const described = isObject(about) ? namesOf(about['ColumnInfo']) : null;
  const names = described ?? textsOf(first);
  if (names === null) return null;
  const isHeader = described === null || described.every((name, at) => first[at] === name);
  const body = isHeader ? later : cells;
  if (body.length === 0 || body.some((row) => row.length !== names.length)) return null;
  return {
    rows: body.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null]))),
    beside: Object.keys({ ...(isObject(result) ? result : {}), ...others }).filter((key) => key !== 'Rows'),
    isPart: isPart(others),
  };
}

/** The values as texts; null if one is not a text or is repeated. */
function textsOf(values: readonly unknown[]): string[] | null {
  const texts = values.filter((value) => typeof value === 'string');
  const isWhole = texts.length === values.length && new Set(texts).size === texts.length;
  return isWhole && texts.length > 0 ? texts : null;
}

/** True if the answer names a next page, so the service has more rows than the document. */
const isPart = (others: Fields): boolean =>
  NEXT_PAGE.some((key) => typeof others[key] === 'string' && others[key] !== '');

function ofInsights(value: Fields): ResultTable | null {
  const { results } = value;
  if (!Array.isArray(results) || results.length === 0 || !results.every(isListOfFields)) return null;
  return {
    rows: results.map((row) => Object.fromEntries(row.map(({ field, value: text }) => [field, text]))),
    beside: Object.keys(value).filter((key) => key !== 'results'),
    isPart: isPart(value),
  };
}

/** Refuses a repeated field, because one of its values would be lost. */
const isListOfFields = (row: unknown): row is { field: string; value: unknown }[] =>
  Array.isArray(row) &&
  row.length > 0 &&
  row.every((part: unknown) => isObject(part) && typeof part['field'] === 'string' && 'value' in part) &&
  new Set(row.map(({ field }) => field)).size === row.length;
