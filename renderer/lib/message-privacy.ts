/** Texts of messages and dialog titles in privacy mode. */
import { PrivateTexts } from './private-texts.ts';
import { SeenAnswers } from './seen-answers.ts';

/** All private texts received from the main process. */
export const privateTexts = new PrivateTexts();
export const seenAnswers = new SeenAnswers(privateTexts, (work) => {
  // Outside a page, e.g. in tests, there are no idle callbacks.
  if (typeof requestIdleCallback === 'undefined') work();
  else requestIdleCallback(() => work());
});

const MIN_NAME = 3;
const DOT = '•';

/** Replaces a name with as many dots as it has characters, at most 12. */
const dots = (text: string): string => DOT.repeat(Math.min(text.length, 12));

/**
 * Masks the names in a sentence: quoted text and each of `names`. Names of one or two letters are ignored, as masking
 * them would hide parts of words.
 */
export function withoutNames(text: string, names: readonly string[]): string {
  const quotes = text.replaceAll(/“[^”]*”/g, (quote) => `“${dots(quote.slice(1, -1))}”`);
  return names
    .filter((name) => name.length >= MIN_NAME)
    .toSorted((a, b) => b.length - a.length)
    .reduce((said, name) => said.replaceAll(name, dots(name)), quotes);
}

let hidden: () => readonly string[] | null = () => null;

/** Sets the source of the names to hide in messages and dialogs. `read` returns null while privacy mode is off. */
export function followPrivacy(read: () => readonly string[] | null): void {
  hidden = read;
}

/** A message or dialog title as it can be shown now. */
export function shownText(text: string): string {
  const names = hidden();
  return names === null ? text : privateTexts.hide(withoutNames(text, names));
}
