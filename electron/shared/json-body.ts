/** Query bodies from the window: bounded, so that a query, its key and its stored form stay small. */
import { isRawNumber } from './exact-json.ts';
import * as z from './zod.ts';

/** Maximum length of the body as JSON text. */
export const MAX_BODY_CHARS = 65_536;
const MAX_BODY_LEVELS = 64;

export type JsonObject = Record<string, z.core.util.JSONType>;

/** The problem with the size of a body, as a sentence without its end; null if there is none. */
export function bodyProblem(body: unknown): string | null {
  switch (measure(body, MAX_BODY_LEVELS, { chars: MAX_BODY_CHARS })) {
    case 'too large':
      return `expected a body of at most ${MAX_BODY_CHARS} characters as JSON, got more`;
    case 'too deep':
      return `expected a body of at most ${MAX_BODY_LEVELS} levels, got more`;
    default:
      return null;
  }
}

/** Counts the length of JSON.stringify output, and stops above the limit: parts may be shared or circular. */
function measure(value: unknown, levels: number, left: { chars: number }): 'too large' | 'too deep' | null {
  if (isRawNumber(value)) {
    left.chars -= value.digits.length;
    return left.chars < 0 ? 'too large' : null;
  }
  if (typeof value !== 'object' || value === null) {
    left.chars -= typeof value === 'string' ? JSON.stringify(value).length : String(value).length;
    return left.chars < 0 ? 'too large' : null;
  }
  if (levels === 0) return 'too deep';
  const isArray = Array.isArray(value);
  // Counts the brackets and commas; there is one comma fewer than parts.
  left.chars -= 1 + Math.max(1, isArray ? value.length : Object.keys(value).length);
  for (const [key, part] of Object.entries(value)) {
    if (!isArray) left.chars -= JSON.stringify(key).length + 1;
    if (left.chars < 0) return 'too large';
    const problem = measure(part, levels - 1, left);
    if (problem !== null) return problem;
  }
  return left.chars < 0 ? 'too large' : null;
}

/** Whether a measured value, which is finite, is JSON. Exact numbers (RawNumber) are accepted and keep their digits. */
function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (isRawNumber(value)) return true;
  return Array.isArray(value) ? value.every(isJson) : isJsonObject(value);
}

function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value)) return false;
  const proto: unknown = Object.getPrototypeOf(value);
  return (proto === Object.prototype || proto === null) && Object.values(value).every(isJson);
}

/** Any JSON value, possibly with exact numbers. */
export const jsonValue = z.custom<unknown>(isJson, 'expected JSON');

/** A JSON object of bounded depth. */
export const jsonObject = z.custom<JsonObject>(isJsonObject, 'expected a JSON object');

/** A body within bounds; its size is checked before its values are. */
export const boundedBody = z
  .custom<unknown>((body) => bodyProblem(body) === null, {
    error: ({ input }) => bodyProblem(input) ?? 'expected a JSON object',
    abort: true,
  })
  .pipe(jsonObject);
