/** Tokens and cost of spans, summed over a tree without counting a figure twice. Pure. */

import { isRawNumber } from './exact-json.ts';
import type { JsonObject } from './messages/message.ts';
import { attributeOf } from './messages/span-messages.ts';
import type { Pieces } from './pieces.ts';
import type { SpanNode, SpanPlace } from './span-tree.ts';

/** Tokens and cost that a span states, or the sums of several spans; null if none is stated. */
export interface Usage {
  inputTokens: number | null;
  outputTokens: number | null;
  /** The stated total, otherwise the sum of input and output. */
  tokens: number | null;
  costUsd: number | null;
}

/**
 * The usage of a tree, and the number of spans whose figures were not added because they include those of other spans.
 */
export interface TreeUsage extends Usage {
  nested: number;
}

const INPUT_TOKENS = ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.token_count.prompt'];
const OUTPUT_TOKENS = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
];
const TOKENS = ['gen_ai.usage.total_tokens', 'llm.token_count.total'];
const TOKEN_TITLES = [
  ['Input tokens', INPUT_TOKENS],
  ['Output tokens', OUTPUT_TOKENS],
  ['Tokens', TOKENS],
] as const;

/** The names of fields with the tokens of a span, as `usageOf` finds them. */
export const TOKEN_FIELD = new RegExp(
  `(^|\\.)(${TOKEN_TITLES.flatMap(([, names]) => names)
    .map((name) => name.replaceAll('.', '\\.'))
    .join('|')})$`,
);

/** The title of a field with tokens of a span; null for other fields. */
export function tokenTitle(field: string): string | null {
  const [, , name] = TOKEN_FIELD.exec(field) ?? [];
  return TOKEN_TITLES.find(([, names]) => names.some((each) => each === name))?.[0] ?? null;
}

const COST_USD = ['cost_usd'];
const FIELDS = ['inputTokens', 'outputTokens', 'tokens', 'costUsd'] as const;
const A_PIECE = 500;

/** Reads the figures of a record; ignores those that are not numbers of at least zero. */
export function usageOf(record: JsonObject): Usage {
  const figure = (names: readonly string[]) => numberOf(attributeOf(record, names));
  const [inputTokens, outputTokens] = [figure(INPUT_TOKENS), figure(OUTPUT_TOKENS)];
  const parts = [inputTokens, outputTokens].filter((each) => each !== null);
  const sum = parts.length === 0 ? null : parts.reduce((total, each) => total + each, 0);
  return { inputTokens, outputTokens, tokens: figure(TOKENS) ?? sum, costUsd: figure(COST_USD) };
}

const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

function numberOf(value: unknown): number | null {
  const number = isRawNumber(value) || typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 && !isBlank(value)
    ? number
    : null;
}

/** A span that may state tokens and cost. */
interface UsingSpan extends SpanPlace {
  traceId: string;
  type: string;
  usage: Usage;
}

/**
 * Sums the figures of all spans under `roots`. Instrumentation often states a call twice, for the framework and for the
 * client below it, and some agents state the sum of their calls. So a span counts with its own figure or the sum of the
 * spans below it, whichever is larger. A figure of an agent or chain without spans below it counts only if no call of
 * its trace states that figure, because its calls may have another parent, or one that is missing.
 */
export function* sumUsage<S extends UsingSpan>(roots: readonly SpanNode<S>[]): Pieces<TreeUsage> {
  // Parents come before their children, so the reverse order adds the spans below a span first.
  const order: SpanNode<S>[] = [...roots];
  /** Figures that model calls state, by trace. */
  const stated = new Map<string, Set<keyof Usage>>();
  for (let at = 0; at < order.length; at += 1) {
    if (at % A_PIECE === 0) yield undefined;
    const node = order[at];
    if (node === undefined) continue;
    if (CALLS.has(node.type.toLowerCase())) {
      const fields = stated.get(node.traceId) ?? new Set();
      for (const field of FIELDS) if (node.usage[field] !== null) fields.add(field);
      stated.set(node.traceId, fields);
    }
    for (const child of node.children) order.push(child);
  }
  let nested = 0;
  const sums = new Map<SpanNode<S> | null, Usage>();
  for (let at = order.length - 1; at >= 0; at -= 1) {
    if (at % A_PIECE === 0) yield undefined;
    const node = order[at];
    if (node === undefined) continue;
    const below = sums.get(node) ?? NO_USAGE;
    sums.delete(node);
    const isAlone = node.children.length === 0 && ENCLOSING.has(node.type.toLowerCase());
    const repeats = (field: keyof Usage) => isAlone && stated.get(node.traceId)?.has(field) === true;
    if (FIELDS.some((field) => node.usage[field] !== null && (repeats(field) || below[field] !== null)))
      nested += 1;
    const parent = sums.get(node.parent) ?? { ...NO_USAGE };
    for (const field of FIELDS) {
      const own = repeats(field) ? null : node.usage[field];
      parent[field] = added(parent[field], larger(own, below[field]));
    }
    sums.set(node.parent, parent);
  }
  return { ...(sums.get(null) ?? NO_USAGE), nested };
}

const CALLS = new Set(['llm', 'embedding']);
/** Types of spans whose figures usually include those of other spans. */
const ENCLOSING = new Set(['agent', 'chain', 'workflow', '']);
export const NO_USAGE: Usage = { inputTokens: null, outputTokens: null, tokens: null, costUsd: null };
const added = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : one + other;
const larger = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);
