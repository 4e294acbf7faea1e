/** Tries an evaluator rule on spans: which match its filters, and what the inputs would be. Pure. */
import { keysOf } from '../../shared/catalog-entity.ts';
import { cutText } from '../../shared/cut-text.ts';
import { writeExact } from '../../shared/exact-json.ts';
import type { DryRunInput, DryRunRow, RuleDraft, RuleDryRun } from '../../shared/rule-dry-run.ts';
import { isObject } from '../items/flattened.ts';
import { type FilterGroup, type FilterNode, matchesFilter, parseFilterTree } from '../text/filters.ts';
import { attributesOf } from './span-mapping.ts';
import { SPAN_VOCABULARY, spanField, unknownSpanField } from './span-rules.ts';

type Span = Readonly<Record<string, unknown>>;

const MAX_TEXT = 300;
const MAX_TRACES = 1_000_000;
/** Only shown: a filter of a service is of any size. */
const MAX_FILTER_TEXT = 500;

/** Contents of spans are system attributes: `fiddler.contents.gen_ai.llm.output`. */
const CONTENTS = /^fiddler\.contents\./;

/** Keys of a span's attributes that a path of a rule may stand for (SERVICE.md F14). */
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

/** The value of a filter's field; undefined if the span lacks it. */
function fieldOf(span: Span, field: string): unknown {
  return field.includes('::') ? spanField(span, field) : valueAt(span, field)?.value;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : writeExact(value));

/** One rule or group of a filter; null if it is not understood. */
function readNode(node: unknown): FilterNode | null {
  try {
    const group = parseFilterTree(
      { condition: 'AND', rules: [node] },
      { aliases: SPAN_VOCABULARY.aliases, maxRules: 200 },
    );
    const [read] = group.rules;
    return read === undefined || hasUnknownField(read) ? null : read;
  } catch {
    return null;
  }
}

function hasUnknownField(node: FilterNode): boolean {
  if ('rules' in node) return node.rules.some(hasUnknownField);
  return node.field.includes('::') && unknownSpanField(node) !== null;
}

/**
 * The understood part of a filter, and the rest as texts. A part of a conjunction can be left out: the rest then selects
 * too many spans, never too few. Of an alternative, nothing can.
 */
export function readRuleFilters(filters: unknown): { filter: FilterGroup | null; ignored: string[] } {
  const all = (value: unknown) => ({ filter: null, ignored: [cutText(writeExact(value), MAX_FILTER_TEXT)] });
  if (filters === null || filters === undefined) return { filter: null, ignored: [] };
  if (!isObject(filters)) return all(filters);
  const { rules, condition } = filters;
  if (!Array.isArray(rules))
    return Object.keys(filters).length === 0 ? { filter: null, ignored: [] } : all(filters);
  if (rules.length === 0) return { filter: null, ignored: [] };
  const isAnd = condition === 'AND' || (condition === undefined && rules.length === 1);
  if (!isAnd) {
    const whole = readNode(filters);
    return whole === null ? all(filters) : { filter: { condition: 'AND', rules: [whole] }, ignored: [] };
  }
  const read = rules.map((rule: unknown) => ({ rule, node: readNode(rule) }));
  const understood = read.flatMap(({ node }) => (node === null ? [] : [node]));
  return {
    filter: understood.length === 0 ? null : { condition: 'AND', rules: understood },
    ignored: read.flatMap(({ rule, node }) =>
      node === null ? [cutText(writeExact(rule), MAX_FILTER_TEXT)] : [],
    ),
  };
}

/** Takes spans one by one; a span that was taken before is not counted again. */
export class DryRun {
  readonly #draft: RuleDraft;
  readonly #filter: FilterGroup | null;
  readonly #ignored: string[];
  readonly #paths: [string, string][];
  readonly #missing: number[];
  readonly #foundAs: Map<string, number>[];
  readonly #seen = new Set<string>();
  readonly #traces = new Set<string>();
  readonly #rows: DryRunRow[] = [];
  readonly #shown: number;
  #matching = 0;
  #incomplete = 0;

  /** `shown`: how many matching spans are returned with their inputs. */
  constructor(draft: RuleDraft, shown: number) {
    const { filter, ignored } = readRuleFilters(draft.filters);
    this.#draft = draft;
    this.#filter = filter;
    this.#ignored = ignored;
    this.#paths = Object.entries(draft.mappedInputKeys);
    this.#missing = this.#paths.map(() => 0);
    this.#foundAs = this.#paths.map(() => new Map());
    this.#shown = shown;
  }

  get spans(): number {
    return this.#seen.size;
  }

  add(span: Span): void {
    const id = `${String(span['trace_id'])} ${String(span['span_id'])}`;
    if (this.#seen.has(id)) return;
    this.#seen.add(id);
    if (this.#filter !== null && !matchesFilter(this.#filter, (field) => fieldOf(span, field))) return;
    this.#matching += 1;
    if (this.#traces.size < MAX_TRACES) this.#traces.add(String(span['trace_id']));
    const values = this.#paths.map(([, path], at) => this.#note(at, valueAt(span, path)));
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

  /** An empty value is no input. */
  #note(at: number, found: Found | null): Found | null {
    const has = found !== null && found.value !== null && found.value !== '';
    if (!has) {
      this.#missing[at] = (this.#missing[at] ?? 0) + 1;
      return null;
    }
    const keys = this.#foundAs[at];
    keys?.set(found.key, (keys.get(found.key) ?? 0) + 1);
    return found;
  }

  result(isCut: boolean): RuleDryRun {
    return {
      ...{ spans: this.spans, isCut, matching: this.#matching, traces: this.#traces.size },
      ignoredFilters: this.#ignored,
      inputs: this.#paths.map(([name, path], at): DryRunInput => {
        const keys = [...(this.#foundAs[at] ?? [])].toSorted((one, other) => other[1] - one[1]);
        return { name, path, foundAs: keys.map(([key]) => key), missing: this.#missing[at] ?? 0 };
      }),
      incomplete: this.#incomplete,
      samplingRate: this.#draft.samplingRate,
      rows: this.#rows,
    };
  }
}
