/** Splits a long text into pieces, so that the browser can lay them out one by one. Pure. */

/** Maximum number of characters in a piece. A piece ends with a line, if possible. */
const PIECE = 8_000;

/** Characters shown until the user asks for the whole text. */
const FIRST_CHARACTERS = 20_000;
const FIRST_LINES = 200;

/** Length of the part of a text that is shown first: 200 lines or 20,000 characters. */
export function beginning(text: string): number {
  let at = -1;
  for (let lines = 0; lines < FIRST_LINES; lines += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1 || at > FIRST_CHARACTERS) break;
  }
  const end = at === -1 || at > FIRST_CHARACTERS ? FIRST_CHARACTERS : at;
  return end >= text.length ? text.length : wholeCharacter(text, end);
}

/** Splits a text; the concatenated pieces are the whole text. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    const most = Math.min(text.length, start + PIECE);
    const line = text.lastIndexOf('\n', most - 1);
    const end =
      most === text.length ? most : line > start + PIECE / 2 ? line + 1 : wholeCharacter(text, most);
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

/** The nearest position before or at `at` that does not split a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
