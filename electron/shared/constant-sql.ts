/** SQL for filters by the words that views show for constants. Pure. */
import { WORDS_IN_CAPITALS } from './constant-words.ts';
import { constantsSaid, type WordTable } from './shown-words.ts';

/**
 * SQL conditions that match constants by a part of the words shown for them; empty if no constant matches. `value`: SQL
 * of the text of the value. `text`: the typed part. `words`: the table by which the column shows its values. `quote`:
 * writes a text as an SQL literal.
 */
export function constantConditions(
  value: string,
  { text, words }: { text: string; words?: WordTable | undefined },
  quote: (text: string) => string,
): string[] {
  if (words === undefined) return [];
  const { values, part } = constantsSaid(text, [words]);
  const isConstant = `regexp_matches(${value}, ${quote(WORDS_IN_CAPITALS.source)})`;
  return [
    ...(values.length === 0 ? [] : [`lower(${value}) IN (${values.map(quote).join(', ')})`]),
    ...(part === null ? [] : [`(${isConstant} AND contains(lower(${value}), ${quote(part)}))`]),
  ];
}
