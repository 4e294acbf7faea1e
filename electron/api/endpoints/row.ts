/** What one row of the endpoint table says, and the helpers that write one. */
import { z } from 'zod';
import type { LimitCategory } from '../../core/limits/limits.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Endpoint {
  method: Method;
  /** Path template below the base URL; `{name}` marks a path parameter. */
  path: `/v3/${string}`;
  title: string;
  help: string;
  /** Sections of SERVICE.md that describe it. */
  section: string;
  /** `limit-offset`: query parameters of SERVICE.md S4 rule 3; `page-size-body`: SERVICE.md F2.1. */
  paging: 'none' | 'limit-offset' | 'page-size-body';
  /** Query parameters besides the paging ones. Lists are sent comma-separated. */
  query: Readonly<Record<string, 'text' | 'list' | 'number' | 'filter'>>;
  requiredQuery: readonly string[];
  /** Schema of the JSON body, or null where the operation takes none. */
  body: z.ZodType | null;
  /** Parts of a multipart/form-data body (SERVICE.md F1.4), all of them required; null for every other operation. */
  multipart: Readonly<Record<string, 'file' | 'text' | 'number'>> | null;
  /** What `data` holds: a PAGINATED page of `item`, a NORMAL record, a bare JSON array, or no body at all. */
  answer: 'paginated' | 'record' | 'array' | 'empty';
  /** Schema of one item (paginated, array) or of the record. */
  item: z.ZodType;
  /** Field of an item that identifies it within its list. */
  identity: string | null;
  successStatus: number;
  /** Statuses the operation declares; a row with a limit may answer 429 besides (SERVICE.md S8). */
  errors: readonly number[];
  limit: LimitCategory;
  /** True where sending the same request twice leaves the service as once does. */
  isRepeatSafe: boolean;
  /** Changes or sends something. A question with a body (POST /v3/queries, /v3/spans/query) does not. */
  isWrite: boolean;
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
} as const;

/** A list by GET: limit and offset, filter, search and ordering where the row names no other query. */
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

/** An operation that asks with a JSON body and changes nothing. */
export function ask<I extends z.ZodType, B extends z.ZodType>(
  row: Named & Partial<Endpoint> & { item: I; body: B },
): Endpoint & { item: I; body: B } {
  return { ...defaults, method: 'POST', identity: null, limit: 'unlisted', ...row };
}

/** An operation that changes something; `body` null where it takes none. Not repeated on its own unless the row says so. */
export function write<I extends z.ZodType, B extends z.ZodType | null>(
  row: Named & Partial<Endpoint> & { method: Method; item: I; body: B },
): Endpoint & { item: I; body: B } {
  return { ...defaults, limit: 'metadata-write', isRepeatSafe: false, isWrite: true, ...row };
}

/** As `write`, for an operation that is answered with a bare array of `item`. */
export function writeMany<I extends z.ZodType, B extends z.ZodType>(
  row: Named & Partial<Endpoint> & { method: Method; item: I; body: B },
): Endpoint & { item: I; body: B; answer: 'array' } {
  return { ...write(row), answer: 'array' };
}

/** What a "generic success" (SERVICE.md S4) or a 204 leaves to read: nothing that is promised. */
export const nothing = z.unknown();

/** A time as ISO text or as a number since 1970 (SERVICE.md F1.5). */
export const timeBound = z.union([z.string(), z.number()]);
