/** Finds the rate budget of a request: the lane of its endpoint, or the closest match for a typed path. */
import type { LimitCategory } from '../core/limits/limits.ts';
import { ENDPOINTS, type Endpoint, type Method } from './endpoints.ts';
import { operationText } from './request-target.ts';

export interface Route {
  /** Method and path template of the lane. */
  operation: string;
  category: LimitCategory;
  isRepeatSafe: boolean;
  /** True if the request changes something at the service. */
  isWrite: boolean;
  /** Whether a 401 means that the service refuses the token. */
  canRefuseToken: boolean;
}

export function routeOf(row: Endpoint): Route {
  return {
    operation: operationText(row),
    category: row.limit,
    isRepeatSafe: row.isRepeatSafe,
    isWrite: row.isWrite,
    canRefuseToken: row.canRefuseToken,
  };
}

/** "projects, applications, evaluators, evaluator rules and related metadata resources" (SERVICE.md S8). */
const METADATA = new Set(['projects', 'applications', 'evaluators', 'evaluator-rules']);

const TEMPLATES = Object.values(ENDPOINTS as Readonly<Record<string, Endpoint>>).map((row) => ({
  row,
  segments: row.path.split('/'),
}));

const isParameter = (segment: string) => segment.startsWith('{');

/** Whether a segment is an identifier. Words of the interface consist of lower case letters and hyphens. */
function looksLikeId(segment: string): boolean {
  return !/^[a-z]+(-[a-z]+)*$/.test(segment) || segment.length > 40;
}

/** The route of a typed path: `GET /v3/models/{id}/segments` for `/v3/models/5f0…/segments`. */
export function routeOfPath(method: Method, path: string): Route {
  const segments = path.split('/');
  const fits = TEMPLATES.filter(
    ({ row, segments: own }) =>
      row.method === method &&
      own.length === segments.length &&
      own.every((part, index) => isParameter(part) || part === segments[index]),
  );
  // A literal segment takes precedence over a parameter.
  fits.sort((a, b) => a.segments.filter(isParameter).length - b.segments.filter(isParameter).length);
  const known = fits[0];
  if (known !== undefined) return routeOf(known.row);
  const template = segments.map((part, index) => (index > 2 && looksLikeId(part) ? '{id}' : part)).join('/');
  const operation = `${method} ${template}`;
  return {
    operation,
    category: categoryOf(method, segments[2] ?? ''),
    isRepeatSafe: method === 'GET',
    isWrite: method !== 'GET',
    canRefuseToken: true,
  };
}

/** For operations missing from the endpoint table. */
function categoryOf(method: Method, resource: string): LimitCategory {
  if (method === 'GET') return 'metadata-read';
  return METADATA.has(resource) ? 'metadata-write' : 'unlisted';
}
