/** Follows the references of JSON schemas. Pure. */
import { isRawNumber } from './exact-json.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Excludes lists, and numbers that are stored as objects to keep all digits. */
export const isSchemaObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** Whether a reference has a supported form: a path inside the same schema. */
export const isLocalReference = (reference: string): boolean => /^#(?:\/|$)/.test(reference);

/** The part of a schema at a reference such as #/$defs/name; undefined if it leads to nothing. */
export function schemaPart(root: unknown, reference: string): unknown {
  let part = root;
  for (const step of reference.split('/').slice(1)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(part)) part = part[Number(key)];
    else part = isSchemaObject(part) && Object.hasOwn(part, key) ? part[key] : undefined;
    if (part === undefined) return undefined;
  }
  return part;
}

/** The text with its percent signs read as escapes; unchanged if it is not valid as such. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
