/** What a record is called in the heads of its views. Pure. */
import { type JsonObject, textField } from '../../lib/records.ts';

/** Its name, else its id, else what is given. */
export function titleOf(record: JsonObject, fallback: string): string {
  return textField(record, 'name') || textField(record, 'id') || fallback;
}
