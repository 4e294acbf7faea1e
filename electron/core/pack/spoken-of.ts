/** Objects that name a field and have its values beside the name, such as a filter or a column of a schema. Pure. */

/** Keys under which a record or an answer names the field that it speaks of. */
export const NAMING_KEYS = [
  ...['name', 'key', 'field', 'field_name', 'path', 'column', 'column_name', 'columns', 'attribute'],
  ...['attribute_name', 'entity', 'feature', 'feature_name', 'output_name', 'score'],
] as const;
/** Keys of values beside such a name. */
const VALUE_KEYS: ReadonlySet<string> = new Set([
  ...['value', 'values', 'category', 'categories', 'min', 'max', 'default', 'default_value'],
  ...['example', 'examples', 'sample', 'samples', 'enum', 'label', 'reasoning', 'top'],
]);
/** Keys of formulas over fields. */
const FORMULA_KEYS: ReadonlySet<string> = new Set(['definition', 'expression', 'formula']);
/** Names in a formula, with or without quotes of any kind. */
const FORMULA_NAME = /"([^"]+)"|'([^']+)'|`([^`]+)`|[\p{L}_][\p{L}\p{N}_.]*/gu;

type IsMaskedPath = (path: string) => boolean;
type Fields = Readonly<Record<string, unknown>>;

/** Whether an object names a masked field. */
export function namesMasked(value: object, isMaskedPath: IsMaskedPath): boolean {
  const fields = value as Fields;
  return NAMING_KEYS.some((key) => namedIn(fields[key]).some(isMaskedPath));
}

/** A single name, or several; a list of the parts of a path is one name. */
function namedIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [];
  const names = value.filter((each) => typeof each === 'string');
  return names.length < 2 ? names : [...names, names.join('.')];
}

/** Whether this field of an object holds values of the masked field that the object names. */
export const isValueBesideName = (key: string): boolean => VALUE_KEYS.has(key);

/** Whether a text is a formula that names a masked field, and may compare it with values. */
export function isFormulaOfMasked(key: string, text: unknown, isMaskedPath: IsMaskedPath): boolean {
  if (typeof text !== 'string' || !FORMULA_KEYS.has(key)) return false;
  for (const [whole, ...quoted] of text.matchAll(FORMULA_NAME))
    if (isMaskedPath(quoted.find((each) => each !== undefined) ?? whole)) return true;
  return false;
}
