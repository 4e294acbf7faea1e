/** Masks private fields in the answer of a command. Pure. */
import { MASKED, type Redactor } from '../../core/masking/redact.ts';
import { NAMING_KEYS, namesMasked } from '../../core/masking/spoken-of.ts';
import { isRawNumber } from '../../shared/exact-json.ts';

const NAMING: ReadonlySet<string> = new Set(NAMING_KEYS);

/**
 * The answer without values of private fields. Masks values under a private name, and all values next to the name of a
 * private field, such as the most frequent values of a column.
 */
export function maskAnswer(answer: unknown, redactor: Redactor): unknown {
  return withoutSpokenOf(redactor.mask(answer), redactor);
}

function withoutSpokenOf(value: unknown, redactor: Redactor): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutSpokenOf(each, redactor));
  if (typeof value === 'string') return withoutQuoted(withoutFound(value, redactor), redactor);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const entries = Object.entries(value);
  if (!namesMasked(value, redactor.isMaskedPath))
    return Object.fromEntries(entries.map(([key, part]) => [key, withoutSpokenOf(part, redactor)]));
  return Object.fromEntries(
    entries.map(([key, part]) => [key, NAMING.has(key) ? named(part, redactor) : MASKED]),
  );
}

/** Keeps a name; of an object with a name, only its values are masked. */
const named = (part: unknown, redactor: Redactor): unknown =>
  typeof part === 'object' ? withoutSpokenOf(part, redactor) : part;

/** Masks hits of a search in private fields, which have the form `field: text around it`. */
function withoutFound(text: string, redactor: Redactor): string {
  const [, path] = /^([\w.]+): /.exec(text) ?? [];
  return path !== undefined && redactor.isMaskedPath(path) ? `${path}: ${MASKED}` : text;
}

/** Maximum words of a name before a quoted value. */
const MAX_NAME_WORDS = 5;

/** Masks quoted values after a private name, as in errors of rows: `line 2, email “ana@x.de”: Expected a number.` */
function withoutQuoted(text: string, redactor: Redactor): string {
  const end = text.lastIndexOf('”');
  for (let at = text.indexOf(' “'); at !== -1 && at < end; at = text.indexOf(' “', at + 1)) {
    const words = text
      .slice(0, at)
      .split(/[\s,(]+/)
      .slice(-MAX_NAME_WORDS);
    // A value may contain quotes, so everything up to the last quote is masked.
    if (words.some((_, first) => redactor.isMaskedPath(words.slice(first).join(' '))))
      return `${text.slice(0, at)} ${MASKED}${text.slice(end + 1)}`;
  }
  return text;
}
