/** Recognizes JSON whose objects are not rows: requests and answers of Elasticsearch, answers of BigQuery. Pure. */
import { isObject } from '../../core/items/flattened.ts';
import { parseExact } from '../../shared/exact-json.ts';

/** Settings of an action in a bulk request of Elasticsearch or OpenSearch. Other names are columns of a row. */
const BULK_SETTING =
  /^(?:_\w+|routing|version|version_type|require_alias|require_data_stream|list_executed_pipelines|retry_on_conflict|if_seq_no|if_primary_term|pipeline|dynamic_templates)$/;
/** The beginning of an action; its end may be cut off. */
const ACTION_BEGIN = /^\{\s*"(?:index|create|update|delete)"\s*:\s*\{/;

/**
 * True for text that begins with an action of a bulk request, followed by a document, or by another action if the first
 * one deletes. In a file of rows with one column, such as `update`, the next line has that same key.
 */
export function isBulkRequest(text: string): boolean {
  if (!ACTION_BEGIN.test(text)) return false;
  const [first = '', second = ''] = text.split(/\r?\n\s*/, 2);
  const action = parsed(first);
  if (!isObject(action) || !second.startsWith('{')) return false;
  const [[name, settings] = ['', null], ...others] = Object.entries(action);
  if (others.length > 0 || !isObject(settings)) return false;
  const keys = Object.keys(settings);
  if (!keys.every((key) => BULK_SETTING.test(key))) return false;
  const isPlace = keys.some((key) => key.startsWith('_'));
  if (name === 'delete') return isPlace;
  if (isAction(second)) return false;
  // If the settings name no target, they could be values of a row; the next line would then have the same key.
  return (
    isPlace || keys.length === 0 || (keys.every((key) => SURE_SETTING.test(key)) && !hasKey(second, name))
  );
}

const SURE_SETTING =
  /^(?:routing|version_type|require_alias|require_data_stream|list_executed_pipelines|retry_on_conflict|if_seq_no|if_primary_term|dynamic_templates)$/;

/** True for an object with this key. The line may be cut off. */
const hasKey = (line: string, key: string): boolean => firstObject(line)?.fields.has(key) === true;

const SEEN_LINES = 5;
/** Text before the JSON of a line. Text that ends with a delimiter does not count, because the JSON is then a cell. */
const BEFORE_JSON = /^[^{"]*[^{"\s,;|\t][ ]*(?=\{\s*"[^"]*"\s*:)/;

/** True if each of the first lines is a JSON object after other text, as containers and servers write logs. */
export function isLog(text: string): boolean {
  const all = text.split(/\r?\n/);
  // The last line may be cut off.
  const lines = (all.length > 1 ? all.slice(0, -1) : all).filter((line) => line.trim() !== '');
  const seen = lines.slice(0, SEEN_LINES);
  return (
    seen.length > 0 &&
    seen.every((line) => isObject(parsed(line.replace(BEFORE_JSON, '')))) &&
    BEFORE_JSON.test(seen[0] ?? '')
  );
}

/** True for an object with an action as its only key. A line that is cut off is judged by its beginning. */
function isAction(line: string): boolean {
  const value = parsed(line);
  return ACTION_BEGIN.test(line) && (!isObject(value) || Object.keys(value).length === 1);
}

/**
 * True for a document in the form of search results and dumps of Elasticsearch, in any layout and order of its keys.
 */
export function isSearchHit(text: string): boolean {
  const fields = firstObject(text)?.fields;
  const begins = (key: string, sign: string): boolean => fields?.get(key)?.startsWith(sign) === true;
  return begins('_index', '"') && begins('_id', '"') && begins('_source', '{');
}

/**
 * The first cell of a row that is cut off: its object has no key other than `v`, whose value may be long if it is
 * repeated or nested.
 */
const FIRST_CELL =
  /^\[\s*\{\s*"v"\s*:\s*(?:[[{]|(?:"(?:[^"\\]|\\[\s\S])*"|[\w.+-]+)\s*(?:\}|$)|"(?:[^"\\]|\\[\s\S])*$)/;

/** True for a row as the BigQuery API returns it: `f` is its only key, and `v` the only key of its cells. */
export function isBigQueryRow(text: string): boolean {
  const row = firstObject(text);
  const cells = row?.fields.get('f');
  if (row === null || cells === undefined || row.fields.size !== 1) return false;
  if (!row.isWhole) return FIRST_CELL.test(cells);
  const values = parsed(cells);
  return (
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((cell) => isObject(cell) && 'v' in cell && Object.keys(cell).length === 1)
  );
}

interface FirstObject {
  /** The text of each value by its key. The last one may be cut off. */
  fields: Map<string, string>;
  isWhole: boolean;
}

/** A string, which may be cut off, or a punctuation mark of JSON. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[[\]{}:,]/g;

/**
 * The object at the beginning of a text, alone or in an array; null for other text. The text may be cut off anywhere.
 */
function firstObject(text: string): FirstObject | null {
  const start = /^(?:\[\s*)?\{/.exec(text)?.[0].length;
  if (start === undefined) return null;
  const fields = new Map<string, string>();
  let levels = 1;
  let key: string | null = null;
  let valueStart: number | null = null;
  const endField = (end: number): void => {
    if (key !== null && valueStart !== null) fields.set(key, text.slice(valueStart, end).trim());
    key = null;
    valueStart = null;
  };
  TOKEN.lastIndex = start;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const [token] = found;
    if (token === '{' || token === '[') levels += 1;
    else if (token === '}' || token === ']') levels -= 1;
    else if (levels > 1) continue;
    else if (token === ':') valueStart ??= TOKEN.lastIndex;
    else if (token === ',') endField(found.index);
    else if (valueStart === null) key = token.slice(1, -1);
    if (levels > 0) continue;
    endField(found.index);
    return { fields, isWhole: true };
  }
  endField(text.length);
  return { fields, isWhole: false };
}

/** Undefined if the text is not JSON or is cut off. */
function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    // The text is not JSON, or is longer than the part that was read.
    return undefined;
  }
}
