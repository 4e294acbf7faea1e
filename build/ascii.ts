/** Converts scripts to ASCII. Node and Chromium need one byte for each character of such a script, otherwise two. */

/** A character outside of ASCII, with the backslashes before it. */
const BEYOND_ASCII = /(\\*)([^\p{ASCII}])/gu;
const RAW_TEMPLATE = /String\.raw`([^`]*)`/g;
/** An inserted value in a template that contains no other template. */
const INSERTED = /(\$\{[^{}]*\})/;

const codes = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

/**
 * The text with each character outside of ASCII as an escape, which means the same in strings and in regular
 * expressions. A backslash before the character has no meaning and is dropped, because it would escape the escape.
 */
const escaped = (text: string): string =>
  text.replace(
    BEYOND_ASCII,
    (_found, slashes: string, character: string) => slashes.slice(slashes.length % 2) + codes(character),
  );

/** The text of a raw template. An escape would be another text there, so the character is inserted as a value. */
const rawText = (text: string): string =>
  text.replace(BEYOND_ASCII, (_found, slashes: string, character: string) => {
    const [before, own] = slashes.length % 2 === 0 ? [slashes, ''] : [slashes.slice(1), '\\\\'];
    return `${before}\${"${own}${codes(character)}"}`;
  });

/**
 * The script with characters outside of ASCII as escapes. Unchanged if it has a raw template whose end cannot be found.
 */
export function inAscii(script: string): string {
  let isClear = true;
  const parts = script.split(RAW_TEMPLATE).map((part, at) => {
    if (at % 2 === 0) return escaped(part);
    const inside = part.split(INSERTED).map((text, place) => {
      if (place % 2 === 1) return escaped(text);
      isClear &&= !text.includes('${');
      return rawText(text);
    });
    return `String.raw\`${inside.join('')}\``;
  });
  return isClear ? parts.join('') : script;
}
