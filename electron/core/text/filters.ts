/**
 * Evaluates filter expressions on a record (SERVICE.md S2.9; the grammar is in shared/filter-tree.ts). Pure. Decisions
 * that the interface leaves open are made only here: text comparison is case-sensitive; a `not_` operator is the exact
 * opposite of its plain form; `between` includes both bounds; a missing value never satisfies a plain comparison; an
 * empty group selects everything.
 */
import { isRawNumber } from '../../shared/exact-json.ts';
import {
  type FilterNode,
  type FilterOperator,
  type FilterRule,
  type FilterScalar,
  isFilterGroup,
  isFilterScalar,
} from '../../shared/filter-tree.ts';

export * from '../../shared/filter-tree.ts';

/** Returns the value of a field of the current record; `undefined` if there is none. */
export type FieldReader = (field: string) => unknown;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/**
 * Value of a dotted field. A key that contains dots (`gen_ai.request.model`) takes precedence over nested objects; the
 * shortest path is tried first. In a list of named values, the name selects the value, as in `scores.quality` of
 * experiment results.
 */
export function readField(record: unknown, field: string): unknown {
  if (!isObject(record)) return undefined;
  if (Object.hasOwn(record, field)) return record[field];
  for (let dot = field.indexOf('.'); dot > 0; dot = field.indexOf('.', dot + 1)) {
    const head = field.slice(0, dot);
    if (!Object.hasOwn(record, head)) continue;
    const rest = field.slice(dot + 1);
    const found = Array.isArray(record[head]) ? readNamed(record[head], rest) : readField(record[head], rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value, or if it has none the label, of the first element with this name. */
function readNamed(list: readonly unknown[], name: string): unknown {
  const element = list.find((each) => isObject(each) && each['name'] === name);
  return isObject(element) ? (element['value'] ?? element['label'] ?? undefined) : undefined;
}

/** Whether the record satisfies the filter. */
export function matchesFilter(node: FilterNode, read: FieldReader): boolean {
  if (!isFilterGroup(node)) return matchesRule(node, read(node.field));
  if (node.rules.length === 0) return true;
  return node.condition === 'AND'
    ? node.rules.every((rule) => matchesFilter(rule, read))
    : node.rules.some((rule) => matchesFilter(rule, read));
}

function isMissing(value: unknown): value is null | undefined {
  return value === null || value === undefined || (typeof value === 'number' && Number.isNaN(value));
}

function isEmpty(value: unknown): boolean {
  if (isMissing(value) || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number' || isRawNumber(value)) return Number.isNaN(value) ? null : Number(value);
  if (typeof value !== 'string' || value.trim() === '') return null;
  const parsed = Number(value);
  return Number.isNaN(parsed) ? null : parsed;
}

const isNumber = (value: unknown) => typeof value === 'number' || isRawNumber(value);

/** Returns -1, 0 or 1, or null if the two cannot be compared. A number and a numeric text are compared as numbers. */
function compareLoosely(a: unknown, b: unknown): number | null {
  if (isNumber(a) || isNumber(b)) {
    const [left, right] = [numberOf(a), numberOf(b)];
    return left === null || right === null ? null : Math.sign(left - right) || 0;
  }
  if (typeof a === 'boolean' || typeof b === 'boolean') {
    if (isMissing(a) || isMissing(b)) return null;
    return String(a) === String(b) ? 0 : null;
  }
  if (typeof a !== 'string' || typeof b !== 'string') return null;
  return a === b ? 0 : a < b ? -1 : 1;
}

const isEqual = (a: unknown, b: unknown): boolean => compareLoosely(a, b) === 0;

function compares(a: unknown, b: unknown, accepts: (order: number) => boolean): boolean {
  const order = compareLoosely(a, b);
  return order !== null && accepts(order);
}

function textOf(value: unknown): string | null {
  return isFilterScalar(value) ? String(value) : null;
}

function containsValue(value: unknown, part: FilterScalar): boolean {
  if (Array.isArray(value)) return value.some((element) => isEqual(element, part));
  return textOf(value)?.includes(String(part)) ?? false;
}

function matchesRule(rule: FilterRule, value: unknown): boolean {
  const list = Array.isArray(rule.value) ? rule.value : rule.value === undefined ? [] : [rule.value];
  const [first, second] = list;
  const one: FilterScalar = first ?? '';
  switch (rule.operator) {
    case 'any':
      return (Array.isArray(value) ? value : [value]).some((element) =>
        list.some((wanted) => isEqual(element, wanted)),
      );
    case 'equal':
      return isEqual(value, one);
    case 'in':
      return list.some((wanted) => isEqual(value, wanted));
    case 'less':
      return compares(value, one, (order) => order < 0);
    case 'less_or_equal':
      return compares(value, one, (order) => order <= 0);
    case 'greater':
      return compares(value, one, (order) => order > 0);
    case 'greater_or_equal':
      return compares(value, one, (order) => order >= 0);
    case 'between':
      return compares(value, one, (order) => order >= 0) && compares(value, second, (order) => order <= 0);
    case 'begins_with':
      return textOf(value)?.startsWith(String(one)) ?? false;
    case 'contains':
      return containsValue(value, one);
    case 'ends_with':
      return textOf(value)?.endsWith(String(one)) ?? false;
    case 'is_empty':
      return isEmpty(value);
    case 'is_null':
      return isMissing(value);
    default:
      return !matchesRule({ ...rule, operator: OPPOSITES[rule.operator] }, value);
  }
}

const OPPOSITES = {
  not_equal: 'equal',
  not_in: 'in',
  not_between: 'between',
  not_begins_with: 'begins_with',
  not_contains: 'contains',
  not_ends_with: 'ends_with',
  is_not_empty: 'is_empty',
  is_not_null: 'is_null',
} as const satisfies Partial<Record<FilterOperator, FilterOperator>>;
