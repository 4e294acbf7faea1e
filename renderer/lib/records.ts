/** Reading records whose fields may be missing or of another type. Pure. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field as text; empty where it is missing. */
export function textField(record: JsonObject, field: string): string {
  const value = record[field];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** Name of a reference such as `project: {id, name}`. */
export function referenceName(record: JsonObject, field: string): string {
  const value = record[field];
  if (typeof value === 'string') return value;
  return isObject(value) ? textField(value, 'name') || textField(value, 'id') : '';
}

/** What a person calls the record: its name, else its id. */
export function recordTitle(record: JsonObject): string {
  return textField(record, 'name') || textField(record, 'value') || textField(record, 'id') || 'Record';
}
