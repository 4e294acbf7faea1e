/** Scripts in ASCII: Node and Chromium keep one byte for each character of such a script, else two. */

const BEYOND_ASCII = /[^\p{ASCII}]/gu;
const RAW_TEMPLATE = /String\.raw`([^`]*)`/g;
/** A value in a template, without another template in it. */
const INSERTED = /(\$\{[^{}]*\})/;

/** Two escapes of one character mean that character, in strings and in regular expressions. */
const escaped = (text: string): string =>
  text.replace(BEYOND_ASCII, (character) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** The text of a raw template: an escape in it is other text than its character, so the character is inserted. */
const rawText = (text: string): string =>
  text.replace(BEYOND_ASCII, (character) => `\${"${escaped(character)}"}`);

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
