/** Parses the value of `--filter`: one rule, a list of rules or a whole tree, checked before it is sent. Pure. */
import { isSpanColumn, SPAN_COLUMNS, SPAN_VOCABULARY } from '../core/spans/span-rules.ts';
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
import { didYouMean } from './suggestions.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields that can be used in filters although records may lack them (SERVICE.md S2.9, F4). */
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

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** A field or an operator that this version does not know, such as `field nme`, but that the service may know. */
export interface Unknown {
  words: string;
  /** A hint with similar known names; empty if there are none. */
  near: string;
}
/** Called with each unknown part; throws to refuse the filter. */
type Meet = (unknown: Unknown) => void;

/** The text of the query parameter; a whole tree is kept as typed. Throws INVALID_ARGUMENT. */
export function listFilter(operation: string, typed: string, meet: Meet): string {
  const { given, tree } = readFilter(typed, LISTS, (field) => lookAtListField(operation, field, meet), meet);
  const isTyped = given === tree && !/"operator"\s*:\s*"eq"/.test(typed);
  return isTyped ? typed : JSON.stringify(withOperator(tree, { eq: 'equal' }));
}

/** The tree in the body of an operation on spans; columns may be written without `Span::`. Throws INVALID_ARGUMENT. */
export function spanFilter(typed: string, meet: Meet): Fields {
  const { tree } = readFilter(typed, SPAN_VOCABULARY, (field) => checkSpanField(field, meet), meet);
  // The operator that the service documents for spans.
  return withOperator(withColumns(tree), { equal: 'eq' });
}

function readFilter(typed: string, vocabulary: FilterVocabulary, check: (field: string) => void, meet: Meet) {
  const given = jsonOf(typed);
  const tree = wholeTree(given);
  try {
    checkFields(
      parseFilterTree(
        mapRules(tree, (rule) => withoutOpenOperator(rule, meet)),
        vocabulary,
      ),
      check,
    );
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

/** The complete tree; a single rule or a list of rules becomes a tree in which all of them apply. */
function wholeTree(given: unknown): Fields {
  if (Array.isArray(given)) return { condition: 'AND', rules: given };
  if (!isObject(given)) return { condition: 'AND', rules: [given] };
  return 'rules' in given || 'condition' in given ? given : { condition: 'AND', rules: [given] };
}

function checkFields(node: FilterNode, check: (field: string) => void): void {
  if (isFilterGroup(node)) for (const rule of node.rules) checkFields(rule, check);
  else check(node.field);
}

/** The tree, which was checked before, with each of its rules changed. */
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

/** A copy of the rule for checking, with a known operator in place of an unknown one, which cannot be checked. */
function withoutOpenOperator(rule: Fields, meet: Meet): Fields {
  const { operator } = rule;
  if (typeof operator !== 'string' || operator === '' || OPERATORS.includes(operator)) return rule;
  meet(unknown('operator', operator, OPERATORS));
  return { ...rule, operator: 'equal', value: true };
}

const unknown = (what: string, typed: string, known: readonly string[]): Unknown => ({
  words: `${what} ${typed}`,
  near: didYouMean(typed, known),
});

const withColumns = (tree: Fields): Fields =>
  mapRules(tree, (rule) => {
    const { field } = rule;
    return typeof field === 'string' && isSpanColumn(field) ? { ...rule, field: `Span::${field}` } : rule;
  });

/** Throws INVALID_ARGUMENT for a field without a prefix for its kind, which all fields of filters have. */
function checkSpanField(field: string, meet: Meet): void {
  if (isSpanColumn(field) || /^SpanAttribute::./.test(field)) return;
  const column = field.startsWith('Span::') ? field.slice('Span::'.length) : field;
  if (isSpanColumn(column)) return;
  if (field.includes('::')) {
    const known = field === column ? [] : SPAN_COLUMNS.map((name) => `Span::${name}`);
    meet(unknown('field', field, known));
    return;
  }
  throw new AppError(
    'INVALID_ARGUMENT',
    `Spans have no field ${field}.${didYouMean(column, SPAN_COLUMNS, 'Span::')} Columns: ${SPAN_COLUMNS.join(', ')}. An attribute is written as SpanAttribute::KEY; span-fields lists the keys.`,
  );
}

function lookAtListField(operation: string, field: string, meet: Meet): void {
  const own = recordFields(operation);
  const known = [...new Set([...own, ...own.map((name) => `${name}_id`), ...OTHER_FIELDS])];
  const [head = ''] = field.split('.');
  if (!known.includes(field) && !known.includes(head)) meet(unknown('field', field, known));
}
