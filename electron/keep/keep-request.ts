/** A request for a list or record to be kept. Pure. */
import type { LeadsTo } from '../db/kept-store.ts';
import type { JsonObject } from '../shared/json-body.ts';
import type { ListQuery } from '../shared/model.ts';

export interface KeepRequest {
  query: ListQuery;
  form: 'list' | 'record';
  /** The kind of further data to keep once this list or record was read. */
  leadsTo: LeadsTo | null;
}

type Fields = Readonly<Record<string, string>>;

export function list(
  operation: string,
  path: Fields = {},
  query: Fields = {},
  leadsTo: LeadsTo | null = null,
): KeepRequest {
  return { query: { operation, path: { ...path }, query: { ...query } }, form: 'list', leadsTo };
}

export function record(
  operation: string,
  path: Fields,
  query: Fields = {},
  leadsTo: LeadsTo | null = null,
): KeepRequest {
  return { ...list(operation, path, query, leadsTo), form: 'record' };
}

export function asked(operation: string, body: JsonObject): KeepRequest {
  return { query: { operation, path: {}, query: {}, body }, form: 'record', leadsTo: null };
}

export function modelRecords(id: string): KeepRequest[] {
  return [record('models.get', { model_id: id }), record('models.metrics', { model_id: id })];
}
