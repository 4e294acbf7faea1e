/**
 * A first mapping for the keys of spans: by the names in practical use (SERVICE.md F2.5) and, before that, by the
 * fields a dataset holds already. Pure. Rules read the words of a key, so spellings of other tools fit as well.
 */
import type { Bucket, ItemField, Mapping, SuggestedEntry } from '../../shared/dataset-model.ts';

interface OfferedKey {
  key: string;
  count: number;
}

/** Fields of the target by bucket, as its schema gives them. */
export type KnownFields = Partial<Record<Bucket, readonly string[]>>;

interface Rule {
  /** All of these words, in any order; `a|b`: one of them. */
  words: readonly string[];
  bucket: Bucket;
  /** Null: the last words of the key. */
  field: string | null;
}

const rule = (words: string, bucket: Bucket, field: string | null = null): Rule => ({
  words: words.split(' '),
  bucket,
  field,
});

/** The first rule that fits decides. */
const RULES: readonly Rule[] = [
  rule('tokens|token', 'extras'),
  rule('cost|price', 'extras'),
  rule('latency|duration|elapsed|ms', 'extras'),
  rule('expected|reference|golden|gold|truth', 'expected_outputs'),
  rule('input system', 'inputs', 'system_prompt'),
  rule('system prompt|instructions', 'inputs', 'system_prompt'),
  rule('input user', 'inputs', 'question'),
  rule('user question|query|prompt|message', 'inputs', 'question'),
  rule('input messages', 'inputs', 'messages'),
  rule('output messages', 'expected_outputs', 'messages'),
  rule('tool name|definitions|description|type|id', 'metadata'),
  rule('tool input|arguments|args|parameters', 'inputs', 'tool_input'),
  rule('tool output|result', 'expected_outputs', 'tool_output'),
  rule('context|documents|passages|chunks|sources', 'inputs', 'context'),
  rule('llm output', 'expected_outputs', 'answer'),
  rule('answer|completion|response|reply text|content|output', 'expected_outputs', 'answer'),
  rule('answer|completion|response|reply', 'expected_outputs'),
  rule('question|query', 'inputs', 'question'),
  rule('prompt', 'inputs', 'prompt'),
  rule('output|outputs|result', 'expected_outputs'),
  rule('input|inputs|arguments', 'inputs'),
  rule('model|provider|agent|session|conversation|operation|version|environment', 'metadata'),
  rule('id|name|type|intent|category|language|locale|topic|tag|tags|tenant|region|label', 'metadata'),
];

/** Words that say where a key comes from, not what it is. */
const PREFIXES = new Set(['system', 'user', 'fiddler', 'span', 'session', 'gen', 'ai', 'llm', 'attributes']);
const MOST_ENTRIES = 60;

/** Words of a key, the origin before its first dot left out: `system.gen_ai.llm.input.user` → gen ai llm input user. */
function wordsOf(key: string): string[] {
  const body = key.replace(/^(?:system|user)\./, '');
  return body
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function fits({ words }: Rule, present: ReadonlySet<string>): boolean {
  return words.every((wanted) => wanted.split('|').some((word) => present.has(word)));
}

/** The shortest end of a key that says something: `gen_ai.usage.input_tokens` → input_tokens. */
function fieldOf(key: string, taken: (field: string) => boolean): string {
  const parts = key
    .replace(/^(?:system|user)\./, '')
    .split(/[^\p{L}\p{N}_-]+/u)
    .filter((part) => part !== '');
  for (let count = 1; count <= parts.length; count += 1) {
    const field = parts.slice(-count).join('_');
    const isPlain = !PREFIXES.has(field) && !['id', 'name', 'type', 'input', 'output'].includes(field);
    if ((isPlain || count === parts.length) && !taken(field)) return field;
  }
  return key;
}

/** Suggests a place for each key, the most frequent first; every field occurs once in its bucket. */
export function suggestMapping(keys: readonly OfferedKey[], known: KnownFields): SuggestedEntry[] {
  const entries: SuggestedEntry[] = [];
  const isTaken = (bucket: Bucket, field: string) =>
    entries.some((entry) => entry.bucket === bucket && entry.field === field);
  const left = keys.filter(({ count }) => count > 0).toSorted((a, b) => b.count - a.count || compare(a, b));
  for (const { key } of left) {
    const match = knownPlace(key, known, isTaken);
    if (match !== null) entries.push({ ...match, key, why: 'The dataset has a field with this name.' });
  }
  for (const { key } of left) {
    if (entries.length >= MOST_ENTRIES) break;
    if (entries.some((entry) => entry.key === key)) continue;
    const words = new Set(wordsOf(key));
    const found = RULES.find((candidate) => fits(candidate, words));
    const bucket = found?.bucket ?? 'extras';
    const named = found?.field ?? null;
    const field =
      named !== null && !isTaken(bucket, named) ? named : fieldOf(key, (name) => isTaken(bucket, name));
    if (isTaken(bucket, field)) continue;
    const why = found === undefined ? 'No known name: goes to extras.' : reasonOf(found);
    entries.push({ bucket, field, key, why });
  }
  return entries;
}

function reasonOf({ words }: Rule): string {
  return `By its name: ${words.map((word) => word.replaceAll('|', ' or ')).join(', ')}.`;
}

function compare(a: OfferedKey, b: OfferedKey): number {
  return a.key < b.key ? -1 : 1;
}

/** A field of the dataset whose name is the end of the key, or what the rules would call the key. */
function knownPlace(
  key: string,
  known: KnownFields,
  isTaken: (bucket: Bucket, field: string) => boolean,
): { bucket: Bucket; field: string } | null {
  const body = key.replace(/^(?:system|user)\./, '');
  const words = new Set(wordsOf(key));
  const byRule = RULES.find((candidate) => fits(candidate, words));
  for (const bucket of ['inputs', 'expected_outputs', 'metadata', 'extras'] as const) {
    for (const field of known[bucket] ?? []) {
      if (isTaken(bucket, field)) continue;
      const isEnd = body === field || body.endsWith(`.${field}`);
      const isCalled = byRule?.bucket === bucket && byRule.field === field;
      if (isEnd || isCalled) return { bucket, field };
    }
  }
  return null;
}

/** Fields of the dataset's inputs and expected outputs that a mapping leaves empty. */
export function unfilledFields(mapping: Mapping, known: KnownFields): ItemField[] {
  return (['inputs', 'expected_outputs'] as const).flatMap((bucket) =>
    (known[bucket] ?? [])
      .filter((field) => !mapping.some((entry) => entry.bucket === bucket && entry.field === field))
      .map((field) => ({ bucket, field })),
  );
}

/** Fields of a mapping that the dataset does not have; none of a dataset that has no fields. */
export function unseenFields(mapping: Mapping, known: KnownFields): ItemField[] {
  if (Object.values(known).every((fields) => fields.length === 0)) return [];
  return mapping
    .filter(({ bucket, field }) => !(known[bucket] ?? []).includes(field))
    .map(({ bucket, field }) => ({ bucket, field }));
}
