/**
 * The grammar of filter expressions (SERVICE.md S2.9, operators of SERVICE.md F4): types, and the parser used by both
 * processes. Pure.
 */
import { AppError } from './errors.ts';
import { isRawNumber, parseExact, type RawNumber } from './exact-json.ts';

/** The kind of `value` that each operator expects. */
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
} as const satisfies Record<string, FilterValueShape>;

export type FilterValueShape = 'none' | 'one' | 'list' | 'pair';
export type FilterOperator = keyof typeof FILTER_OPERATORS;
export type FilterScalar = string | number | RawNumber | boolean;
export type FilterValue = FilterScalar | FilterScalar[];

export interface FilterRule {
  field: string;
  operator: FilterOperator;
  /** Absent for `is_null` and similar operators. */
  value?: FilterValue;
}

export interface FilterGroup {
  condition: 'AND' | 'OR';
  rules: FilterNode[];
}

export type FilterNode = FilterGroup | FilterRule;

export interface FilterVocabulary {
  /** Other spellings of operators, e.g. `{eq: 'equal'}` for the span operations (SERVICE.md F2.3). */
  aliases?: Readonly<Record<string, FilterOperator>>;
  /** Maximum nesting. */
  maxDepth?: number;
  /** Maximum rules in the whole tree. */
  maxRules?: number;
}

/** An invalid filter: `place` is the path in the tree to the error, e.g. `['rules', 1, 'value']`. */
export class FilterError extends AppError {
  readonly place: readonly (string | number)[];

  constructor(message: string, place: readonly (string | number)[] = []) {
    super('INVALID_ARGUMENT', message);
    this.place = place;
  }
}

type Place = readonly (string | number)[];

const DEFAULT_MAX_DEPTH = 20;
const DEFAULT_MAX_RULES = 1_000;

export function isFilterOperator(text: string): text is FilterOperator {
  return Object.hasOwn(FILTER_OPERATORS, text);
}

export function isFilterGroup(node: FilterNode): node is FilterGroup {
  return 'rules' in node;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

export function isFilterScalar(value: unknown): value is FilterScalar {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    isRawNumber(value) ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

function nameOf(place: Place): string {
  return place.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : `${text}.${step}`),
    'filter',
  );
}

function refuse(place: Place, message: string): never {
  throw new FilterError(`${nameOf(place)} ${message}`, place);
}

/** Parses the text of the query parameter `filter`. Throws INVALID_ARGUMENT with the place in the tree. */
export function parseFilter(text: string, vocabulary: FilterVocabulary = {}): FilterGroup {
  let tree: unknown;
  try {
    tree = parseExact(text);
  } catch {
    throw new FilterError(
      'The filter is not JSON. Send {"condition":"AND","rules":[…]} as a JSON-encoded string.',
    );
  }
  return parseFilterTree(tree, vocabulary);
}

/** Parses a filter given as JSON, as in the body of an operation. Throws as `parseFilter` does. */
export function parseFilterTree(tree: unknown, vocabulary: FilterVocabulary = {}): FilterGroup {
  const budget = { rules: vocabulary.maxRules ?? DEFAULT_MAX_RULES };
  return parseGroup(tree, [], 1, vocabulary, budget);
}

function parseGroup(
  node: unknown,
  place: Place,
  depth: number,
  vocabulary: FilterVocabulary,
  budget: { rules: number },
): FilterGroup {
  const maxDepth = vocabulary.maxDepth ?? DEFAULT_MAX_DEPTH;
  if (depth > maxDepth) refuse(place, `is nested too deep: at most ${maxDepth} levels are accepted.`);
  if (!isObject(node)) refuse(place, 'must be an object with "condition" and "rules".');
  const { condition, rules } = node;
  if (condition !== 'AND' && condition !== 'OR') refuse([...place, 'condition'], 'must be "AND" or "OR".');
  if (!Array.isArray(rules)) refuse([...place, 'rules'], 'must be an array of rules.');
  return {
    condition,
    rules: rules.map((entry: unknown, index) => {
      const at = [...place, 'rules', index];
      if (isObject(entry) && ('rules' in entry || 'condition' in entry)) {
        return parseGroup(entry, at, depth + 1, vocabulary, budget);
      }
      budget.rules -= 1;
      if (budget.rules < 0) {
        const most = vocabulary.maxRules ?? DEFAULT_MAX_RULES;
        throw new FilterError(`The filter holds more than ${most} rules.`, at);
      }
      return parseRule(entry, at, vocabulary);
    }),
  };
}

function parseRule(node: unknown, place: Place, vocabulary: FilterVocabulary): FilterRule {
  if (!isObject(node)) refuse(place, 'must be an object with "field", "operator" and "value".');
  const { field, operator: word, value } = node;
  if (typeof field !== 'string' || field === '') refuse([...place, 'field'], 'must be a field name.');
  if (typeof word !== 'string') refuse([...place, 'operator'], 'must be the name of an operator.');
  const aliases = vocabulary.aliases ?? {};
  const operator = Object.hasOwn(aliases, word) ? aliases[word] : word;
  if (operator === undefined || !isFilterOperator(operator)) {
    const known = Object.keys(FILTER_OPERATORS).join(', ');
    refuse([...place, 'operator'], `"${word}" is not known. Use one of: ${known}.`);
  }
  return { field, operator, ...parseValue(operator, value, [...place, 'value']) };
}

function parseValue(operator: FilterOperator, value: unknown, place: Place): { value?: FilterValue } {
  switch (FILTER_OPERATORS[operator]) {
    case 'none':
      return {};
    case 'one':
      if (!isFilterScalar(value)) {
        refuse(place, `must be a text, a number or true/false for "${operator}".`);
      }
      return { value };
    case 'pair':
      if (!Array.isArray(value) || value.length !== 2 || !value.every(isFilterScalar)) {
        refuse(place, `must be a list of two bounds for "${operator}".`);
      }
      return { value };
    case 'list':
      if (isFilterScalar(value)) return { value: [value] };
      if (!Array.isArray(value) || !value.every(isFilterScalar)) {
        refuse(place, `must be a list for "${operator}".`);
      }
      return { value };
  }
}
