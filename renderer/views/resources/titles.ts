/** Ids of records. Pure. */
import { type JsonObject, textField } from '../../lib/records.ts';
import type { Resource } from './types.ts';

/** The id of a record, in the field that its resource names. */
export function idOf({ idField = 'id' }: Pick<Resource, 'idField'>, record: JsonObject): string {
  return textField(record, idField);
}
