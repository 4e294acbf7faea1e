/** Makes a filter for rows that have the same value as a chosen one. Pure. */
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import type { FilterScalar } from '../../../electron/shared/filter-tree.ts';
import { isObject, type JsonObject, textField } from '../records.ts';
import { withChosenValues } from './chosen-values.ts';
import type { FilterLanguage } from './language.ts';
import { checkFilterText } from './text.ts';

export interface FieldValue {
  field: string;
  value: FilterScalar;
}

/** Whether a rule can compare the value: a text that is not empty, a number or a boolean. */
export function isScalar(value: unknown): value is FilterScalar {
  if (typeof value === 'string') return value !== '';
  return typeof value === 'number' || typeof value === 'boolean' || isRawNumber(value);
}

/** The filter field for a field of a list row: its name, or for a nested record the field with its id. */
export function valueOfList(row: JsonObject, name: string): FieldValue | null {
  const value = row[name];
  if (!isObject(value)) return isScalar(value) ? { field: name, value } : null;
  const id = textField(value, 'id');
  return id === '' ? null : { field: `${name}_id`, value: id };
}

/**
 * Adds the rule that the field equals this value, or differs from it, and returns the filter as text. An equality
 * replaces earlier rules on the field; an inequality is added to earlier ones. Null if the filter language cannot
 * express it, e.g. because of too many rules.
 */
export function filterByValue(
  filter: string | null,
  { field, value }: FieldValue,
  language: FilterLanguage,
  kind: 'equal' | 'not_equal' = 'equal',
): string | null {
  if (!language.operators.includes(kind)) return null;
  if (kind === 'equal') return withChosenValues(filter, field, [value], language) ?? null;
  const operator = language.words[kind] ?? kind;
  const rule = { field, operator, value };
  const checked = checkFilterText(filter ?? '', language);
  const tree = checked.isOk ? checked.tree : null;
  const rules = tree === null || !Array.isArray(tree['rules']) ? [] : tree['rules'];
  const isSame = (each: unknown) =>
    isObject(each) && each['field'] === field && each['operator'] === operator && each['value'] === value;
  const joined =
    tree?.['condition'] === 'OR' && rules.length > 1
      ? { condition: 'AND', rules: [tree, rule] }
      : { ...tree, condition: 'AND', rules: [...rules.filter((each) => !isSame(each)), rule] };
  const text = JSON.stringify(joined);
  return checkFilterText(text, language).isOk ? text : null;
}
