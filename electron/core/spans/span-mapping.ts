/**
 * Maps a span's attributes to the item that the service creates (SERVICE.md S4.9, rules of from-spans; SERVICE.md
 * F3.3). Pure. A field whose key the span lacks is left out of the item.
 */
import { BUCKETS, type Bucket, type ItemBuckets, type Mapping } from '../../shared/dataset-model.ts';
import { isRawNumber } from '../../shared/exact-json.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** Prefixes that spans.fields adds to keys, for the origin of an attribute. */
const ORIGINS = ['system.', 'user.'] as const;

/** The `span_attributes` of a span as received; empty if it has none. */
export function attributesOf(record: Readonly<Record<string, unknown>> | null): Attributes {
  const value = record?.['span_attributes'];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/**
 * Attribute names that a key may stand for: the key itself, or the key with an origin if it was typed without one, as
 * in the published example.
 */
export function namesOf(key: string): string[] {
  return [key, ...ORIGINS.map((origin) => `${origin}${key}`)];
}

/** Whether a span with these attribute keys has the value for `key`. */
export function holdsKey(keys: ReadonlySet<string>, key: string): boolean {
  return namesOf(key).some((name) => keys.has(name));
}

interface MappedSpan {
  item: ItemBuckets;
  /** Indices of the entries whose key the span lacks. */
  missing: number[];
}

/** The item made from a span. If two entries have the same bucket and field, the later one wins. */
export function mapSpan(attributes: Attributes, mapping: Mapping): MappedSpan {
  const fields: Record<Bucket, [string, unknown][]> = {
    inputs: [],
    expected_outputs: [],
    metadata: [],
    extras: [],
  };
  const missing: number[] = [];
  mapping.forEach(({ bucket, field, key }, index) => {
    const name = namesOf(key).find((candidate) => Object.hasOwn(attributes, candidate));
    if (name === undefined) missing.push(index);
    else fields[bucket].push([field, attributes[name]]);
  });
  return {
    // Uses `fromEntries`, because a field may be called `__proto__`.
    item: {
      inputs: Object.fromEntries(fields.inputs),
      expected_outputs: Object.fromEntries(fields.expected_outputs),
      metadata: Object.fromEntries(fields.metadata),
      extras: Object.fromEntries(fields.extras),
    },
    missing,
  };
}

/** The mapping in the form of a call: a record from field to key for each bucket with entries. */
export function toWire(mapping: Mapping): Partial<Record<Bucket, Record<string, string>>> {
  const buckets = BUCKETS.map((bucket): [Bucket, Record<string, string>] => [
    bucket,
    Object.fromEntries(
      mapping.filter((entry) => entry.bucket === bucket).map(({ field, key }) => [field, key]),
    ),
  ]);
  return Object.fromEntries(buckets.filter(([, fields]) => Object.keys(fields).length > 0));
}

/** The reverse of `toWire`: entries in the order of the buckets and of their fields. */
export function fromWire(wire: Partial<Record<Bucket, Readonly<Record<string, string>> | null>>): Mapping {
  return BUCKETS.flatMap((bucket) =>
    Object.entries(wire[bucket] ?? {}).map(([field, key]) => ({ bucket, field, key })),
  );
}

const BUCKET_WORDS: Record<Bucket, string> = {
  inputs: 'inputs',
  expected_outputs: 'expected outputs',
  metadata: 'metadata',
  extras: 'extras',
};

/** Problems that prevent a mapping from being sent, as texts; empty if it can be sent. */
export function mappingProblems(mapping: Mapping): string[] {
  const problems: string[] = [];
  if (!mapping.some(({ bucket }) => bucket === 'inputs')) problems.push('Map at least one key to inputs.');
  const seen = new Set<string>();
  for (const { bucket, field, key } of mapping) {
    const where = BUCKET_WORDS[bucket];
    if (field === '') problems.push(`A field of ${where} has no name${key === '' ? '' : ` (key ${key})`}.`);
    if (key === '')
      problems.push(`${field === '' ? 'A field' : `The field ${field}`} of ${where} has no key.`);
    // JSON parsers drop such a field, both here and at the service.
    if (field === '__proto__') problems.push(`${where}: no field can be called __proto__.`);
    const name = `${bucket} ${field}`;
    if (field !== '' && seen.has(name)) problems.push(`${where}: the field ${field} occurs more than once.`);
    seen.add(name);
  }
  return [...new Set(problems)];
}

/** Number of spans with the same set of attribute keys. */
export interface KeyShape {
  keys: ReadonlySet<string>;
  spans: number;
}

/**
 * For each entry of the mapping, the number of spans with its key. Also the number of spans that lack at least one key,
 * and of spans that lack the keys of all inputs.
 */
export function coverageOf(
  shapes: readonly KeyShape[],
  mapping: Mapping,
): { coverage: { present: number; of: number }[]; spansWithMissing: number; spansWithoutInputs: number } {
  const inputs = mapping.filter(({ bucket }) => bucket === 'inputs');
  const spansWith = (isMet: (keys: ReadonlySet<string>) => boolean) =>
    shapes.reduce((sum, { keys, spans }) => sum + (isMet(keys) ? spans : 0), 0);
  const of = shapes.reduce((sum, { spans }) => sum + spans, 0);
  return {
    coverage: mapping.map(({ key }) => ({ present: spansWith((keys) => holdsKey(keys, key)), of })),
    spansWithMissing: spansWith((keys) => lacksAny(keys, mapping)),
    spansWithoutInputs: spansWith((keys) => !inputs.some(({ key }) => holdsKey(keys, key))),
  };
}

export function lacksAny(keys: ReadonlySet<string>, mapping: Mapping): boolean {
  return mapping.some(({ key }) => !holdsKey(keys, key));
}

/** JSON text that is equal for equal values, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || isRawNumber(value))
    return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.entries(value).filter(([, part]) => part !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`).join(',')}}`;
}

/** The four buckets of a stored item. A null or absent bucket is treated as empty. */
export function bucketsOf(item: Readonly<Record<string, unknown>>): ItemBuckets {
  const bucket = (name: Bucket): Record<string, unknown> => {
    const value = item[name];
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  };
  return {
    inputs: bucket('inputs'),
    expected_outputs: bucket('expected_outputs'),
    metadata: bucket('metadata'),
    extras: bucket('extras'),
  };
}

/** The first difference between two items, e.g. `inputs.question`; null if they are equal. */
export function firstDifference(one: ItemBuckets, other: ItemBuckets): string | null {
  for (const bucket of BUCKETS) {
    const fields = new Set([...Object.keys(one[bucket]), ...Object.keys(other[bucket])]);
    for (const field of fields) {
      const isInBoth = Object.hasOwn(one[bucket], field) && Object.hasOwn(other[bucket], field);
      if (!isInBoth || canonicalJson(one[bucket][field]) !== canonicalJson(other[bucket][field]))
        return `${bucket}.${field}`;
    }
  }
  return null;
}
