/** What messages and titles of dialogs say in privacy mode. */
import { PrivateTexts } from './private-texts.ts';
import { SeenAnswers } from './seen-answers.ts';

/** Everything private that the main process answered. */
export const privateTexts = new PrivateTexts();
export const seenAnswers = new SeenAnswers(privateTexts, (work) => {
  // Outside of a page there are no idle moments.
  if (typeof requestIdleCallback === 'undefined') work();
  else requestIdleCallback(() => work());
});

const MIN_NAME = 3;
const DOT = '•';

/** A name as it is said while it is masked: as long as it is. */
const dots = (text: string): string => DOT.repeat(Math.min(text.length, 12));

/**
 * A sentence without what it names: what stands in quotes, and each of `names`. Names of one or two letters would hide
 * parts of words.
 */
export function withoutNames(text: string, names: readonly string[]): string {
  const quotes = text.replaceAll(/“[^”]*”/g, (quote) => `“${dots(quote.slice(1, -1))}”`);
  return names
    .filter((name) => name.length >= MIN_NAME)
    .toSorted((a, b) => b.length - a.length)
    .reduce((said, name) => said.replaceAll(name, dots(name)), quotes);
}

let hidden: () => readonly string[] | null = () => null;

/** From now on messages and dialogs say no name that `read` answers; null: privacy mode is off. */
export function followPrivacy(read: () => readonly string[] | null): void {
  hidden = read;
}

/** A message or the title of a dialog, as it may be shown now. */
export function shownText(text: string): string {
  const names = hidden();
  return names === null ? text : privateTexts.hide(withoutNames(text, names));
}
