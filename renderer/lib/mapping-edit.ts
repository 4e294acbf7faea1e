/**
 * Edits to a mapping: keys are assigned to buckets; fields are renamed, moved and removed. Pure; returns new
 * mappings.
 */
import {
  BUCKETS,
  type Bucket,
  type Mapping,
  type MappingEntry,
} from '../../electron/shared/dataset-model.ts';

export const BUCKET_TITLES: Readonly<Record<Bucket, string>> = {
  inputs: 'Inputs',
  expected_outputs: 'Expected outputs',
  metadata: 'Metadata',
  extras: 'Extras',
};

/** `answer (expected outputs)` */
export function fieldText({ bucket, field }: { bucket: Bucket; field: string }): string {
  return `${field} (${BUCKET_TITLES[bucket].toLowerCase()})`;
}

/** Words in a key that name its origin and not its meaning. */
const ORIGINS = new Set(['system', 'user', 'gen_ai', 'llm', 'fiddler', 'span']);

/**
 * `system.gen_ai.usage.input_tokens` → `input_tokens`; if the bucket already has that name, more of the key
 * is used.
 */
export function fieldNameFor(key: string, taken: ReadonlySet<string>): string {
  const words = key.split('.').filter((word) => word !== '');
  for (let count = 1; count <= words.length; count += 1) {
    const name = words.slice(-count).join('_');
    if (!taken.has(name) && !ORIGINS.has(name)) return name;
  }
  const whole = words.join('_') || 'field';
  for (let number = 2; ; number += 1) {
    const name = `${whole}_${number}`;
    if (!taken.has(name)) return name;
  }
}

function fieldsOf(mapping: Mapping, bucket: Bucket): Set<string> {
  return new Set(mapping.filter((entry) => entry.bucket === bucket).map(({ field }) => field));
}

/** Buckets that contain a key, in their order. */
export function bucketsOfKey(mapping: Mapping, key: string): Bucket[] {
  return BUCKETS.filter((bucket) => mapping.some((entry) => entry.key === key && entry.bucket === bucket));
}

/** Adds keys to a bucket. Keys that the bucket already has are not added again. */
export function assignKeys(mapping: Mapping, keys: readonly string[], bucket: Bucket): Mapping {
  let next = mapping;
  for (const key of keys) {
    if (next.some((entry) => entry.key === key && entry.bucket === bucket)) continue;
    next = [...next, { bucket, field: fieldNameFor(key, fieldsOf(next, bucket)), key }];
  }
  return next;
}

/** Removes keys from a bucket, or from all buckets if none is named. */
export function dropKeys(mapping: Mapping, keys: readonly string[], bucket: Bucket | null = null): Mapping {
  return mapping.filter((entry) => !keys.includes(entry.key) || (bucket !== null && entry.bucket !== bucket));
}

/** Adds keys to the bucket, or removes them if it contains all of them. */
export function toggleKeys(mapping: Mapping, keys: readonly string[], bucket: Bucket): Mapping {
  const isIn = (key: string) => mapping.some((entry) => entry.key === key && entry.bucket === bucket);
  return keys.every(isIn) ? dropKeys(mapping, keys, bucket) : assignKeys(mapping, keys, bucket);
}

export function removeEntry(mapping: Mapping, index: number): Mapping {
  return mapping.filter((_, at) => at !== index);
}

export function renameField(mapping: Mapping, index: number, field: string): Mapping {
  return mapping.map((entry, at) => (at === index ? { ...entry, field } : entry));
}

/** Moves an entry to the end of another bucket; the field keeps its name unless the bucket already has it. */
export function moveEntry(mapping: Mapping, index: number, bucket: Bucket): Mapping {
  const entry = mapping[index];
  if (entry === undefined || entry.bucket === bucket) return mapping;
  const taken = fieldsOf(mapping, bucket);
  const field = taken.has(entry.field) ? fieldNameFor(entry.key, taken) : entry.field;
  return [...removeEntry(mapping, index), { bucket, field, key: entry.key }];
}

/** Moves an entry one position up or down among the fields of its bucket. */
export function shiftEntry(mapping: Mapping, index: number, by: 1 | -1): Mapping {
  const entry = mapping[index];
  if (entry === undefined) return mapping;
  const own = entriesOf(mapping, entry.bucket).map((each) => each.index);
  const other = own[own.indexOf(index) + by];
  const swapped = other === undefined ? undefined : mapping[other];
  if (other === undefined || swapped === undefined) return mapping;
  return mapping.with(index, swapped).with(other, entry);
}

/** Fields of a bucket with their indices in the whole mapping. */
export function entriesOf(mapping: Mapping, bucket: Bucket): { entry: MappingEntry; index: number }[] {
  return mapping.flatMap((entry, index) => (entry.bucket === bucket ? [{ entry, index }] : []));
}

/** The reason why the name of a field is invalid, or null. */
export function fieldProblem(mapping: Mapping, index: number): string | null {
  const entry = mapping[index];
  if (entry === undefined) return null;
  if (entry.field.trim() === '') return 'A field needs a name.';
  const isTwice = mapping.some(
    (other, at) => at !== index && other.bucket === entry.bucket && other.field === entry.field,
  );
  return isTwice ? `Two fields of ${BUCKET_TITLES[entry.bucket].toLowerCase()} have this name.` : null;
}

export function isSameMapping(a: Mapping, b: Mapping): boolean {
  return (
    a.length === b.length &&
    a.every((entry, at) => {
      const other = b[at];
      return entry.bucket === other?.bucket && entry.field === other.field && entry.key === other.key;
    })
  );
}
