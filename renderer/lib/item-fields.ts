/** A dataset item as fields with a key and a value, which the user edits one by one. Pure. */
import { cutText } from '../../electron/shared/cut-text.ts';
import { BUCKETS, type Bucket } from '../../electron/shared/dataset-model.ts';
import { parseExact, writeExact } from '../../electron/shared/exact-json.ts';
import type { JsonObject } from './records.ts';
import { isObject } from './records.ts';

export interface EditedField {
  bucket: Bucket;
  key: string;
  /** `text`: entered literally. `json`: entered as JSON, for all other values. */
  kind: 'text' | 'json';
  text: string;
}

export type ItemContent = Partial<Record<Bucket, JsonObject>>;

export function fieldsOfItem(item: Readonly<Record<string, unknown>>): EditedField[] {
  return BUCKETS.flatMap((bucket) => {
    const fields = item[bucket];
    if (!isObject(fields)) return [];
    return Object.entries(fields).map(([key, value]): EditedField => {
      if (typeof value === 'string') return { bucket, key, kind: 'text', text: value };
      return { bucket, key, kind: 'json', text: writeExact(value) };
    });
  });
}

/** The item made from the fields, or the problem that prevents it. */
export function itemOfFields(fields: readonly EditedField[]): { item: ItemContent } | { problem: string } {
  const item: ItemContent = {};
  for (const { bucket, key, kind, text } of fields) {
    if (key === '') return { problem: 'Name every key.' };
    const own: JsonObject = item[bucket] ?? {};
    if (Object.hasOwn(own, key)) return { problem: `The key ${key} occurs twice in one bucket.` };
    const value = kind === 'text' ? { value: text } : jsonOf(text);
    if (value === null) return { problem: `The value of ${key} is not JSON. Text can be kept as text.` };
    item[bucket] = { ...own, [key]: value.value };
  }
  if (Object.keys(item).length === 0) return { problem: 'An item has at least one field.' };
  return { item };
}

/** A changed field of an item. The side that lacks the field is undefined. */
export interface FieldChange {
  bucket: Bucket;
  key: string;
  before: unknown;
  after: unknown;
}

/** The fields that differ, in the order of the buckets. An empty bucket counts as absent. */
export function fieldChanges(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): FieldChange[] {
  return BUCKETS.flatMap((bucket) => {
    const [own, other] = [before[bucket], after[bucket]].map((fields) => (isObject(fields) ? fields : {}));
    const keys = new Set([...Object.keys(own ?? {}), ...Object.keys(other ?? {})]);
    return [...keys].flatMap((key): FieldChange[] => {
      const change = { bucket, key, before: own?.[key], after: other?.[key] };
      return textOf(change.before) === textOf(change.after) ? [] : [change];
    });
  });
}

/** `undefined` stands for an absent field: it is not valid JSON, so no value has this text. */
const textOf = (value: unknown): string => (value === undefined ? 'undefined' : writeExact(value));

const MAX_SHOWN = 60;

/** A value on one line, truncated if it is long; `none` for an absent field. */
export function shortValue(value: unknown, most = MAX_SHOWN): string {
  if (value === undefined) return 'none';
  const text = (typeof value === 'string' ? value : writeExact(value)).replaceAll(/\s+/g, ' ').trim();
  if (text === '') return '“”';
  return cutText(text, most);
}

function jsonOf(text: string): { value: unknown } | null {
  try {
    return { value: parseExact(text) };
  } catch {
    return null;
  }
}

/** A recognizable title: the first text among the inputs, otherwise all inputs. */
export function itemTitle({ inputs = {}, ...rest }: ItemContent): string {
  const text = Object.values(inputs).find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof text === 'string') return text.replaceAll(/\s+/g, ' ').trim();
  return writeExact(Object.keys(inputs).length > 0 ? inputs : rest);
}
