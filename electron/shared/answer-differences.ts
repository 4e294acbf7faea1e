/** How records of the service differ from what this version knows: collected once for each field. Pure. */
import { cutText } from './cut-text.ts';

/** A field of a record in another form. */
export interface Difference {
  /** Dotted name of the field, without positions in lists; empty for the record itself. */
  place: string;
  /** The expected type with an article, for use in a sentence. */
  expected: string;
  got: string;
}

/** The difference of an answer that is not valid UTF-8. */
export const NOT_UTF8: Difference = { place: '', expected: 'text in UTF-8', got: 'in another encoding' };

/** Bounds the memory if a service changes a field in every answer. */
const MAX_KEPT = 200;
const MAX_PLACE_CHARS = 80;

const cut = (text: string): string => cutText(text, MAX_PLACE_CHARS);

/** One sentence: the field, expected, got, and what still works. */
function differenceText(operation: string, { place, expected, got }: Difference): string {
  if (expected === NOT_UTF8.expected)
    return `${operation}: an answer has bytes that are not UTF-8, and ${expected} was expected. Each of these bytes is shown and stored as �, everything else as it came.`;
  const field = place === '' ? 'a record' : `the field ${cut(place)}`;
  const found = got === 'nothing' ? 'is missing' : `is ${got}`;
  return `${operation}: ${field} ${found}, and ${expected} was expected. Records are shown and stored as they came; views that need this field leave it out.`;
}

/** The differences seen on one connection, each reported once. */
export class AnswerDifferences {
  readonly #texts = new Set<string>();
  readonly #onNew: (text: string) => void;

  constructor(onNew: (text: string) => void) {
    this.#onNew = onNew;
  }

  /** `operation` is a method and a path template. */
  add(operation: string, differences: readonly Difference[]): void {
    for (const difference of differences) {
      if (this.#texts.size >= MAX_KEPT) return;
      const text = differenceText(operation, difference);
      if (this.#texts.has(text)) continue;
      this.#texts.add(text);
      this.#onNew(text);
    }
  }

  /** Sentences in the order in which the differences were seen. */
  get texts(): readonly string[] {
    return [...this.#texts];
  }
}
