/** Path and query of a request, built from the endpoint table, or checked if a person typed them. */

import { numberText } from '../shared/count-text.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError } from '../shared/errors.ts';
import type { Endpoint } from './endpoints.ts';
import type { CallInput } from './types.ts';

const MAX_TARGET_CHARS = 16_000;

function refuse(message: string, operation: string): never {
  throw new AppError('INVALID_ARGUMENT', message, { operation, outcome: 'unsent' });
}

/**
 * Method and path template such as `GET /v3/applications/{application_id}`. It names a lane and appears in messages.
 */
export function operationText(row: Pick<Endpoint, 'method' | 'path'>): string {
  return `${row.method} ${row.path}`;
}

/**
 * Encodes one value as one path segment. `.`, `..` and the empty text would address another resource and are rejected,
 * and so are control characters. Throws INVALID_ARGUMENT.
 */
function encodeSegment(name: string, value: string, operation: string): string {
  const problem = segmentProblem(value);
  if (problem !== null) refuse(`${operation}: ${name} ${problem}.`, operation);
  return encodeURIComponent(value);
}

function segmentProblem(value: string): string | null {
  if (value === '') return 'is empty where an identifier is expected';
  if (value === '.' || value === '..') return `is "${value}", which is not an identifier`;
  if ([...value].some((letter) => letter < ' ' || letter === '\x7f')) return 'contains a control character';
  return value.isWellFormed() ? null : 'contains an incomplete character';
}

/** Path below the base URL with its query. Throws INVALID_ARGUMENT if a parameter is missing or invalid. */
export function buildTarget(row: Endpoint, input: CallInput): string {
  const operation = operationText(row);
  const path = row.path.replace(/\{([^}]+)\}/g, (_whole, name: string) => {
    const value = input.path?.[name];
    if (value === undefined) refuse(`${operation}: the path parameter ${name} is missing.`, operation);
    return encodeSegment(name, value, operation);
  });
  for (const name of row.requiredQuery) {
    const value = input.query?.[name];
    if (value === undefined || value === '')
      refuse(`${operation}: the query parameter ${name} is missing.`, operation);
  }
  return withQuery(path, splitLists(row, input.query ?? {}), operation);
}

/** A list given as one text, as by a view or the command line, is split at commas. */
function splitLists(row: Endpoint, query: Readonly<Record<string, QueryValue>>): Record<string, QueryValue> {
  const pairs = Object.entries(query).map(([name, value]): [string, QueryValue] =>
    row.query[name] === 'list' && typeof value === 'string' ? [name, value.split(',')] : [name, value],
  );
  return Object.fromEntries(pairs);
}

type QueryValue = string | number | readonly string[];

function withQuery(path: string, query: Readonly<Record<string, QueryValue>>, operation: string): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && value.length === 0) continue;
    parts.push(`${encodeURIComponent(name)}=${encodeValue(name, value, operation)}`);
  }
  const target = parts.length === 0 ? path : `${path}?${parts.join('&')}`;
  if (target.length > MAX_TARGET_CHARS) {
    refuse(
      `${operation}: path and query are ${numberText(target.length)} characters; at most ${numberText(MAX_TARGET_CHARS)} are sent.`,
      operation,
    );
  }
  return target;
}

function encodeValue(name: string, value: QueryValue, operation: string): string {
  if (typeof value === 'number') return String(value);
  const list = typeof value === 'string' ? [value] : value;
  return list
    .map((text) => {
      if (typeof value !== 'string' && text.includes(',')) {
        refuse(
          `${operation}: "${text}" in ${name} holds a comma, which separates the values of a list.`,
          operation,
        );
      }
      if (!text.isWellFormed()) refuse(`${operation}: ${name} contains an incomplete character.`, operation);
      return encodeURIComponent(text);
    })
    .join(',');
}

/**
 * Checks a path below `/v3` that a person typed. Each segment is decoded, checked and encoded again. Throws
 * INVALID_ARGUMENT.
 */
export function checkTypedPath(path: string, query: Readonly<Record<string, string>>): string {
  const expected = 'Expected a path that begins with /v3/, without query, e.g. /v3/applications.';
  if (!path.startsWith('/v3/'))
    refuse(`"${cutText(path, 100)}" is not a path of this service. ${expected}`, 'request');
  if (/[?#\\]/.test(path)) refuse(`The path holds "?", "#" or "\\". ${expected}`, 'request');
  const segments = path.slice(1).replace(/\/$/, '').split('/');
  const clean = segments.map((segment) => {
    let decoded: string;
    try {
      decoded = decodeURIComponent(segment);
    } catch {
      return refuse(`The path segment "${segment}" is not well encoded. ${expected}`, 'request');
    }
    return encodeSegment(`the path segment "${segment}"`, decoded, 'request');
  });
  return withQuery(`/${clean.join('/')}`, query, 'request');
}
