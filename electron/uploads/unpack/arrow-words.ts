/** Converts Arrow values that consist of several 32-bit words: wide integers and intervals. Pure. */
import { type Data, DataType, type Field, IntervalUnit } from 'apache-arrow';
import { timeText } from './json-cell.ts';

/** An integer of several 32-bit words, lowest first. */
export function wideInteger(words: ArrayLike<number>, at: number, count: number, isSigned = true): bigint {
  let value = 0n;
  for (let word = count - 1; word >= 0; word -= 1) {
    value = (value << 32n) | BigInt((words[at + word] ?? 0) >>> 0);
  }
  return isSigned ? BigInt.asIntN(count * 32, value) : value;
}

/** Lets the library load integers of 128 bits, as polars writes them. Their values become 32-bit words, lowest first. */
export function widenIntegers(fields: readonly Field[]): void {
  for (const { type } of fields) widenType(type);
}

function widenType(type: DataType): void {
  const bits: number = DataType.isInt(type) ? type.bitWidth : 0;
  if (DataType.isDictionary(type)) widenType(type.dictionary);
  else if (bits === WIDE_BITS) Object.defineProperty(type, 'ArrayType', { value: Uint32Array });
  widenIntegers(type.children ?? []);
}

/** The library itself reads integers of at most 64 bits. */
const WIDE_BITS = 128;

const NANOS_OF_HOUR = 3_600_000_000_000n;

/** An interval in SQL notation: `1 year 2 months 3 days 04:05:06.5`. */
export function intervalText({ values }: Data, unit: IntervalUnit, index: number): string {
  const word = (at: number) => Number(values[at] ?? 0);
  switch (unit) {
    case IntervalUnit.YEAR_MONTH:
      return wordsOf(word(index), 0, 0n);
    case IntervalUnit.DAY_TIME:
      return wordsOf(0, word(2 * index), BigInt(word(2 * index + 1)) * 1_000_000n);
    default:
      return wordsOf(word(4 * index), word(4 * index + 1), wideInteger(values, 4 * index + 2, 2));
  }
}

function wordsOf(months: number, days: number, nanos: bigint): string {
  const parts = [
    [Math.trunc(months / 12), 'year'],
    [months % 12, 'month'],
    [days, 'day'],
  ] as const;
  const words = parts
    .filter(([count]) => count !== 0)
    .map(([count, noun]) => `${count} ${noun}${count === 1 ? '' : 's'}`);
  if (nanos === 0n && words.length > 0) return words.join(' ');
  const size = nanos < 0n ? -nanos : nanos;
  const hours = String(size / NANOS_OF_HOUR).padStart(2, '0');
  const rest = timeText(size % NANOS_OF_HOUR, 'nanosecond', false).slice('1970-01-01T00'.length);
  return [...words, `${nanos < 0n ? '-' : ''}${hours}${rest}`].join(' ');
}
