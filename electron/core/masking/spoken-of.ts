/**
 * Recognizes objects that name a field and hold its values next to the name, such as a filter or a column of a schema.
 * Pure.
 */

/** Keys under which a record or an answer names a field. */
export const NAMING_KEYS = [
  ...['name', 'key', 'field', 'field_name', 'path', 'column', 'column_name', 'columns', 'attribute'],
  ...['attribute_name', 'attribute_key', 'property', 'property_name'],
  ...['entity', 'feature', 'feature_name', 'output_name', 'score'],
] as const;
const NAMING: ReadonlySet<string> = new Set(NAMING_KEYS);
/** Keys of values next to such a name. */
const VALUE_KEYS: ReadonlySet<string> = new Set([
  ...['value', 'values', 'category', 'categories', 'min', 'max', 'default', 'default_value'],
  ...['example', 'examples', 'sample', 'samples', 'enum', 'label', 'reasoning', 'top'],
]);
/** Keys of field names in filters, and of the comparisons next to them. Any other key of a filter may hold a value. */
const FILTERED_KEYS = [
  ...['field', 'field_name', 'column', 'column_name', 'path', 'property', 'property_name'],
  ...['attribute', 'attribute_name', 'attribute_key'],
] as const;
const COMPARISON_KEYS = ['kind', 'operator', 'op'] as const;
const COMPARISONS: ReadonlySet<string> = new Set(COMPARISON_KEYS);
/** Keys of a table's columns, and of its rows as lists of cells. */
const COLUMN_KEYS = ['columns', 'fields', 'header'] as const;
const ROW_KEYS: ReadonlySet<string> = new Set(['rows', 'data', 'values', 'cells']);
/** Keys of formulas over fields. */
const FORMULA_KEYS: ReadonlySet<string> = new Set(['definition', 'expression', 'formula']);
/** Names in a formula, quoted in any way or not at all. */
const FORMULA_NAME = /"([^"]+)"|'([^']+)'|`([^`]+)`|[\p{L}_][\p{L}\p{N}_.]*/gu;

type IsMaskedPath = (path: string) => boolean;
type Fields = Readonly<Record<string, unknown>>;

/** Whether an object names a masked field. */
export function namesMasked(value: object, isMaskedPath: IsMaskedPath): boolean {
  const fields = value as Fields;
  return NAMING_KEYS.some((key) => namedIn(fields[key]).some(isMaskedPath));
}

/**
 * The names in a value that is a single name, a list of names, or an object with a name. A list may also hold the parts
 * of one path.
 */
function namedIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) {
    const names = value.filter((each) => typeof each === 'string');
    return names.length < 2 ? names : [...names, names.join('.')];
  }
  return typeof value === 'object' && value !== null ? ownNames(value) : [];
}

function ownNames(value: object): string[] {
  const fields = value as Fields;
  return NAMING_KEYS.map((key) => fields[key]).filter((each) => typeof each === 'string');
}

/** Whether the field `key` of an object holds values of the masked field that the object names. */
export function isValueBesideName(value: object, key: string): boolean {
  if (VALUE_KEYS.has(key)) return true;
  const isFilter =
    COMPARISON_KEYS.some((each) => Object.hasOwn(value, each)) &&
    FILTERED_KEYS.some((each) => Object.hasOwn(value, each));
  return isFilter && !NAMING.has(key) && !COMPARISONS.has(key);
}

/** Positions of masked columns in the rows of a table, `{columns: [{name}], rows: [[cell]]}`; empty for other objects. */
export function maskedPlaces(value: object, isMaskedPath: IsMaskedPath): ReadonlySet<number> {
  const fields = value as Fields;
  const columns = COLUMN_KEYS.map((key) => fields[key]).find((each) => Array.isArray(each)) ?? [];
  const places = new Set<number>();
  for (const [at, column] of columns.entries()) if (namedIn(column).some(isMaskedPath)) places.add(at);
  return places;
}

/** The rows of a table as lists of cells; null if the field `key` holds none. */
export const rowsOfCells = (key: string, part: unknown): readonly unknown[] | null =>
  ROW_KEYS.has(key) && Array.isArray(part) && part.some((row) => Array.isArray(row)) ? part : null;

/** Whether a text is a formula that names a masked field, and may therefore contain values of that field. */
export function isFormulaOfMasked(key: string, text: unknown, isMaskedPath: IsMaskedPath): boolean {
  if (typeof text !== 'string' || !FORMULA_KEYS.has(key)) return false;
  for (const [whole, ...quoted] of text.matchAll(FORMULA_NAME))
    if (isMaskedPath(quoted.find((each) => each !== undefined) ?? whole)) return true;
  return false;
}
