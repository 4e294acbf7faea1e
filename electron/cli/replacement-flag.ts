/** `--repair COLUMN:VALUE=REPLACEMENT`: replaces a value of a column by another one. */
import { AppError } from '../shared/errors.ts';
import { MAX_REPLACED_CHARS } from '../shared/repair-options.ts';
import type { Replacement } from '../shared/upload-model.ts';

/** A quoted value such as `"a=b"`, in which quotes are doubled. An unquoted value ends at the first equals sign. */
const QUOTED = /^"((?:[^"]|"")*)"=/;

/**
 * The replacement in a value of the flag; null if no column name precedes a colon, because the value then names a kind
 * of repair. An empty replacement sends no value. Throws INVALID_ARGUMENT.
 */
export function replacementOf(typed: string, sources: readonly string[]): Replacement | null {
  // Uses the longest matching name, because a column may be named like another one plus a colon.
  const [source] = sources
    .filter((name) => typed.startsWith(`${name}:`))
    .toSorted((a, b) => b.length - a.length);
  if (source === undefined) return null;
  const rest = typed.slice(source.length + 1);
  const quoted = QUOTED.exec(rest);
  const end = quoted === null ? rest.indexOf('=') : quoted[0].length - 1;
  const value = quoted === null ? rest.slice(0, Math.max(0, end)) : (quoted[1] ?? '').replaceAll('""', '"');
  if (end < 0 || value === '' || value.length > MAX_REPLACED_CHARS) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `--repair expects COLUMN:VALUE=REPLACEMENT with a value of 1 to ${MAX_REPLACED_CHARS} characters, got ${typed}. Put a value that holds “=” into double quotes.`,
    );
  }
  const text = rest.slice(end + 1);
  return { source, value, with: text === '' ? null : text };
}
