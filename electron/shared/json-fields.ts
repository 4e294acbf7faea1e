/** Types of JSON values, and safe access to them. Pure. */
import { isRawNumber } from './exact-json.ts';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** A text field; empty if it is missing or not a text. */
export function textOf(record: unknown, field: string): string {
  const value = isJsonObject(record) ? record[field] : undefined;
  return typeof value === 'string' ? value : '';
}

/** The texts of a list; other values are left out. */
export function textsOf(record: unknown, field: string): string[] {
  const value = isJsonObject(record) ? record[field] : undefined;
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** The objects of a list; other values are left out. */
export function objectsOf(record: unknown, field: string): JsonObject[] {
  const value = isJsonObject(record) ? record[field] : undefined;
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** A field's object, or an empty one. */
export function objectOf(record: unknown, field: string): JsonObject {
  const value = isJsonObject(record) ? record[field] : undefined;
  return isJsonObject(value) ? value : {};
}

/** The same object with some fields changed; fields set to undefined are removed. */
export function withFields(object: JsonObject, change: { [key: string]: Json | undefined }): JsonObject {
  const next = { ...object };
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined) delete next[key];
    else next[key] = value;
  }
  return next;
}
