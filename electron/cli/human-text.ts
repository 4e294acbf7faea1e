/** Numbers, nouns and names for people, on the command line. Pure. */

import { counted, numberText } from '../shared/count-text.ts';
import { cutText } from '../shared/cut-text.ts';
import { cutTo, oneLine } from './terminal-text.ts';

export { counted, numberText };

/**
 * Formats the counts in a row. Not meant for records of the service, in which a number such as a year is not a count.
 */
export function readable(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? numberText(value) : value]),
  );
}

const MAX_NAMES = 20;
const NAME_COLUMNS = 60;

/** Names for use in a sentence. Long names are shortened; of very many names, the rest is counted. */
export function nameList(names: readonly string[]): string {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) => cutTo(oneLine(cutText(name, NAME_COLUMNS * 2)), NAME_COLUMNS));
  const rest = names.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${numberText(rest)} more`;
}

/** A size for people, e.g. `188 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 999.5e3) return `${Math.max(bytes === 0 ? 0 : 1, Math.round(bytes / 1e3))} KB`;
  const tenths = (unit: number) => numberText(Math.round((bytes / unit) * 10) / 10);
  return bytes < 999.95e6 ? `${tenths(1e6)} MB` : `${tenths(1e9)} GB`;
}
