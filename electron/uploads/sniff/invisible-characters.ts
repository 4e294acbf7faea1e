/** Notes about names and texts with characters that nobody sees, which make them other names and texts. Pure. */
import { counted } from '../../shared/count-text.ts';
import { excerptOf } from '../readers/row-source.ts';

/**
 * Signs that are invisible anywhere, and those that join letters or set their direction, which do nothing at the begin
 * or the end of a text.
 */
const INVISIBLE =
  /[\u00ad\u200b\u2060\ufeff]|^[\u200c-\u200f\u202a-\u202e\u2066-\u2069]|[\u200c-\u200f\u202a-\u202e]$/;
const MAX_NAMED = 5;

interface Text {
  text: string;
  line: number;
}

const codeOf = (text: string): string =>
  `U+${(INVISIBLE.exec(text)?.[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** Returns a note about column names with such a character, or no note. */
export function invisibleNameNotes(names: readonly string[]): string[] {
  const found = names.flatMap((name, at) => (INVISIBLE.test(name) ? [{ name, place: at + 1 }] : []));
  const named = found
    .slice(0, MAX_NAMED)
    .map(
      ({ name, place }) => `column ${place}, “${excerptOf(name.replace(INVISIBLE, ''))}” (${codeOf(name)})`,
    );
  const rest = found.length - named.length;
  if (found.length === 0) return [];
  return [
    `Names of columns with a character that is not visible: ${named.join(', ')}${rest > 0 ? ` and ${counted(rest, 'more column')}` : ''}. To a model or a dataset they are other names: remove it from the header if it is not meant.`,
  ];
}

/** A note for a column with such texts; null for other columns. */
export function invisibleNote(name: string, values: readonly Text[]): string | null {
  const found = values.filter(({ text }) => INVISIBLE.test(text));
  const [first] = found;
  // Long texts have such characters in their words, and say the same without them.
  if (first === undefined || found.some(({ text }) => /\s/.test(text.trim()))) return null;
  return `Column “${excerptOf(name)}” has a character that is not visible (${codeOf(first.text)}), first in “${excerptOf(first.text)}” in line ${first.line}: ${counted(found.length, 'value')} of ${values.length} sampled. They are sent unchanged, as other texts than those without it.`;
}
