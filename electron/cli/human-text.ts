/** Numbers, nouns and names in human-readable form for the command line. Pure. */

import { counted, numberText } from '../shared/count-text.ts';
import { cutTo, oneLine } from './terminal-text.ts';

export { counted, numberText };

/** Formats the counts of a row. Not for records of the service, where a year is not a count. */
export function readable(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? numberText(value) : value]),
  );
}

const MAX_NAMES = 20;
const NAME_COLUMNS = 60;

/** Names in a sentence: long ones are shortened, and of very many the rest is counted. Pure. */
export function nameList(names: readonly string[]): string {
  const shown = names
    .slice(0, MAX_NAMES)
    .map((name) => cutTo(oneLine(name.slice(0, NAME_COLUMNS * 2)), NAME_COLUMNS));
  const rest = names.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${numberText(rest)} more`;
}

/** `188 MB` */
export function sizeText(bytes: number): string {
  if (bytes < 1e6) return `${Math.max(bytes === 0 ? 0 : 1, Math.round(bytes / 1e3))} KB`;
  return bytes < 1e9 ? `${Math.round(bytes / 1e5) / 10} MB` : `${Math.round(bytes / 1e8) / 10} GB`;
}
