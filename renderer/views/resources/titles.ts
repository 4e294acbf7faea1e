/** Titles of records in the headers of their views. Pure. */
import { type JsonObject, textField } from '../../lib/records.ts';
import type { Resource } from './types.ts';

/** The name of a record, otherwise its id, otherwise the fallback. */
export function titleOf(record: JsonObject, fallback: string): string {
  return textField(record, 'name') || textField(record, 'username') || textField(record, 'id') || fallback;
}

/** The id of a record, in the field that the resource defines. */
export function idOf({ idField = 'id' }: Pick<Resource, 'idField'>, record: JsonObject): string {
  return textField(record, idField);
}
