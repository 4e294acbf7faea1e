/** The response envelope of SERVICE.md S2.1 to S2.3, and the arithmetic of paging. */
import type { ServiceError } from './service-error.ts';
import { reasonOf } from './service-error.ts';

export const API_VERSION = '3.0';

/** A handler's result, which the route turns into the body that its table row promises. */
export type Answer =
  | { kind: 'record'; data: unknown }
  | {
      kind: 'page';
      items: readonly unknown[];
      total: number;
      limit: number;
      offset: number;
      /** Fields of `data` in addition to those of every page. */
      also?: Readonly<Record<string, unknown>>;
    }
  | { kind: 'array'; items: readonly unknown[] }
  | { kind: 'empty' };

export interface PageRequest {
  /** Page size after the service's maximum was applied. */
  limit: number;
  offset: number;
}

interface PageData {
  items: readonly unknown[];
  item_count: number;
  total: number;
  page_size: number;
  page_count: number;
  page_index: number;
  offset: number;
}

/**
 * One page of items. `page_index` counts from 1; an offset that is not a multiple of the size belongs to the page that
 * contains it.
 */
export function pageData(items: readonly unknown[], total: number, page: PageRequest): PageData {
  return {
    items,
    item_count: items.length,
    total,
    page_size: page.limit,
    page_count: Math.ceil(total / page.limit),
    page_index: Math.floor(page.offset / page.limit) + 1,
    offset: page.offset,
  };
}

/** The JSON body of an answer; null if it has none. */
export function answerBody(answer: Answer): unknown {
  switch (answer.kind) {
    case 'record':
      return { api_version: API_VERSION, kind: 'NORMAL', data: answer.data };
    case 'page':
      return {
        api_version: API_VERSION,
        kind: 'PAGINATED',
        data: { ...pageData(answer.items, answer.total, answer), ...answer.also },
      };
    case 'array':
      return answer.items;
    case 'empty':
      return null;
  }
}

export function errorBody(error: Pick<ServiceError, 'status' | 'message' | 'issues'>): unknown {
  return {
    api_version: API_VERSION,
    kind: 'ERROR',
    error: { code: error.status, message: error.message, errors: error.issues },
  };
}

/** An error envelope with a plain message, for errors that no handler threw. */
export function plainErrorBody(status: number, message: string, reason = reasonOf(status)): unknown {
  return errorBody({ status, message, issues: [{ reason, message, help: '' }] });
}
