/**
 * Filter expressions (INTERFACE 2.9, operators of API_FACTS section 4) and the `ordering` parameter, both pure:
 * parsed from text, checked on a record. What the interface leaves open is decided here once: text compares with
 * case, a `not_` operator is the exact opposite of its plain form, `between` includes both bounds, a missing
 * value never satisfies a plain comparison, an empty group selects everything.
 */
import { AppError } from '../shared/errors.ts';

/** What each operator expects as its `value`. */
export const FILTER_OPERATORS = {
  any: 'list',
  equal: 'one',
  not_equal: 'one',
  in: 'list',
  not_in: 'list',
  less: 'one',
  less_or_equal: 'one',
  greater: 'one',
  greater_or_equal: 'one',
  between: 'pair',
  not_between: 'pair',
  begins_with: 'one',
  not_begins_with: 'one',
  contains: 'one',
  not_contains: 'one',
  ends_with: 'one',
  not_ends_with: 'one',
  is_empty: 'none',
  is_not_empty: 'none',
  is_null: 'none',
  is_not_null: 'none',
} as const satisfies Record<string, 'none' | 'one' | 'list' | 'pair'>;

export type FilterOperator = keyof typeof FILTER_OPERATORS;
export type FilterScalar = string | number | boolean;
export type FilterValue = FilterScalar | FilterScalar[];

export interface FilterRule {
  field: string;
  operator: FilterOperator;
  /** Absent for `is_null` and its kin. */
  value?: FilterValue;
}

export interface FilterGroup {
  condition: 'AND' | 'OR';
  rules: FilterNode[];
}

export type FilterNode = FilterGroup | FilterRule;

export interface FilterVocabulary {
  /** Other spellings of operators, e.g. `{eq: 'equal'}` for the span operations (API_FACTS 2.3). */
  aliases?: Readonly<Record<string, FilterOperator>>;
  /** Deepest nesting accepted. */
  maxDepth?: number;
  /** Most rules accepted in the whole tree. */
  maxRules?: number;
}

/** Gives the value of a field of the record at hand; `undefined` where it has none. */
export type FieldReader = (field: string) => unknown;

const DEFAULT_MAX_DEPTH = 20;
const DEFAULT_MAX_RULES = 1_000;

export function isFilterOperator(text: string): text is FilterOperator {
  return Object.hasOwn(FILTER_OPERATORS, text);
}

export function isFilterGroup(node: FilterNode): node is FilterGroup {
  return 'rules' in node;
}

function refuse(message: string): never {
  throw new AppError('INVALID_ARGUMENT', message);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is FilterScalar {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

/** Parses the text of the query parameter `filter`. Throws INVALID_ARGUMENT naming the place in the tree. */
export function parseFilter(text: string, vocabulary: FilterVocabulary = {}): FilterGroup {
  let tree: unknown;
  try {
    tree = JSON.parse(text);
  } catch {
    return refuse('The filter is not JSON. Send {"condition":"AND","rules":[…]} as a JSON-encoded string.');
  }
  return parseFilterTree(tree, vocabulary);
}

/** Parses a filter that is already JSON, as in the body of an operation. Throws as `parseFilter` does. */
export function parseFilterTree(tree: unknown, vocabulary: FilterVocabulary = {}): FilterGroup {
  const budget = { rules: vocabulary.maxRules ?? DEFAULT_MAX_RULES };
  return parseGroup(tree, 'filter', 1, vocabulary, budget);
}

function parseGroup(
  node: unknown,
  place: string,
  depth: number,
  vocabulary: FilterVocabulary,
  budget: { rules: number },
): FilterGroup {
  const maxDepth = vocabulary.maxDepth ?? DEFAULT_MAX_DEPTH;
  if (depth > maxDepth) refuse(`${place} is nested too deep: at most ${maxDepth} levels are accepted.`);
  if (!isObject(node)) refuse(`${place} must be an object with "condition" and "rules".`);
  const { condition, rules } = node;
  if (condition !== 'AND' && condition !== 'OR') refuse(`${place}.condition must be "AND" or "OR".`);
  if (!Array.isArray(rules)) refuse(`${place}.rules must be an array of rules.`);
  return {
    condition,
    rules: rules.map((entry: unknown, index) => {
      const at = `${place}.rules[${index}]`;
      if (isObject(entry) && ('rules' in entry || 'condition' in entry)) {
        return parseGroup(entry, at, depth + 1, vocabulary, budget);
      }
      budget.rules -= 1;
      if (budget.rules < 0)
        refuse(`The filter holds more than ${vocabulary.maxRules ?? DEFAULT_MAX_RULES} rules.`);
      return parseRule(entry, at, vocabulary);
    }),
  };
}

function parseRule(node: unknown, place: string, vocabulary: FilterVocabulary): FilterRule {
  if (!isObject(node)) refuse(`${place} must be an object with "field", "operator" and "value".`);
  const { field, operator: word, value } = node;
  if (typeof field !== 'string' || field === '') refuse(`${place}.field must be a field name.`);
  if (typeof word !== 'string') refuse(`${place}.operator must be the name of an operator.`);
  const aliases = vocabulary.aliases ?? {};
  const operator = Object.hasOwn(aliases, word) ? aliases[word] : word;
  if (operator === undefined || !isFilterOperator(operator)) {
    refuse(
      `${place}.operator "${word}" is not known. Use one of: ${Object.keys(FILTER_OPERATORS).join(', ')}.`,
    );
  }
  return { field, operator, ...parseValue(operator, value, place) };
}

function parseValue(operator: FilterOperator, value: unknown, place: string): { value?: FilterValue } {
  switch (FILTER_OPERATORS[operator]) {
    case 'none':
      return {};
    case 'one':
      if (!isScalar(value))
        refuse(`${place}.value must be a text, a number or true/false for "${operator}".`);
      return { value };
    case 'pair': {
      if (!Array.isArray(value) || value.length !== 2 || !value.every(isScalar)) {
        refuse(`${place}.value must be a list of two bounds for "${operator}".`);
      }
      return { value };
    }
    case 'list': {
      if (isScalar(value)) return { value: [value] };
      if (!Array.isArray(value) || !value.every(isScalar)) {
        refuse(`${place}.value must be a list for "${operator}".`);
      }
      return { value };
    }
  }
}

/**
 * Value of a dotted field. A key that itself holds dots (`gen_ai.request.model`) wins over a way through nested
 * objects; the shortest way is tried first.
 */
export function readField(record: unknown, field: string): unknown {
  if (!isObject(record)) return undefined;
  if (Object.hasOwn(record, field)) return record[field];
  for (let dot = field.indexOf('.'); dot > 0; dot = field.indexOf('.', dot + 1)) {
    const head = field.slice(0, dot);
    if (!Object.hasOwn(record, head)) continue;
    const found = readField(record[head], field.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Does the record satisfy the filter? */
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
  if (typeof value === 'number') return Number.isNaN(value) ? null : value;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const parsed = Number(value);
  return Number.isNaN(parsed) ? null : parsed;
}

/** -1, 0 or 1, or null where the two cannot be compared. A number and a text that reads as one compare as numbers. */
function compareLoosely(a: unknown, b: unknown): number | null {
  if (typeof a === 'number' || typeof b === 'number') {
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
  return isScalar(value) ? String(value) : null;
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
