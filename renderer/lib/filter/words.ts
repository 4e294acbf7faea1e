/** Filters in plain words, for chips and for users who do not see the rules. Pure. */
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import {
  FILTER_OPERATORS,
  type FilterNode,
  type FilterOperator,
  type FilterScalar,
  isFilterGroup,
} from '../../../electron/shared/filter-tree.ts';
import { formatNumber } from '../format.ts';

export const OPERATOR_WORDS: Readonly<Record<FilterOperator, string>> = {
  equal: 'is',
  not_equal: 'is not',
  in: 'is one of',
  not_in: 'is none of',
  any: 'holds any of',
  contains: 'contains',
  not_contains: 'does not contain',
  begins_with: 'begins with',
  not_begins_with: 'does not begin with',
  ends_with: 'ends with',
  not_ends_with: 'does not end with',
  less: 'is less than',
  less_or_equal: 'is at most',
  greater: 'is more than',
  greater_or_equal: 'is at least',
  between: 'is between',
  not_between: 'is not between',
  is_empty: 'is empty',
  is_not_empty: 'is not empty',
  is_null: 'has no value',
  is_not_null: 'has a value',
};

export const CONDITION_WORDS = { AND: 'all of these', OR: 'any of these' } as const;

/** Looks up the names to show for fields and values. */
interface FilterNames {
  field: (name: string) => string;
  /** The name of a value if it is known, e.g. for an id. */
  value: (field: string, value: FilterScalar) => string | null;
}
const AS_SENT: FilterNames = { field: (name) => name, value: () => null };

function scalarWords(field: string, value: FilterScalar | undefined, names: FilterNames): string {
  if (value === undefined) return '…';
  const name = names.value(field, value);
  if (name !== null) return name;
  if (typeof value === 'number' || isRawNumber(value)) return formatNumber(value);
  return value === '' ? '(empty text)' : String(value);
}

function valueWords(node: Extract<FilterNode, { field: string }>, names: FilterNames): string {
  const { operator, value, field } = node;
  const list = (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((each) =>
    scalarWords(field, each, names),
  );
  switch (FILTER_OPERATORS[operator]) {
    case 'none':
      return '';
    case 'one':
      return ` ${list[0] ?? '…'}`;
    case 'pair':
      return ` ${list[0] ?? '…'} and ${list[1] ?? '…'}`;
    case 'list':
      return ` ${list.join(', ')}`;
  }
}

/** `row_count is at least 100`; a group as `(scope is span or scope is session)`. */
export function filterWords(node: FilterNode, names: FilterNames = AS_SENT, isInner = false): string {
  if (!isFilterGroup(node))
    return `${names.field(node.field)} ${OPERATOR_WORDS[node.operator]}${valueWords(node, names)}`;
  if (node.rules.length === 0) return 'everything';
  const text = node.rules
    .map((rule) => filterWords(rule, names, true))
    .join(node.condition === 'AND' ? ' and ' : ' or ');
  return isInner && node.rules.length > 1 ? `(${text})` : text;
}

interface FilterChip {
  /** Index of the rule in the root; null for the whole filter. */
  index: number | null;
  text: string;
}

/** One chip for each part that can be removed separately: each rule of an AND, or else the whole filter. */
export function filterChips(root: FilterNode, names: FilterNames = AS_SENT): FilterChip[] {
  if (!isFilterGroup(root) || root.rules.length === 0) return [];
  if (root.condition === 'OR' && root.rules.length > 1) {
    return [{ index: null, text: filterWords(root, names) }];
  }
  return root.rules.map((rule, index) => ({ index, text: filterWords(rule, names) }));
}
