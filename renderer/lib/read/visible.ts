/** Text of anybody inside the window: what would turn it round or steer a terminal is shown as a sign. Pure. */

/** All control characters but tab and line ends, and those that change the direction of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const CONTROL_PICTURES = 0x2400;

/** The text as it is drawn; copies take the text as it came. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
