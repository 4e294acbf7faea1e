/** Masks private fields in the answer of a command. Pure. */
import { MASKED, type Redactor } from '../../core/pack/redact.ts';
import { isRawNumber } from '../../shared/exact-json.ts';

/** Keys under which an answer names the field that it speaks of, as in a profile or a difference. */
const NAMING_KEYS = ['field', 'column', 'column_name', 'path', 'name'];

/**
 * The answer without values of private fields: those under a private name, and all values beside the name of a private
 * field, such as the most frequent ones of a column.
 */
export function maskAnswer(answer: unknown, redactor: Redactor): unknown {
  return withoutSpokenOf(redactor.mask(answer), redactor);
}

function withoutSpokenOf(value: unknown, redactor: Redactor): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSpokenOf(each, redactor));
  if (typeof value === 'string') return withoutFound(value, redactor);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const entries = Object.entries(value);
  const isSpokenOf = entries.some(
    ([key, named]) => NAMING_KEYS.includes(key) && redactor.isMaskedPath(pathOf(named)),
  );
  if (!isSpokenOf)
    return Object.fromEntries(entries.map(([key, part]) => [key, withoutSpokenOf(part, redactor)]));
  return Object.fromEntries(entries.map(([key, part]) => [key, NAMING_KEYS.includes(key) ? part : MASKED]));
}

/** Search says where a word was found: `field: text around it`. */
function withoutFound(text: string, redactor: Redactor): string {
  const [, path] = /^([\w.]+): /.exec(text) ?? [];
  return path !== undefined && redactor.isMaskedPath(path) ? `${path}: ${MASKED}` : text;
}

function pathOf(named: unknown): string {
  if (typeof named === 'string') return named;
  return Array.isArray(named) ? named.join('.') : '';
}
