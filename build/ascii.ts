/** Scripts in ASCII: Node and Chromium keep one byte for each character of such a script, else two. */

/** A character beyond ASCII, with the backslashes before it. */
const BEYOND_ASCII = /(\\*)([^\p{ASCII}])/gu;
const RAW_TEMPLATE = /String\.raw`([^`]*)`/g;
/** A value in a template, without another template in it. */
const INSERTED = /(\$\{[^{}]*\})/;

const codes = (character: string): string =>
  [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');

/**
 * Two escapes of one character mean that character, in strings and in regular expressions. A backslash before it, which
 * means nothing, is left away: it would escape the escape.
 */
const escaped = (text: string): string =>
  text.replace(
    BEYOND_ASCII,
    (_found, slashes: string, character: string) => slashes.slice(slashes.length % 2) + codes(character),
  );

/** The text of a raw template: an escape in it is other text than its character, so the character is inserted. */
const rawText = (text: string): string =>
  text.replace(BEYOND_ASCII, (_found, slashes: string, character: string) => {
    const [before, own] = slashes.length % 2 === 0 ? [slashes, ''] : [slashes.slice(1), '\\\\'];
    return `${before}\${"${own}${codes(character)}"}`;
  });

/**
 * The same script with characters beyond ASCII as escapes. As it stands if it has a raw template whose end cannot be
 * found.
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
