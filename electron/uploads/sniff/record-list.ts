/** Recognizes records printed one below the other with one value in each line, as database clients print them. Pure. */
import { isSentence } from './first-row.ts';

/** The line above each record in the output of mysql (`\\G`) and psql (`\\x`). */
const RECORD_LINE = /^(?:\*{5,} 1\. row \*{5,}|-\[ RECORD 1 \][-+]*)[^\S\n]*\r?\n/;
/** A name and its value in the output of sqlite3 and DuckDB (`.mode line`). */
const LINE_MODE = /^ *([^\s=,;|]+) = /;
/** A name and its value in a card. */
const CARD = /^([^\s:,;|"{[][^:,;|\r\n]{0,60}): /;
/** Minimum number of fields of a card. A question in each block is a list of questions. */
const MIN_CARD_FIELDS = 2;
/** Names of those who speak in a conversation, whose turns are no fields. */
const SPEAKER =
  /^(?:system|developer|user|assistant|human|ai|bot|model|tool|agent|customer|q|a|question|answer)(?: ?\d+)?$/i;

/** `text`: the beginning of the output of a database client, which may end within a line. */
export const isRecordList = (text: string): boolean =>
  RECORD_LINE.test(text) || hasSameFields(text, LINE_MODE);

/**
 * True for records as cards: blocks with the same names. Turns of a conversation are no cards: those with the names of
 * speakers, and two with a sentence. `text`: the beginning of a file, which may end within a line.
 */
export function areCards(text: string): boolean {
  if (!hasSameFields(text, CARD)) return false;
  const blocks = blocksOf(text).map((block) => namesOf(block, CARD) ?? []);
  const [names = []] = blocks;
  if (blocks.some(({ length }) => length < MIN_CARD_FIELDS) || names.every((name) => SPEAKER.test(name)))
    return false;
  return names.length > MIN_CARD_FIELDS || !blocksOf(text).some(hasSentence);
}

const hasSentence = (block: string): boolean =>
  block.split(/\r?\n/).some((line) => isSentence(line.replace(CARD, '')));

/** The first two blocks between empty lines. */
const blocksOf = (text: string): string[] => text.split(/\r?\n[^\S\n]*\r?\n/, 2);

/** True if each line of both blocks is a field, and the second has no other names than the first. */
function hasSameFields(text: string, field: RegExp): boolean {
  const [first = '', second = ''] = blocksOf(text);
  const names = namesOf(first, field);
  const again = namesOf(second, field);
  if (names === null || again === null || new Set(names).size < names.length) return false;
  return again.length <= names.length && again.every((name, at) => name === names[at]);
}

/** The names of the fields in a block; null if a line is not a field. The last line may be cut off. */
function namesOf(block: string, field: RegExp): string[] | null {
  const lines = block.split(/\r?\n/).filter((line) => line !== '');
  const names = lines.map((line) => field.exec(line)?.[1]);
  const found = names.filter((name) => name !== undefined);
  const isWhole =
    found.length === names.length || (found.length === names.length - 1 && names.at(-1) === undefined);
  return isWhole && found.length > 0 ? found : null;
}
