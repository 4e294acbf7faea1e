/** Recognizes texts whose letters were decoded with a wrong encoding before they were written, as in cafÃ©. Pure. */
import { counted } from '../../shared/count-text.ts';
import { excerptOf } from '../readers/row-source.ts';

/** Characters that windows-1252 has for bytes from 0x80 to 0xBF, which follow the first byte of a character in UTF-8. */
const FOLLOWING = '\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
/** Punctuation among these characters. It can also follow a word in capitals, such as AMANHÃ or PRÂ. */
const PUNCTUATION = '‘’“”…–—„‚‹›«»';
/** Signs of bytes behind Ã, which correct texts also have behind words in capitals if they are punctuation. */
const BEHIND_A = [
  `(?<=\\p{Ll})Ã[${FOLLOWING}]`,
  `Ã(?![${PUNCTUATION}\\u00a0])[${FOLLOWING}]`,
  `Ã[${PUNCTUATION}](?=\\p{L}{2})`,
].join('|');
const GARBLED = new RegExp(
  `${BEHIND_A}|Â(?![»\\u00a0])[\u00a1-\u00bf]|(?<!\\p{Lu})Â[»\\u00a0]|â€[${FOLLOWING}]|ï¿½|ðŸ[${FOLLOWING}]`,
  'u',
);

/** Half of a character beyond U+FFFF, which JSON can write as \\ud83d, and which no other text can hold. */
const HALF = /\p{Surrogate}/u;

/**
 * A note for a column with such texts, with signs for letters that were lost, or with halves of characters; null for
 * other columns.
 */
export function garbledNote(name: string, values: readonly { text: string; line: number }[]): string | null {
  const garbled = values.filter(({ text }) => GARBLED.test(text));
  const lost = values.filter(({ text }) => text.includes('\ufffd'));
  const halves = values.filter(({ text }) => HALF.test(text));
  const [found, what] =
    garbled.length > 0
      ? [garbled, 'letters that look like UTF-8 read with another encoding']
      : halves.length > 0
        ? [
            halves,
            'halves of characters, as of an emoji that was cut, which the service may refuse or replace',
          ]
        : [lost, 'signs (\ufffd) in the place of letters that were lost when it was written'];
  const [first] = found;
  if (first === undefined) return null;
  return `Column “${excerptOf(name)}” has ${what}, first “${excerptOf(first.text)}” in line ${first.line}: ${counted(found.length, 'value')} of ${values.length} sampled. They are sent unchanged: export the file again from its source.`;
}
