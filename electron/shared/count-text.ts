/** Counts as people read them in messages of main. */
import { inFormat, type NumberFormat } from './value-formats.ts';

const numbers = new Intl.NumberFormat('en-US');
let chosen: NumberFormat = 'comma';

/** From now on numbers of this process are written so: as a person has set it. */
export function writeNumbersAs(format: NumberFormat): void {
  chosen = format;
}

/** `12,345`. */
export function numberText(value: number): string {
  return inFormat(numbers.format(value), chosen);
}

/** `1 row`, `12,345 rows`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}
