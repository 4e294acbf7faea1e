/** A chart definition as text. The text can be pasted from a browser's network tab. Pure. */
import { parseExact } from '../../../electron/shared/exact-json.ts';
import { isJsonObject, type JsonObject, objectsOf, textOf } from '../../../electron/shared/json-fields.ts';
import { MAX_QUERIES } from './chart-body.ts';

export function bodyText(body: JsonObject): string {
  return JSON.stringify(body, null, 2);
}

type ParsedBody = { body: JsonObject; problem: null } | { body: null; problem: string };

function queryProblem(query: JsonObject, index: number, isModel: boolean): string | null {
  const place = `queries, number ${index + 1}`;
  if (textOf(query, 'query_key') === '') return `${place}: "query_key" is missing.`;
  if (textOf(query, 'metric') === '') return `${place}: "metric" is missing.`;
  if (isModel && textOf(query, 'model_id') === '') return `${place}: "model_id" is missing.`;
  return null;
}

/** Parses a body of POST /v3/queries. The text can also be a whole copied request. */
export function parseBody(text: string): ParsedBody {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (thrown) {
    const problem = `Not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return { body: null, problem };
  }
  if (isJsonObject(value) && !('queries' in value) && isJsonObject(value['body'])) value = value['body'];
  if (!isJsonObject(value))
    return { body: null, problem: 'Expected an object with "filters" and "queries".' };
  const problem = requestProblem(value);
  return problem === null ? { body: value, problem } : { body: null, problem };
}

/** The reason why a body cannot be sent as POST /v3/queries; null if it can. */
export function requestProblem(body: JsonObject): string | null {
  const isModel = textOf(body, 'project_id') !== '';
  if (!isModel && textOf(body, 'application_id') === '') {
    return 'Expected "project_id" (metrics of models) or "application_id" (metrics of an application).';
  }
  if (isModel && textOf(body, 'query_type') === '') return '"query_type" is missing, e.g. "MONITORING".';
  if (!isJsonObject(body['filters'])) return '"filters" is missing: time range, zone and bin size.';
  const queries = objectsOf(body, 'queries');
  if (!Array.isArray(body['queries']) || queries.length !== body['queries'].length || queries.length === 0) {
    return 'Expected "queries" to be a list of at least one query.';
  }
  if (queries.length > MAX_QUERIES) {
    return `A chart holds at most ${MAX_QUERIES} queries; this has ${queries.length}.`;
  }
  const problem = queries
    .map((query, index) => queryProblem(query, index, isModel))
    .find((each) => each !== null);
  if (problem !== undefined) return problem;
  const keys = queries.map((query) => textOf(query, 'query_key'));
  const repeated = keys.find((key, index) => keys.indexOf(key) !== index);
  return repeated === undefined ? null : `The query_key "${repeated}" is used twice.`;
}
