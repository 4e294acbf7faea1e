/** Filters of the catalog as its query parameters hold them: lists are comma-separated texts. Pure. */

export function splitList(text: string): string[] {
  return text.split(',').filter((each) => each !== '');
}

/** Adds the value, or takes it away where it is there. */
export function toggleInList(text: string, value: string): string {
  const list = splitList(text);
  return (list.includes(value) ? list.filter((each) => each !== value) : [...list, value]).join(',');
}

/** Adds the texts that these rows hold in each of the named fields. */
export function collectTexts(
  rows: readonly Readonly<Record<string, unknown>>[],
  seen: Readonly<Record<string, Set<string>>>,
): void {
  for (const [field, texts] of Object.entries(seen)) {
    for (const row of rows) {
      const value = row[field];
      // A comma would end the value in the parameter.
      if (typeof value === 'string' && value !== '' && !value.includes(',')) texts.add(value);
    }
  }
}

/** What a filter offers: the fixed values, then those seen, sorted. */
export function choices(always: readonly string[], seen: ReadonlySet<string>): string[] {
  return [...always, ...[...seen].filter((each) => !always.includes(each)).sort()];
}
