/**
 * Suggests a mapping for the keys of spans: first from existing fields of the dataset, then from names in practical use
 * (SERVICE.md F2.5). Pure. Rules match the words of a key, so that spellings of other tools fit too.
 */
import type { Bucket, ItemField, Mapping, SuggestedEntry } from '../../shared/dataset-model.ts';

interface OfferedKey {
  key: string;
  count: number;
}

/** Fields of the target dataset by bucket, from its schema. */
export type KnownFields = Partial<Record<Bucket, readonly string[]>>;

interface Rule {
  /**
   * Words that the key must contain, in any order. `a|b` matches either word; `a|b$` matches either as the last word.
   */
  words: readonly string[];
  bucket: Bucket;
  /** Name of the suggested field; null to use the last words of the key. */
  field: string | null;
  /**
   * True for values about the call instead of its content. They are never suggested as an expected output, whatever
   * fields the dataset has.
   */
  isTechnical: boolean;
}

const rule = (words: string, bucket: Bucket, field: string | null = null): Rule => ({
  words: words.split(' '),
  bucket,
  field,
  isTechnical: false,
});
const technical = (words: string, bucket: Bucket): Rule => ({ ...rule(words, bucket), isTechnical: true });

/**
 * The first matching rule decides. The last word of a name tells the kind of value, so an output counts as text only if
 * its name ends in a word for text: `response.model` is a model, `model.response` is an answer.
 */
const RULES: readonly Rule[] = [
  technical('tokens|token|usage|count|counts|logprob|logprobs', 'extras'),
  technical('cost|costs|price', 'extras'),
  technical('latency|duration|elapsed|ms|seconds', 'extras'),
  technical('id|ids|uuid|guid|fingerprint$', 'metadata'),
  technical('reason|reasons$', 'extras'),
  technical('model|models|provider|vendor$', 'metadata'),
  technical('model name|version|type$', 'metadata'),
  technical('role|mime|kind|object|timestamp|format|length|size|index$', 'metadata'),
  technical('mime|finish', 'metadata'),
  rule('expected|reference|golden|gold|truth', 'expected_outputs'),
  technical('http|url|rpc|db|error|exception|embedding|embeddings', 'extras'),
  technical('guardrail|guardrails|moderation|eval|evaluation|evaluator|score|scores|feedback', 'extras'),
  rule('input|prompt system$', 'inputs', 'system_prompt'),
  rule('system prompt|instructions|instruction|message|content', 'inputs', 'system_prompt'),
  rule('input user', 'inputs', 'question'),
  rule('user question|query|prompt|message', 'inputs', 'question'),
  rule('input|prompt messages$', 'inputs', 'messages'),
  rule('output|response|completion messages$', 'expected_outputs', 'messages'),
  rule('output|response|completion arguments|args|parameters|calls$', 'extras'),
  rule('tool|function name|definitions|definition|description|type$', 'metadata'),
  rule('tool input|arguments|args|parameters', 'inputs', 'tool_input'),
  rule('tool output|result$', 'expected_outputs', 'tool_output'),
  rule('name|type|status|version|environment|language|locale|category|label|tag|tags$', 'metadata'),
  rule('context|documents|passages|chunks|sources', 'inputs', 'context'),
  rule('llm output$', 'expected_outputs', 'answer'),
  rule(
    'answer|completion|completions|response|reply|output|outputs|generation|assistant text|content|value|message$',
    'expected_outputs',
    'answer',
  ),
  rule('answer|completion|completions|response|reply|generation|output|outputs|result$', 'expected_outputs'),
  rule('question|query$', 'inputs', 'question'),
  rule('input value$', 'inputs', 'question'),
  rule('prompt prompt|prompts|text|value$', 'inputs', 'prompt'),
  rule('input|inputs|prompt|arguments input|inputs|prompt|arguments|content|text|message$', 'inputs'),
  rule('agent|session|conversation|operation|model|provider', 'metadata'),
  rule('name|type|intent|category|topic|tenant|region|tag|tags|label', 'metadata'),
];

/** Words that tell the origin of a key and nothing about its meaning. */
const PREFIXES = new Set(['system', 'user', 'fiddler', 'span', 'session', 'gen', 'ai', 'llm', 'attributes']);
/** Words with which many keys of messages end. They are meaningful only with the words before them. */
const COMMON_ENDS = new Set(['id', 'name', 'type', 'input', 'output', 'value', 'content', 'text', 'message']);
const MAX_ENTRIES = 60;

/**
 * Words of a key without its origin and list indices. For example, `system.gen_ai.llm.input.user` gives gen ai llm
 * input user, and `gen_ai.completion.0.content` gives gen ai completion content.
 */
function wordsOf(key: string): string[] {
  const body = key.replace(/^(?:system|user)\./, '');
  return body
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !/^\d+$/.test(word));
}

function fits({ words }: Rule, present: readonly string[]): boolean {
  return words.every((wanted) => {
    if (wanted.endsWith('$')) {
      const last = present.at(-1);
      return wanted
        .slice(0, -1)
        .split('|')
        .some((word) => word === last);
    }
    return wanted.split('|').some((word) => present.includes(word));
  });
}

function ruleOf(key: string): Rule | undefined {
  const words = wordsOf(key);
  return RULES.find((candidate) => fits(candidate, words));
}

/** The shortest ending of a key that has a meaning: `gen_ai.usage.input_tokens` becomes input_tokens. */
function fieldOf(key: string, taken: (field: string) => boolean): string {
  const parts = key
    .replace(/^(?:system|user)\./, '')
    .split(/[^\p{L}\p{N}_-]+/u)
    .filter((part) => part !== '');
  for (let count = 1; count <= parts.length; count += 1) {
    const last = parts.slice(-count);
    const field = last.join('_');
    const isPlain =
      !PREFIXES.has(field) && last.some((part) => !COMMON_ENDS.has(part) && !/^\d+$/.test(part));
    if ((isPlain || count === parts.length) && !taken(field)) return field;
  }
  return key;
}

/** Suggests a field for each key, the most frequent keys first. Each field of a bucket is suggested once. */
export function suggestMapping(keys: readonly OfferedKey[], known: KnownFields): SuggestedEntry[] {
  const entries: SuggestedEntry[] = [];
  const isTaken = (bucket: Bucket, field: string) =>
    entries.some((entry) => entry.bucket === bucket && entry.field === field);
  const left = keys.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count || compare(a, b));
  for (const { key } of left) {
    const match = knownPlace(key, known, isTaken);
    if (match !== null) entries.push({ ...match, key, reason: 'The dataset has a field with this name.' });
  }
  for (const { key } of left) {
    if (entries.length >= MAX_ENTRIES) break;
    if (entries.some((entry) => entry.key === key)) continue;
    const found = ruleOf(key);
    const bucket = found?.bucket ?? 'extras';
    const named = found?.field ?? null;
    const field =
      named !== null && !isTaken(bucket, named) ? named : fieldOf(key, (name) => isTaken(bucket, name));
    if (isTaken(bucket, field)) continue;
    const reason = found === undefined ? 'No known name: goes to extras.' : reasonOf(key, found);
    entries.push({ bucket, field, key, reason });
  }
  return entries;
}

/** The words of the key that the rule matched. */
function reasonOf(key: string, { words }: Rule): string {
  const present = wordsOf(key);
  const decisive = words.map((wanted) => {
    const choices = wanted.replace('$', '').split('|');
    return wanted.endsWith('$') ? present.at(-1) : choices.find((word) => present.includes(word));
  });
  return `By its name: ${[...new Set(decisive)].join(', ')}.`;
}

function compare(a: OfferedKey, b: OfferedKey): number {
  return a.key < b.key ? -1 : 1;
}

/** A field of the dataset that is named like the end of the key, or the field that the rules suggest. */
function knownPlace(
  key: string,
  known: KnownFields,
  isTaken: (bucket: Bucket, field: string) => boolean,
): { bucket: Bucket; field: string } | null {
  const body = key.replace(/^(?:system|user)\./, '');
  const byRule = ruleOf(key);
  for (const bucket of ['inputs', 'expected_outputs', 'metadata', 'extras'] as const) {
    if (bucket === 'expected_outputs' && byRule?.isTechnical === true) continue;
    for (const field of known[bucket] ?? []) {
      if (isTaken(bucket, field)) continue;
      const isEnd = body === field || body.endsWith(`.${field}`);
      const isCalled = byRule?.bucket === bucket && byRule.field === field;
      if (isEnd || isCalled) return { bucket, field };
    }
  }
  return null;
}

/** Fields of the dataset's inputs and expected outputs that no entry of the mapping fills. */
export function unfilledFields(mapping: Mapping, known: KnownFields): ItemField[] {
  return (['inputs', 'expected_outputs'] as const).flatMap((bucket) =>
    (known[bucket] ?? [])
      .filter((field) => !mapping.some((entry) => entry.bucket === bucket && entry.field === field))
      .map((field) => ({ bucket, field })),
  );
}

/** Fields of a mapping that the dataset does not have. Empty if the dataset has no fields at all. */
export function unseenFields(mapping: Mapping, known: KnownFields): ItemField[] {
  if (Object.values(known).every((fields) => fields.length === 0)) return [];
  return mapping
    .filter(({ bucket, field }) => !(known[bucket] ?? []).includes(field))
    .map(({ bucket, field }) => ({ bucket, field }));
}
