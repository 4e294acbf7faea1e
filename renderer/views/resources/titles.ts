/** Titles of records in the headers of their views. Pure. */
import { type JsonObject, textField } from '../../lib/records.ts';

/** Its name, otherwise its id, otherwise the fallback. */
export function titleOf(record: JsonObject, fallback: string): string {
  return textField(record, 'name') || textField(record, 'id') || fallback;
}
