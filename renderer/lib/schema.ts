/** The schema record of a dataset (SERVICE.md S2.6) as table rows. Pure; tolerates missing fields. */
import { BUCKETS } from './column-guess.ts';
import { isObject } from './records.ts';

interface SchemaKey {
  bucket: string;
  bucketTitle: string;
  key: string;
  count: number | null;
  /** Name of the type at the service. */
  dataType: string;
}

export interface SchemaFacts {
  totalItems: number;
  isSampled: boolean;
  keyCount: number;
  keys: SchemaKey[];
}

export function readSchema(record: Record<string, unknown> | null): SchemaFacts | null {
  if (record === null) return null;
  const keys = BUCKETS.flatMap(({ field, title }) => {
    const bucket = record[field];
    if (!isObject(bucket)) return [];
    return Object.entries(bucket).map(([key, entry]) => ({
      bucket: field,
      bucketTitle: title,
      key,
      count: isObject(entry) && typeof entry['count'] === 'number' ? entry['count'] : null,
      dataType: isObject(entry) && typeof entry['data_type'] === 'string' ? entry['data_type'] : '',
    }));
  });
  const total = record['total_items'];
  return {
    totalItems: typeof total === 'number' ? total : 0,
    isSampled: record['sampled'] === true,
    keyCount: keys.length,
    keys,
  };
}

/** Keys of each bucket: first those of the schema, then others found in rows. */
export function mergeKeys(
  schema: SchemaFacts | null,
  seen: ReadonlyMap<string, readonly string[]>,
): Map<string, string[]> {
  return new Map(
    BUCKETS.map(({ field }) => {
      const known = (schema?.keys ?? []).filter((each) => each.bucket === field).map((each) => each.key);
      const further = (seen.get(field) ?? []).filter((key) => !known.includes(key));
      return [field, [...known, ...further]];
    }),
  );
}

/** Type names of the service for values that are not texts. The full set of names is unknown. */
const NO_TEXT = /^(?:float|double|int|num|bool|arr|list|obj|dict|json)/i;

/** Keys such as `inputs.score` whose values are not texts: by the rows; for keys that no row has, by the schema. */
export function otherKeys(schema: SchemaFacts | null, rows: readonly Record<string, unknown>[]): Set<string> {
  const found = new Map(
    (schema?.keys ?? []).map(({ bucket, key, dataType }) => [`${bucket}.${key}`, NO_TEXT.test(dataType)]),
  );
  const seen = BUCKETS.flatMap(({ field }) =>
    rows.flatMap((row) => {
      const bucket = row[field];
      if (!isObject(bucket)) return [];
      const filled = Object.entries(bucket).filter(([, value]) => value !== null);
      return filled.map(([key, value]) => ({ name: `${field}.${key}`, isOther: typeof value !== 'string' }));
    }),
  );
  for (const [name, values] of Map.groupBy(seen, (each) => each.name))
    found.set(
      name,
      values.every(({ isOther }) => isOther),
    );
  return new Set([...found].flatMap(([name, isOther]) => (isOther ? [name] : [])));
}
