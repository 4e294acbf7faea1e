/** Numbers, nouns and names as a person reads them on the command line. Pure. */
import { cutTo, oneLine } from './terminal-text.ts';

const numbers = new Intl.NumberFormat('en-GB');

/** `12,345`. Only for people: with --json numbers stay as they are. */
export function numberText(value: number): string {
  return numbers.format(value);
}

/** `1 batch`, `2,000 batches`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}

/** The same row with its counts as a person reads them. Not for records of the service: a year is no count. */
export function readable(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'number' ? numberText(value) : value]),
  );
}

const MOST_NAMES = 20;
const NAME_COLUMNS = 60;

/** Names in a sentence: long ones are cut, and of very many the rest is counted. Pure. */
export function nameList(names: readonly string[]): string {
  const shown = names
    .slice(0, MOST_NAMES)
    .map((name) => cutTo(oneLine(name.slice(0, NAME_COLUMNS * 2)), NAME_COLUMNS));
  const rest = names.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${numberText(rest)} more`;
}
