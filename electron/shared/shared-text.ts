/**
 * Data that people share as a file or a text, such as a view or a mapping, and safe parsing of it as untrusted input.
 * Pure.
 */
import { parseExact } from './exact-json.ts';
import type * as z from './zod.ts';

const VERSION = 1;

interface SharedKind<T> {
  /** Name of the format at the beginning of the text, e.g. `spandeck-view`. */
  format: string;
  noun: string;
  /** Schema of the whole text, with `format` and `version`. */
  schema: z.ZodType<T>;
}

type ReadShared<T> = { isOk: true; value: T } | { isOk: false; problem: string };

export function sharedText(format: string, content: object, indent = 2): string {
  return JSON.stringify({ format, version: VERSION, ...content }, null, indent);
}

/** Whether a text looks like one of this kind, intact or damaged. */
export function isSharedText(format: string, text: string): boolean {
  // A long file without the name of the format need not be parsed.
  if (!text.includes(`"${format}"`)) return false;
  const start = text.trimStart();
  const value = start.startsWith('{') ? parsed(start) : null;
  // Damaged text begins as `sharedText` writes it.
  if (value === null) return new RegExp(`^\\{\\s*"format"\\s*:\\s*"${format}"`).test(start);
  return 'format' in value && value.format === format;
}

/** Reads a shared text. `damaged` is the problem to report if the text is not JSON. */
export function readShared<T>(
  { format, noun, schema }: SharedKind<T>,
  json: string,
  damaged = 'The text is not complete JSON. Copy the whole text again.',
): ReadShared<T> {
  const value = parsed(json);
  if (value === null) return problemOf(damaged);
  const { format: found, version } = value as Record<string, unknown>;
  if (found !== format) return problemOf(`This is not a ${noun} of Spandeck.`);
  if (version !== VERSION)
    return problemOf(`The ${noun} was made with a newer Spandeck. Update Spandeck to open it.`);
  const checked = schema.safeParse(value);
  if (checked.success) return { isOk: true, value: checked.data };
  const place = placeOf(checked.error.issues[0]).join('.');
  return problemOf(
    place === ''
      ? `The ${noun} has an unknown part.`
      : `The ${noun} has a part that cannot be used: ${place}.`,
  );
}

/** Path of a problem in the text; if several forms are allowed, its path in the form that fits best. */
function placeOf(issue: z.core.$ZodIssue | undefined): PropertyKey[] {
  if (issue === undefined) return [];
  const forms = issue.code === 'invalid_union' ? issue.errors.map(([first]) => placeOf(first)) : [];
  const deepest = forms.toSorted((one, other) => other.length - one.length)[0] ?? [];
  return [...issue.path, ...deepest];
}

const problemOf = (problem: string) => ({ isOk: false, problem }) as const;

function parsed(json: string): object | null {
  try {
    const value = parseExact(json);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    // Not JSON.
    return null;
  }
}
