/** Masks private fields of a record, also inside of JSON that a record holds as a text. Pure. */
import { isRawNumber, parseExact, writeExact } from '../../shared/exact-json.ts';
import type { Redactor } from './redact.ts';

/** The same object if nothing is masked. */
export function maskRecord(record: unknown, redactor: Redactor): unknown {
  return withinTexts(redactor.mask(record), '', redactor);
}

function withinTexts(value: unknown, path: string, redactor: Redactor): unknown {
  if (typeof value === 'string') return maskedText(value, path, redactor);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  if (Array.isArray(value)) {
    const next = value.map((each) => withinTexts(each, path, redactor));
    return next.every((each, at) => each === value[at]) ? value : next;
  }
  let isChanged = false;
  const pairs = Object.entries(value).map(([name, part]) => {
    const next = withinTexts(part, path === '' ? name : `${path}.${name}`, redactor);
    isChanged ||= next !== part;
    return [name, next] as const;
  });
  return isChanged ? Object.fromEntries(pairs) : value;
}

function maskedText(text: string, path: string, redactor: Redactor): string {
  if (!/^\s*[[{]/.test(text)) return text;
  const parsed = jsonOf(text);
  if (parsed === null) return text;
  const held = { [path]: parsed.value };
  const [masked] = Object.values(redactor.mask(held));
  const next = withinTexts(masked, path, redactor);
  return next === parsed.value ? text : writeExact(next);
}

/** Null for a text that only begins like JSON. */
function jsonOf(text: string): { value: unknown } | null {
  try {
    return { value: parseExact(text) };
  } catch {
    return null;
  }
}
