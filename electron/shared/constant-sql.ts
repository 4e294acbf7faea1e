/** SQL for filters by the words that views show for constants. Pure. */
import { constantsSaid, WORDS_IN_CAPITALS } from './constant-words.ts';

/**
 * Conditions for constants that are shown with words that contain a typed text; empty if there are none. `value`: SQL of
 * the text of the value. `quote`: writes a text as an SQL literal.
 */
export function constantConditions(value: string, typed: string, quote: (text: string) => string): string[] {
  const { values, part } = constantsSaid(typed);
  const isConstant = `regexp_matches(${value}, ${quote(WORDS_IN_CAPITALS.source)})`;
  return [
    ...(values.length === 0 ? [] : [`lower(${value}) IN (${values.map(quote).join(', ')})`]),
    ...(part === null ? [] : [`(${isConstant} AND contains(lower(${value}), ${quote(part)}))`]),
  ];
}
