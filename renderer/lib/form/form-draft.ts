/** The stored draft of a form that has not been sent. Pure. */
import { isObject, type JsonObject } from '../records.ts';
import { type FormField, type FormValue, type FormValues, startValues } from './fields.ts';

export interface FormDraft {
  values: FormValues;
  /** Values of an edited record when its fields were changed here; empty for a new record. */
  seen: FormValues;
  /** JSON text of fields that the form does not know. */
  other: string;
  /** Whether the form was sent without a known outcome. */
  wasSent: boolean;
}

function isValue(value: unknown): value is FormValue {
  if (Array.isArray(value)) return value.every((each) => typeof each === 'string');
  return typeof value === 'string' || typeof value === 'boolean';
}

/** Whether the value has the type of this field. */
function fits(value: unknown, empty: FormValue | undefined): value is FormValue {
  return isValue(value) && typeof value === typeof empty && Array.isArray(value) === Array.isArray(empty);
}

/** Reads a stored draft: values of fields that still exist and have the right type. */
export function readFormDraft(fields: readonly FormField[], draft: JsonObject): FormDraft {
  const empty = startValues(fields.map(({ start: _, ...field }) => field as FormField));
  const read = (stored: unknown): FormValues =>
    Object.fromEntries(
      Object.entries(isObject(stored) ? stored : {}).flatMap(([name, value]) =>
        fits(value, empty[name]) ? [[name, value] as const] : [],
      ),
    );
  const values = read(draft['values']);
  const seen = read(draft['seen']);
  const other = draft['other'];
  return { values, seen, other: typeof other === 'string' ? other : '', wasSent: draft['wasSent'] === true };
}
