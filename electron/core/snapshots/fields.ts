/** Compares items by field, and determines the field types of a snapshot. Pure. */
import { canonicalJson, writeExact } from '../../shared/exact-json.ts';
import type { ItemFieldChange } from '../../shared/item-field-change.ts';
import type { FieldDrift, FieldTypes } from '../../shared/snapshot-model.ts';
import { diffWords, foldPieces } from '../../shared/word-diff.ts';

type Item = Readonly<Record<string, unknown>>;

/** Fields that get new values if the service creates an item again. */
const NOT_BODY = new Set(['id', 'created_at', 'updated_at']);

const isObject = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** An item's contents without id and times. A bucket without keys is equivalent to a missing one. */
export function bodyOf(item: Item): Item {
  const says = ([field, value]: [string, unknown]) =>
    !NOT_BODY.has(field) && !(isObject(value) && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(item).filter(says));
}

/** Values by path. The keys of a bucket have paths like `inputs.question`; other fields are listed by name. */
function fieldsOf(item: Item): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [field, value] of Object.entries(bodyOf(item))) {
    if (!isObject(value)) fields.set(field, value);
    else for (const [key, part] of Object.entries(value)) fields.set(`${field}.${key}`, part);
  }
  return fields;
}

export function changedFields(before: Item, after: Item): { path: string; kind: ItemFieldChange['kind'] }[] {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const changes: { path: string; kind: ItemFieldChange['kind'] }[] = [];
  for (const [path, value] of was) {
    if (!is.has(path)) changes.push({ path, kind: 'removed' });
    else if (canonicalJson(value) !== canonicalJson(is.get(path))) changes.push({ path, kind: 'changed' });
  }
  for (const path of is.keys()) if (!was.has(path)) changes.push({ path, kind: 'added' });
  return changes;
}

/** Each field that differs, with its texts; `same`: the fields that are equal. */
export function describeChange(
  before: Item | null,
  after: Item | null,
): { changes: ItemFieldChange[]; same: string[] } {
  const was = fieldsOf(before ?? {});
  const is = fieldsOf(after ?? {});
  const found = changedFields(before ?? {}, after ?? {});
  const changes = found.map(({ path, kind }): ItemFieldChange => {
    const pieces = diffWords(textOf(was, path), textOf(is, path));
    return { path, kind, pieces: foldPieces(pieces) };
  });
  const changed = new Set(found.map(({ path }) => path));
  return { changes, same: [...is.keys()].filter((path) => !changed.has(path)) };
}

/** Display text: texts unchanged, other values as indented JSON. */
function textOf(fields: ReadonlyMap<string, unknown>, path: string): string {
  if (!fields.has(path)) return '';
  const value = fields.get(path);
  if (typeof value === 'string') return value;
  return isObject(value) || Array.isArray(value) ? JSON.stringify(value, null, 2) : writeExact(value);
}

/** Paths and types of one item. */
export function shapeOf(item: Item): Record<string, string> {
  return Object.fromEntries([...fieldsOf(item)].map(([path, value]) => [path, typeOf(value)]));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return isObject(value) ? 'object' : 'number';
  return typeof value;
}

/** Fields that are new, gone, or have changed types. Null does not count as a type. */
export function schemaDrift(before: FieldTypes, after: FieldTypes): FieldDrift[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return paths.flatMap((path): FieldDrift[] => {
    const was = typesOf(before[path]);
    const is = typesOf(after[path]);
    const items = Object.values(after[path] ?? {}).reduce((sum, count) => sum + count, 0);
    if (before[path] === undefined) return [{ path, kind: 'new', before: was, after: is, items }];
    if (after[path] === undefined) return [{ path, kind: 'gone', before: was, after: is, items }];
    const isSame = was.join() === is.join() || was.length === 0 || is.length === 0;
    return isSame ? [] : [{ path, kind: 'type', before: was, after: is, items }];
  });
}

const typesOf = (types: Readonly<Record<string, number>> | undefined): string[] =>
  Object.keys(types ?? {})
    .filter((type) => type !== 'null')
    .toSorted();
