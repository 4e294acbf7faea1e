/**
 * Defines which parts of a record a search and a filter match, as far as the interface leaves this open (SERVICE.md S4
 * rule 3, F4). Pure. Used by the sample service, and by the library for completely stored lists.
 */
import { readField } from './filters.ts';

/** The value of a field of a record. `application_id` also finds the `id` of the reference `application`. */
export function recordField(record: unknown, field: string): unknown {
  const value = readField(record, field);
  if (value !== undefined || !field.endsWith('_id')) return value;
  return readField(record, `${field.slice(0, -'_id'.length)}.id`);
}

/** Whether a text of the record, or the name of a referenced record, contains `text`, ignoring case. */
export function holdsText(record: Readonly<Record<string, unknown>>, text: string): boolean {
  const wanted = text.toLowerCase();
  return Object.values(record).some((value) => {
    const candidate = typeof value === 'string' ? value : readField(value, 'name');
    return typeof candidate === 'string' && candidate.toLowerCase().includes(wanted);
  });
}
