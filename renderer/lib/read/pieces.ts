/** Splits a long text into pieces that a window lays out one by one. Pure. */

/** Maximum number of characters in a piece; it ends at a line end if there is one. */
const PIECE = 8_000;

/** Shown until the user asks for the whole text. */
const FIRST_CHARACTERS = 20_000;
const FIRST_LINES = 200;

/** Length of the initial part of a text: 200 lines or 20,000 characters. */
export function beginning(text: string): number {
  let at = -1;
  for (let lines = 0; lines < FIRST_LINES; lines += 1) {
    at = text.indexOf('\n', at + 1);
    if (at === -1 || at > FIRST_CHARACTERS) break;
  }
  const end = at === -1 || at > FIRST_CHARACTERS ? FIRST_CHARACTERS : at;
  return end >= text.length ? text.length : wholeCharacter(text, end);
}

/** The concatenated pieces are the text. */
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

/** Avoids splitting a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
