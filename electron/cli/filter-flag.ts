/** The value of `--filter`: one rule, a list of rules or a whole tree, checked before it is sent. Pure. */
import { isSpanColumn, SPAN_COLUMNS, SPAN_VOCABULARY } from '../core/spans/span-rules.ts';
import { editDistance } from '../core/text/edit-distance.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { isRawNumber, parseExact } from '../shared/exact-json.ts';
import {
  FILTER_OPERATORS,
  type FilterNode,
  type FilterVocabulary,
  isFilterGroup,
  parseFilterTree,
} from '../shared/filter-tree.ts';
import { recordFields } from './body-fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields of filters that records may lack (SERVICE.md S2.9, F4). */
const OTHER_FIELDS = [
  'application_id',
  'project_id',
  'model_id',
  'baseline_id',
  'dataset_id',
  'environment_id',
].concat('data_type', 'scope', 'type', 'feature_names', 'experiment_item_id');
const LISTS: FilterVocabulary = { aliases: { eq: 'equal' } };
const OPERATORS = [...Object.keys(FILTER_OPERATORS), 'eq'];
/** Up to this share of the letters may differ in a mistyped field. */
const MISTYPED_SHARE = 3;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** The text of the query parameter; a whole tree stays as it was typed. Throws INVALID_ARGUMENT. */
export function listFilter(operation: string, typed: string): string {
  const { given, tree } = readFilter(typed, LISTS, (field) => checkListField(operation, field));
  const isTyped = given === tree && !/"operator"\s*:\s*"eq"/.test(typed);
  return isTyped ? typed : JSON.stringify(withOperator(tree, { eq: 'equal' }));
}

/** The tree in the body of an operation on spans; columns may stand without `Span::`. Throws INVALID_ARGUMENT. */
export function spanFilter(typed: string): Fields {
  const { tree } = readFilter(typed, SPAN_VOCABULARY, checkSpanField);
  // The operator that the service documents for spans.
  return withOperator(withColumns(tree), { equal: 'eq' });
}

function readFilter(typed: string, vocabulary: FilterVocabulary, check: (field: string) => void) {
  const given = jsonOf(typed);
  const tree = wholeTree(given);
  try {
    checkFields(parseFilterTree(mapRules(tree, withoutOpenOperator), vocabulary), check);
  } catch (thrown) {
    const { message } = toAppError(thrown);
    throw new AppError('INVALID_ARGUMENT', `--filter: ${message} ${FORM}`, {}, thrown);
  }
  return { given, tree };
}

const FORM =
  'Expected a rule such as {"field": "name", "operator": "contains", "value": "churn"}, or {"condition": "AND", "rules": [rule, rule]}.';

function jsonOf(typed: string): unknown {
  try {
    return parseExact(typed);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError('INVALID_ARGUMENT', `--filter expects JSON: ${reason}. ${FORM}`, {}, thrown);
  }
}

/** One rule and a list of rules stand for a tree in which all of them apply. */
function wholeTree(given: unknown): Fields {
  if (Array.isArray(given)) return { condition: 'AND', rules: given };
  if (!isObject(given)) return { condition: 'AND', rules: [given] };
  return 'rules' in given || 'condition' in given ? given : { condition: 'AND', rules: [given] };
}

function checkFields(node: FilterNode, check: (field: string) => void): void {
  if (isFilterGroup(node)) for (const rule of node.rules) checkFields(rule, check);
  else check(node.field);
}

/** Rules of the tree, changed one by one; the tree was checked. */
function mapRules(node: Fields, change: (rule: Fields) => Fields): Fields {
  const { rules } = node;
  if (!Array.isArray(rules)) return change(node);
  return { ...node, rules: rules.map((rule) => (isObject(rule) ? mapRules(rule, change) : rule)) };
}

const withOperator = (tree: Fields, words: Readonly<Record<string, string>>): Fields =>
  mapRules(tree, (rule) => {
    const { operator } = rule;
    const word = typeof operator === 'string' && Object.hasOwn(words, operator) ? words[operator] : operator;
    return { ...rule, operator: word };
  });

/** The service may know more operators than this version: only one that is nearly a known one is judged. */
function withoutOpenOperator(rule: Fields): Fields {
  const { operator } = rule;
  const isOpen =
    typeof operator === 'string' &&
    operator !== '' &&
    !OPERATORS.includes(operator) &&
    mistyped(operator, OPERATORS) === null;
  return isOpen ? { ...rule, operator: 'equal', value: true } : rule;
}

const withColumns = (tree: Fields): Fields =>
  mapRules(tree, (rule) => {
    const { field } = rule;
    return typeof field === 'string' && isSpanColumn(field) ? { ...rule, field: `Span::${field}` } : rule;
  });

function checkSpanField(field: string): void {
  if (isSpanColumn(field) || /^SpanAttribute::./.test(field)) return;
  const column = field.startsWith('Span::') ? field.slice('Span::'.length) : field;
  if (isSpanColumn(column)) return;
  const meant = mistyped(column, SPAN_COLUMNS);
  // The service may know more columns and kinds of fields than this version.
  if (meant === null && field.includes('::')) return;
  const guess = meant === null ? '' : ` Did you mean Span::${meant}?`;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Spans have no field ${field}.${guess} Columns: ${SPAN_COLUMNS.join(', ')}. An attribute is written as SpanAttribute::KEY; span-fields lists the keys.`,
  );
}

/**
 * A field that is not known may be one of the service all the same, so only one that is nearly a known one is refused.
 */
function checkListField(operation: string, field: string): void {
  const own = recordFields(operation);
  const known = [...new Set([...own, ...own.map((name) => `${name}_id`), ...OTHER_FIELDS])];
  const [head = ''] = field.split('.');
  if (known.includes(field) || known.includes(head)) return;
  const meant = mistyped(field, known);
  if (meant === null) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `These records have no field ${field}. Did you mean ${meant}? Fields are ${[...own, ...OTHER_FIELDS].join(', ')}.`,
  );
}

function mistyped(typed: string, known: readonly string[]): string | null {
  const [best] = known
    .map((name) => ({ name, edits: editDistance(typed.toLowerCase(), name) }))
    .toSorted((a, b) => a.edits - b.edits);
  const most = Math.max(1, Math.floor(typed.length / MISTYPED_SHARE));
  return best !== undefined && best.edits <= most ? best.name : null;
}
