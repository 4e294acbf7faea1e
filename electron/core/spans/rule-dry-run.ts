/**
 * Tries an evaluator rule on stored spans: finds those that match its filters, and the inputs that the rule would get.
 * Pure.
 */
import { keysOf } from '../../shared/catalog-entity.ts';
import { cutText } from '../../shared/cut-text.ts';
import { writeExact } from '../../shared/exact-json.ts';
import type { DryRunInput, DryRunRow, RuleDraft, RuleDryRun } from '../../shared/rule-dry-run.ts';
import { isObject } from '../items/flattened.ts';
import {
  FILTER_OPERATORS,
  type FilterGroup,
  type FilterNode,
  isFilterGroup,
  isFilterOperator,
  matchesFilter,
  parseFilterTree,
} from '../text/filters.ts';
import { attributesOf } from './span-mapping.ts';
import { isSpanColumn, SPAN_VOCABULARY, spanField, unknownSpanField } from './span-rules.ts';

type Span = Readonly<Record<string, unknown>>;

const MAX_TEXT = 300;
/** Maximum length of a displayed filter, because a service's filter may be of any size. */
const MAX_FILTER_TEXT = 500;

/** Prefix of contents of spans. They are system attributes, for example `fiddler.contents.gen_ai.llm.output`. */
const CONTENTS = /^fiddler\.contents\./;

/** Attribute keys of a span that a path of a rule may stand for (SERVICE.md F14). */
export function spanKeysOf(path: string): string[] {
  const bare = path.replace(CONTENTS, '');
  return [...new Set([...keysOf(bare), path])];
}

interface Found {
  key: string;
  value: unknown;
}

function valueAt(span: Span, path: string): Found | null {
  const attributes = attributesOf(span);
  const key = spanKeysOf(path).find((each) => Object.hasOwn(attributes, each));
  return key === undefined ? null : { key, value: attributes[key] };
}

/** The span column that a field such as `Span::name` or `name` stands for; null if there is none. */
function columnOf(field: string): string | null {
  const name = field.replace(/^Span::/, '');
  return isSpanColumn(name) ? name : null;
}

/** The value of a filter's field; undefined if the span does not have the field. */
function fieldOf(span: Span, field: string): unknown {
  const column = columnOf(field);
  if (column !== null) return span[column];
  return field.includes('::') ? spanField(span, field) : valueAt(span, field)?.value;
}

/**
 * Whether a span has the field. A field in the published grammar (SERVICE.md F2.3) is an attribute even if the span
 * lacks it.
 */
function hasField(span: Span, field: string): boolean {
  const column = columnOf(field);
  if (column !== null) return Object.hasOwn(span, column);
  return field.includes('::') || valueAt(span, field) !== null;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : writeExact(value));
const filterText = (value: unknown): string => cutText(writeExact(value), MAX_FILTER_TEXT);

const GROUP_KEYS = new Set(['condition', 'rules']);
const RULE_KEYS = new Set(['field', 'operator', 'value']);

/** An unknown key can reverse the meaning of a filter. So can a value of `is_null`, which takes none. */
function hasUnknownKey(node: unknown): boolean {
  if (!isObject(node)) return true;
  const { rules } = node;
  if (Array.isArray(rules))
    return Object.keys(node).some((key) => !GROUP_KEYS.has(key)) || rules.some(hasUnknownKey);
  const { operator, value } = node;
  const takesNone =
    typeof operator === 'string' && isFilterOperator(operator) && FILTER_OPERATORS[operator] === 'none';
  return (
    Object.keys(node).some((key) => !RULE_KEYS.has(key)) ||
    (takesNone && value !== undefined && value !== null)
  );
}

/** Whether at least one span has the field. */
type IsKnown = (field: string) => boolean;

/** Parses one rule or group of a filter; null if it is not understood. */
function readNode(node: unknown, isKnown: IsKnown): FilterNode | null {
  if (hasUnknownKey(node)) return null;
  try {
    const group = parseFilterTree(
      { condition: 'AND', rules: [node] },
      { aliases: SPAN_VOCABULARY.aliases, maxRules: 200 },
    );
    const [read] = group.rules;
    return read === undefined || hasUnknownField(read, isKnown) ? null : read;
  } catch {
    return null;
  }
}

function hasUnknownField(node: FilterNode, isKnown: IsKnown): boolean {
  if (isFilterGroup(node)) return node.rules.some((rule) => hasUnknownField(rule, isKnown));
  return (node.field.includes('::') && unknownSpanField(node) !== null) || !isKnown(node.field);
}

/**
 * The part of a filter that is understood, and the rest as texts. A part of a conjunction can be left out, because the
 * filter then selects too many spans, never too few. Nothing can be left out of an alternative, or of a group with an
 * unknown key.
 */
export function readRuleFilters(
  filters: unknown,
  isKnown: IsKnown,
): { filter: FilterGroup | null; ignored: string[] } {
  const none = { filter: null, ignored: [] };
  if (filters === null || filters === undefined) return none;
  if (!isObject(filters)) return { filter: null, ignored: [filterText(filters)] };
  const { rules, condition } = filters;
  const unknown = Object.entries(filters).filter(([key]) => !GROUP_KEYS.has(key));
  const known = Object.fromEntries(Object.entries(filters).filter(([key]) => GROUP_KEYS.has(key)));
  const isEmpty = rules === undefined ? condition === undefined : Array.isArray(rules) && rules.length === 0;
  if (unknown.length > 0 || (!isEmpty && !Array.isArray(rules))) {
    const parts = [...unknown.map(([key, value]) => ({ [key]: value })), ...(isEmpty ? [] : [known])];
    return { filter: null, ignored: parts.map(filterText) };
  }
  if (isEmpty || !Array.isArray(rules)) return none;
  const isAnd = condition === 'AND' || (condition === undefined && rules.length === 1);
  if (!isAnd) {
    const whole = readNode(filters, isKnown);
    return whole === null
      ? { filter: null, ignored: [filterText(filters)] }
      : { filter: { condition: 'AND', rules: [whole] }, ignored: [] };
  }
  const read = rules.map((rule: unknown) => ({ rule, node: readNode(rule, isKnown) }));
  const understood = read.flatMap(({ node }) => (node === null ? [] : [node]));
  return {
    filter: understood.length === 0 ? null : { condition: 'AND', rules: understood },
    ignored: read.flatMap(({ rule, node }) => (node === null ? [filterText(rule)] : [])),
  };
}

const fieldsOf = (node: FilterNode): string[] =>
  isFilterGroup(node) ? node.rules.flatMap(fieldsOf) : [node.field];

/** Finds out which fields of a rule's filters occur in at least one span. */
export class FieldSearch {
  readonly #missing: Set<string>;

  constructor(filters: unknown) {
    const { filter } = readRuleFilters(filters, () => true);
    this.#missing = new Set(filter === null ? [] : fieldsOf(filter));
    this.add({});
  }

  get isOver(): boolean {
    return this.#missing.size === 0;
  }

  add(span: Span): void {
    for (const field of this.#missing) if (hasField(span, field)) this.#missing.delete(field);
  }

  readonly isKnown = (field: string): boolean => !this.#missing.has(field);
}

const idOf = (span: Span): string => `${String(span['trace_id'])} ${String(span['span_id'])}`;

interface TriedInput {
  name: string;
  /** Path of the input as given by the rule. If it is not a text, no value is found. */
  path: unknown;
  missing: number;
  /** Number of spans with the value under each stored key. */
  foundAs: Map<string, number>;
}

/** Counts a found value under its stored key. An empty value counts as missing. */
function noted(input: TriedInput, found: Found | null): Found | null {
  if (found === null || found.value === null || found.value === '') {
    input.missing += 1;
    return null;
  }
  input.foundAs.set(found.key, (input.foundAs.get(found.key) ?? 0) + 1);
  return found;
}

/** Takes spans one by one. A repeated span is counted once. */
export class DryRun {
  readonly #draft: RuleDraft;
  readonly #filter: FilterGroup | null;
  readonly #ignored: string[];
  readonly #inputs: TriedInput[];
  readonly #seen = new Set<string>();
  readonly #traces = new Set<string>();
  readonly #rows: DryRunRow[] = [];
  readonly #shown: number;
  #matching = 0;
  #incomplete = 0;

  /**
   * `shown`: maximum number of matching spans that are returned with their inputs. `isKnown`: result of a field search
   * in the same spans.
   */
  constructor(draft: RuleDraft, shown: number, isKnown: IsKnown) {
    const { filter, ignored } = readRuleFilters(draft.filters, isKnown);
    this.#draft = draft;
    this.#filter = filter;
    this.#ignored = ignored;
    this.#inputs = Object.entries(draft.mappedInputKeys).map(([name, path]) => ({
      ...{ name, path, missing: 0, foundAs: new Map() },
    }));
    this.#shown = shown;
  }

  get spans(): number {
    return this.#seen.size;
  }

  has(span: Span): boolean {
    return this.#seen.has(idOf(span));
  }

  add(span: Span): void {
    const id = idOf(span);
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (this.#filter !== null && !matchesFilter(this.#filter, (field) => fieldOf(span, field))) return;
    this.#matching += 1;
    this.#traces.add(String(span['trace_id']));
    const values = this.#inputs.map((input) =>
      noted(input, typeof input.path === 'string' ? valueAt(span, input.path) : null),
    );
    if (values.includes(null)) this.#incomplete += 1;
    if (this.#rows.length >= this.#shown) return;
    this.#rows.push({
      spanId: String(span['span_id']),
      traceId: String(span['trace_id']),
      name: typeof span['name'] === 'string' ? span['name'] : '',
      startTime: typeof span['start_time'] === 'string' ? span['start_time'] : null,
      inputs: values.map((found) => (found === null ? null : cutText(textOf(found.value), MAX_TEXT))),
    });
  }

  result(isCut: boolean): RuleDryRun {
    return {
      ...{ spans: this.spans, isCut, matching: this.#matching, traces: this.#traces.size },
      ignoredFilters: this.#ignored,
      inputs: this.#inputs.map(({ name, path, missing, foundAs }): DryRunInput => {
        const keys = [...foundAs].toSorted((one, other) => other[1] - one[1]);
        return { name, path: textOf(path), foundAs: keys.map(([key]) => key), missing };
      }),
      incomplete: this.#incomplete,
      samplingRate: this.#draft.samplingRate,
      rows: this.#rows,
    };
  }
}
