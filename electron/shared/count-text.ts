/** Counts as people read them in messages of main. Pure. */
const numbers = new Intl.NumberFormat('en-US');

/** `12,345`. */
export function numberText(value: number): string {
  return numbers.format(value);
}

/** `1 row`, `12,345 rows`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${numberText(count)} ${count === 1 ? noun : plural}`;
}
