/**
 * Makes foreign text safe to display: characters that change text direction or control a terminal are shown
 * as symbols. Pure.
 */

/** All control characters except tab and line ends, and the characters that change the text direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for them.
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const CONTROL_PICTURES = 0x2400;

/** The text for display. Copying uses the original text. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
