/** Makes items of a dataset from spans: the available keys, and the result of a mapping. */
import { unfilledFields, unseenFields } from '../../../electron/core/spans/suggest-mapping.ts';
import type {
  DatasetTarget,
  ItemBuckets,
  Mapping,
  SuggestedEntry,
} from '../../../electron/shared/dataset-model.ts';
import type { Json } from './records.ts';
import { scenario } from './scenario.ts';

const BUCKETS = ['inputs', 'expected_outputs', 'metadata', 'extras'] as const;

export function attributesOf(record: Json): Json {
  return (record['span_attributes'] ?? {}) as Json;
}

export function itemOf(record: Json, mapping: Mapping): ItemBuckets {
  const attributes = attributesOf(record);
  const fields = (bucket: (typeof BUCKETS)[number]) =>
    mapping
      .filter((entry) => entry.bucket === bucket && entry.key in attributes)
      .map(({ field, key }): [string, unknown] => [field, attributes[key]]);
  return Object.fromEntries(
    BUCKETS.map((bucket) => [bucket, Object.fromEntries(fields(bucket))]),
  ) as ItemBuckets;
}

export function problemsOf(mapping: Mapping): string[] {
  const hasInputs = mapping.some(({ bucket }) => bucket === 'inputs');
  const names = mapping.map(({ bucket, field }) => `${bucket} ${field}`);
  return [
    ...(hasInputs ? [] : ['Map at least one key to inputs.']),
    ...(new Set(names).size < names.length ? ['A field occurs more than once.'] : []),
  ];
}

/** Returns the keys of the attributes of spans in a build. */
export function keysOf(spans: readonly Json[], search: string) {
  const counts = new Map<string, unknown[]>();
  for (const attributes of spans) {
    for (const [key, value] of Object.entries(attributes))
      counts.set(key, [...(counts.get(key) ?? []), value]);
  }
  const keys = [...counts]
    .filter(([key]) => key.includes(search))
    .map(([key, values]) => ({
      key,
      count: values.length,
      of: spans.length,
      types: [...new Set(values.map((value) => typeof value))],
      samples: values.slice(0, 3).map(String),
    }))
    .sort((a, b) => b.count - a.count);
  return { keys, total: keys.length };
}

/** Fields that the items of every existing dataset have. */
const KNOWN = { inputs: ['question'], expected_outputs: ['answer', 'sources'] };

export function coverageOf(spans: readonly Json[], mapping: Mapping, target: DatasetTarget | null) {
  return {
    problems: problemsOf(mapping),
    coverage: mapping.map(({ key }) => ({
      present: spans.filter((attributes) => key in attributes).length,
      of: spans.length,
    })),
    spansWithMissing: spans.filter((attributes) => mapping.some(({ key }) => !(key in attributes))).length,
    spansWithoutInputs: spans.filter(
      (attributes) => !mapping.some(({ bucket, key }) => bucket === 'inputs' && key in attributes),
    ).length,
    unfilled: target?.kind === 'existing' ? unfilledFields(mapping, KNOWN) : [],
    unseen: target?.kind === 'existing' ? unseenFields(mapping, KNOWN) : [],
  };
}

/** Suggests the two keys that the spans of every service have under common names. */
export function suggest(): { entries: SuggestedEntry[] } {
  const reason = 'By the name of the key.';
  if (scenario.hasNoInputKeys === true)
    return { entries: [{ bucket: 'metadata', field: 'intent', key: 'user.intent', reason }] };
  return {
    entries: [
      { bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user', reason },
      { bucket: 'expected_outputs', field: 'answer', key: 'system.gen_ai.llm.output', reason },
    ],
  };
}
