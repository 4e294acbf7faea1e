/**
 * Keeps the texts of a run in memory, in parts, so that words are found in 100,000 of them within a few milliseconds.
 * Pure.
 */
import { fold } from '../../shared/fold.ts';
import { elementAt } from '../element-at.ts';

/** A value whose texts are searched: the outputs of a result, or the inputs of an evaluator. */
export interface TextRow {
  position: number;
  itemId: string;
  value: unknown;
}

/** Separators; neither character occurs in a text that a person reads. */
const [ROW_END, VALUE_END] = ['\u0000', '\u0001'];

/** Folded texts of some rows, joined into one text. */
export interface TextPart {
  text: string;
  /** Index of the first character of each row. */
  starts: Int32Array;
  itemIds: readonly string[];
}

export function textPart(rows: readonly TextRow[]): TextPart {
  const starts = new Int32Array(rows.length);
  const texts: string[] = [];
  let length = 0;
  for (const [at, { value }] of rows.entries()) {
    const text = foldedTexts(value).join(VALUE_END);
    starts[at] = length;
    texts.push(text);
    length += text.length + ROW_END.length;
  }
  return { text: texts.join(ROW_END), starts, itemIds: rows.map(({ itemId }) => itemId) };
}

function foldedTexts(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(foldedTexts);
  return value === null || value === undefined ? [] : [fold(String(value))];
}

/** The items with these words in one of their texts, ignoring case. */
export function* itemsWithWords(parts: Iterable<TextPart>, words: string): Generator<string> {
  const wanted = fold(words);
  if (wanted.includes(ROW_END) || wanted.includes(VALUE_END)) return;
  for (const { text, starts, itemIds } of parts) {
    let row = 0;
    for (let at = text.indexOf(wanted); at >= 0; ) {
      while (row + 1 < starts.length && elementAt(starts, row + 1) <= at) row += 1;
      yield elementAt(itemIds, row);
      if (row + 1 === starts.length) break;
      at = text.indexOf(wanted, elementAt(starts, row + 1));
    }
  }
}
