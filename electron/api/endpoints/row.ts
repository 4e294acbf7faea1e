/** The type of a row of the endpoint table, and helpers for writing rows. */
import type { LimitCategory } from '../../core/limits/limits.ts';
import * as z from '../../shared/zod.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Endpoint {
  method: Method;
  /** Path template below the base URL; `{name}` marks a path parameter. */
  path: `/v3/${string}`;
  title: string;
  help: string;
  /** Sections of SERVICE.md that describe the operation. */
  section: string;
  /** `limit-offset`: query parameters of SERVICE.md S4 rule 3; `page-size-body`: SERVICE.md F2.1. */
  paging: 'none' | 'limit-offset' | 'page-size-body';
  /** Query parameters other than those for paging. Lists are sent comma-separated. */
  query: Readonly<Record<string, 'text' | 'list' | 'number' | 'filter'>>;
  requiredQuery: readonly string[];
  /** Schema of the JSON body; null if the operation takes none. */
  body: z.ZodType | null;
  /** Parts of a multipart/form-data body (SERVICE.md F1.4), all of them required; null for all other operations. */
  multipart: Readonly<Record<string, 'file' | 'text' | 'number'>> | null;
  /** Content of `data`: a PAGINATED page of `item`, a NORMAL record, a plain JSON array, or no body. */
  answer: 'paginated' | 'record' | 'array' | 'empty';
  /** Schema of one item (paginated, array) or of the record. */
  item: z.ZodType;
  /** Field of an item that identifies it within its list. */
  identity: string | null;
  successStatus: number;
  /** Statuses that the operation declares. With a limit, 429 is possible too (SERVICE.md S8). */
  errors: readonly number[];
  limit: LimitCategory;
  /** True if the request is idempotent. */
  isRepeatSafe: boolean;
  /**
   * True if the operation changes or sends something. A query with a body (POST /v3/queries, /v3/spans/query) does not.
   */
  isWrite: boolean;
  /** Whether a 401 means that the service refuses the token. If not, another request decides. */
  canRefuseToken: boolean;
}

type Named = Pick<Endpoint, 'path' | 'title' | 'help' | 'section' | 'errors'>;

export const listQuery = { filter: 'filter', search: 'text', ordering: 'text' } as const;

const defaults = {
  paging: 'none',
  query: {},
  requiredQuery: [],
  body: null,
  multipart: null,
  answer: 'record',
  identity: 'id',
  successStatus: 200,
  limit: 'metadata-read',
  isRepeatSafe: true,
  isWrite: false,
  canRefuseToken: true,
} as const;

/**
 * A list by GET, with limit and offset, and with filter, search and ordering unless the row declares other query
 * parameters.
 */
export function list<I extends z.ZodType>(
  row: Named & Partial<Endpoint> & { item: I },
): Endpoint & { item: I } {
  return {
    ...defaults,
    method: 'GET',
    paging: 'limit-offset',
    query: listQuery,
    answer: 'paginated',
    ...row,
  };
}

/** One record by GET. */
export function read<I extends z.ZodType>(
  row: Named & Partial<Endpoint> & { item: I },
): Endpoint & { item: I } {
  return { ...defaults, method: 'GET', ...row };
}

/** A read with a JSON body. */
export function ask<I extends z.ZodType, B extends z.ZodType>(
  row: Named & Partial<Endpoint> & { item: I; body: B },
): Endpoint & { item: I; body: B } {
  return { ...defaults, method: 'POST', identity: null, limit: 'unlisted', ...row };
}

/**
 * An operation that changes something. `body` is null if it takes none. Not retried automatically unless the row allows
 * it.
 */
export function write<I extends z.ZodType, B extends z.ZodType | null>(
  row: Named & Partial<Endpoint> & { method: Method; item: I; body: B },
): Endpoint & { item: I; body: B } {
  return { ...defaults, limit: 'metadata-write', isRepeatSafe: false, isWrite: true, ...row };
}

/** Like `write`, for an operation that answers with a plain array of `item`. */
export function writeMany<I extends z.ZodType, B extends z.ZodType>(
  row: Named & Partial<Endpoint> & { method: Method; item: I; body: B },
): Endpoint & { item: I; body: B; answer: 'array' } {
  return { ...write(row), answer: 'array' };
}

/** Schema of a "generic success" (SERVICE.md S4) or a 204, which promises no fields. */
export const nothing = z.unknown();

/** A time as ISO text or as a number since 1970 (SERVICE.md F1.5). */
export const timeBound = z.union([z.string(), z.number()]);
