/** Fields available for filters, from the loaded rows and from known fields. Pure. */
import type { FilterScalar } from '../../../electron/shared/filter-tree.ts';
import { fieldsOf } from '../column-guess.ts';
import { isObject, type JsonObject, textField } from '../records.ts';
import type { ValueType } from './draft.ts';
import type { FilterLanguage } from './language.ts';

export interface FilterField {
  name: string;
  /** Readable title, if it differs from the name. */
  title?: string;
  /** Null if the type is unknown. */
  type: ValueType | null;
  /** Shown at the right end of the suggestion. */
  note?: string;
  /** Suggested values; other values can be typed too. */
  values?: readonly { value: FilterScalar; title?: string }[];
}

const MAX_VALUES = 30;

function typeOf(values: readonly unknown[]): ValueType | null {
  const types = new Set(values.map((value) => typeof value));
  const [only] = types;
  if (types.size !== 1) return null;
  if (only === 'number' || only === 'boolean') return only;
  return only === 'string' ? 'text' : null;
}

function isScalar(value: unknown): value is FilterScalar {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/**
 * Values of a field to choose from, if there are only a few distinct texts. Many distinct texts are usually unique
 * names.
 */
function choicesOf(values: readonly unknown[]): FilterField['values'] {
  const distinct = [...new Set(values.filter(isScalar))];
  const isChoice = distinct.length > 0 && distinct.length <= MAX_VALUES && distinct.length < values.length;
  return isChoice ? distinct.toSorted().map((value) => ({ value })) : undefined;
}

function referenceField(field: string, values: readonly JsonObject[]): FilterField {
  const byId = new Map(values.map((value) => [textField(value, 'id'), textField(value, 'name')]));
  byId.delete('');
  return {
    name: `${field}_id`,
    type: 'text',
    values: [...byId].slice(0, MAX_VALUES).map(([value, title]) => ({
      value,
      ...(title === '' ? {} : { title }),
    })),
  };
}

/**
 * Fields of the given rows: plain ones by their name, a reference such as `project: {id, name}` as `project_id`,
 * the name that list filters use (SERVICE.md F4).
 */
export function fieldsOfRows(rows: readonly JsonObject[]): FilterField[] {
  return fieldsOf(rows).flatMap((field): FilterField[] => {
    const values = rows.map((row) => row[field]).filter((value) => value !== null && value !== undefined);
    if (values.length === 0) return [{ name: field, type: null }];
    if (values.every((value) => isObject(value) && textField(value, 'id') !== '')) {
      return [referenceField(field, values.filter(isObject))];
    }
    if (!values.every(isScalar)) return [{ name: field, type: null }];
    const choices = choicesOf(values);
    return [{ name: field, type: typeOf(values), ...(choices === undefined ? {} : { values: choices }) }];
  });
}

/** Known fields first, each completed from the rows, then the other fields. */
export function mergeFields(
  known: readonly FilterField[],
  seen: readonly FilterField[],
): readonly FilterField[] {
  const merged = known.map((field) => ({ ...seen.find(({ name }) => name === field.name), ...field }));
  return [...merged, ...seen.filter(({ name }) => !known.some((field) => field.name === name))];
}

/** The title of a field, or its name if it has no title. */
export function fieldTitle(
  fields: readonly FilterField[],
  name: string,
  { titleOf }: Pick<FilterLanguage, 'titleOf'>,
): string {
  return fields.find((field) => field.name === name)?.title ?? titleOf(name);
}

/** The name to show for a value, e.g. the name of the application with this id. */
export function nameOfValue(
  fields: readonly FilterField[],
  field: string,
  value: FilterScalar,
): string | null {
  const options = fields.find(({ name }) => name === field)?.values ?? [];
  return options.find((option) => option.value === value)?.title ?? null;
}
