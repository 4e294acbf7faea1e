/** Adds a key and a value to the text of a JSON object, for users who do not write JSON. Pure. */
import { parseExact, writeExact } from '../../../electron/shared/exact-json.ts';
import { isObject } from '../records.ts';

export type KeyKind = 'text' | 'json';

/** The text with the key, or the reason why it cannot be added. Numbers keep their exact digits. */
export function withKey(
  text: string,
  { key, kind, value }: { key: string; kind: KeyKind; value: string },
): { text: string } | { problem: string } {
  const object = text.trim() === '' ? {} : parsed(text)?.value;
  if (!isObject(object)) return { problem: 'The text above is no JSON object. Correct it first.' };
  if (key === '') return { problem: 'Enter a key.' };
  // An empty text is filled in.
  if (Object.hasOwn(object, key) && object[key] !== '')
    return { problem: `The key ${key} is there already.` };
  const made = kind === 'text' ? { value } : parsed(value);
  if (made === null) return { problem: 'The value is no JSON. A text can be kept as text.' };
  return { text: written({ ...object, [key]: made.value }) };
}

function written(object: object): string {
  const lines = Object.entries(object).map(
    ([name, each]) => `  ${JSON.stringify(name)}: ${writeExact(each)}`,
  );
  return lines.length === 0 ? '' : `{\n${lines.join(',\n')}\n}`;
}

/** The keys of an object and their texts; null if it has none, or values of other kinds. */
export function textsOf(text: string): [key: string, value: string][] | null {
  const object = parsed(text)?.value;
  if (!isObject(object)) return null;
  const entries = Object.entries(object);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.length > 0 && texts.length === entries.length ? texts : null;
}

/** The object with these keys and texts, one of them changed; null removes its key. */
export function withText(
  texts: readonly (readonly [key: string, value: string])[],
  key: string,
  value: string | null,
): string {
  const changed = texts.flatMap(([name, each]): [string, string][] =>
    name !== key ? [[name, each]] : value === null ? [] : [[name, value]],
  );
  return written(Object.fromEntries(changed));
}

/** More keys are no help in a form. */
const MAX_BLANK = 50;

/** An object with these keys and empty texts, to be filled in; empty without keys. */
export function blankKeys(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const blank = Object.fromEntries(keys.slice(0, MAX_BLANK).map((key) => [key, '']));
  return JSON.stringify(blank, null, 2);
}

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: parseExact(text) };
  } catch {
    return null;
  }
}
