/** Filters of the catalog as its query parameters hold them: lists are comma-separated texts. Pure. */

/** Marks an attribute that is mapped to no concept (INTERFACE 2.4). */
export const UNMAPPED = 'UNKNOWN';

export function splitList(text: string): string[] {
  return text.split(',').filter((each) => each !== '');
}

/** Adds the value, or takes it away where it is there. */
export function toggleInList(text: string, value: string): string {
  const list = splitList(text);
  return (list.includes(value) ? list.filter((each) => each !== value) : [...list, value]).join(',');
}

/** Values of a field seen in these rows, sorted, after the ones that are always offered. */
export function distinctTexts(
  rows: readonly Record<string, unknown>[],
  field: string,
  always: readonly string[] = [],
): string[] {
  const seen = new Set<string>();
  for (const row of rows) {
    const value = row[field];
    // A comma would end the value in the parameter.
    if (typeof value === 'string' && value !== '' && !value.includes(',')) seen.add(value);
  }
  return [...always, ...[...seen].filter((each) => !always.includes(each)).sort()];
}
