/** Masks private fields of a record, also inside of JSON that a record holds as a text. Pure. */
import { isRawNumber, parseExact, writeExact } from '../../shared/exact-json.ts';
import { MASKED, type Redactor } from './redact.ts';

/**
 * The same object if nothing is masked. A text that names a private field like JSON but is not JSON, such as a shortened
 * one, is masked as a whole.
 */
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
  const parsed = /^\s*[[{"]/.test(text) ? jsonOf(text) : null;
  if (parsed !== null) {
    const [masked] = Object.values(redactor.mask({ [path]: parsed.value }));
    const next = withinTexts(masked, path, redactor);
    return next === parsed.value ? text : writeExact(next);
  }
  if (!redactor.mayMaskNames(path, namesIn(text))) return text;
  const lines = text.split('\n');
  const isJsonLines = lines.length > 1 && lines.every((line) => line.trim() === '' || jsonOf(line) !== null);
  return isJsonLines ? lines.map((line) => maskedText(line, path, redactor)).join('\n') : MASKED;
}

/** Quoted texts before a colon, also in JSON inside of JSON and in the notation of Python. */
function namesIn(text: string): string[] {
  const quoted = [...text.matchAll(/(["'])((?:(?!\1).)*)\1\s*:/gs)].map((found) => String(found[2]));
  return [...new Set(quoted)].map((each) => {
    const name = each.endsWith('\\') ? each.replaceAll('\\', '') : each;
    const decoded = jsonOf(`"${name}"`);
    return decoded === null ? name : String(decoded.value);
  });
}

/** Null for a text that only begins like JSON. */
function jsonOf(text: string): { value: unknown } | null {
  try {
    return { value: parseExact(text) };
  } catch {
    return null;
  }
}
