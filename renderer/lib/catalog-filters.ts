/** Filters of the catalog in the form of its query parameters: lists are comma-separated texts. Pure. */
import { UNMAPPED } from '../../electron/shared/catalog-entity.ts';
import { constantWords } from '../../electron/shared/constant-words.ts';
import { formatJsonLine } from './format.ts';

export function splitList(text: string): string[] {
  return text.split(',').filter((each) => each !== '');
}

/** Adds the value, or removes it if it is present. */
export function toggleInList(text: string, value: string): string {
  const list = splitList(text);
  return (list.includes(value) ? list.filter((each) => each !== value) : [...list, value]).join(',');
}

/** Adds the texts that the named fields have in these rows. */
export function collectTexts(
  rows: readonly Readonly<Record<string, unknown>>[],
  seen: Readonly<Record<string, Set<string>>>,
): void {
  for (const [field, texts] of Object.entries(seen)) {
    for (const row of rows) {
      const value = row[field];
      // A comma would separate two values of the parameter.
      if (typeof value === 'string' && value !== '' && !value.includes(',')) texts.add(value);
    }
  }
}

/** Choices of a filter: the fixed values, then the values found in rows, sorted. */
export function choices(always: readonly string[], seen: ReadonlySet<string>): string[] {
  return [...always, ...[...seen].filter((each) => !always.includes(each)).sort()];
}

/** A semantic name or data type in words; the mark of attributes without a concept stays as the service wrote it. */
export const meaningText = (value: unknown): string =>
  typeof value !== 'string' || value === UNMAPPED ? formatJsonLine(value ?? '') : constantWords(value);
