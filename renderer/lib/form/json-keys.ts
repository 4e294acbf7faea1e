/** A key and a value put into the text of a JSON object, for those who do not write JSON. Pure. */
import { parseExact, writeExact } from '../../../electron/shared/exact-json.ts';
import { isObject } from '../records.ts';

export type KeyKind = 'text' | 'json';

/** The text with the key, or why it cannot be. Numbers stay digit by digit. */
export function withKey(
  text: string,
  { key, kind, value }: { key: string; kind: KeyKind; value: string },
): { text: string } | { problem: string } {
  const object = text.trim() === '' ? {} : parsed(text)?.value;
  if (!isObject(object)) return { problem: 'The text above is no JSON object. Correct it first.' };
  if (key === '') return { problem: 'Name the key.' };
  if (Object.hasOwn(object, key)) return { problem: `The key ${key} is there already.` };
  const made = kind === 'text' ? { value } : parsed(value);
  if (made === null) return { problem: 'The value is no JSON. A text can be kept as text.' };
  const lines = Object.entries({ ...object, [key]: made.value }).map(
    ([name, each]) => `  ${JSON.stringify(name)}: ${writeExact(each)}`,
  );
  return { text: `{\n${lines.join(',\n')}\n}` };
}

function parsed(text: string): { value: unknown } | null {
  try {
    return { value: parseExact(text) };
  } catch {
    return null;
  }
}
