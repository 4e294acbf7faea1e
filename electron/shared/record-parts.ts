/** Records too long for one message between the processes: their JSON is stored and read in parts. */

import { isRawNumber, parseExact } from './exact-json.ts';
import type { ListRow } from './model.ts';

/** Maximum characters of a part. A character has at most three bytes, so a part stays below 100 KB. */
export const PART_CHARACTERS = 32_000;

/** Maximum bytes of a record sent as a whole. */
export const WHOLE_BYTES = 90_000;

/** Whether the JSON of a record is stored and read in parts. */
export function isLong(json: string): boolean {
  // A character has at most three bytes, so the bytes rarely need to be counted.
  return json.length * 3 > WHOLE_BYTES && (json.length > WHOLE_BYTES || utf8Bytes(json) > WHOLE_BYTES);
}

/** UTF-8 length of a text; a lone surrogate counts like its replacement. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0;
    if (code < 0x80) bytes += 1;
    else if (code < 0x800) bytes += 2;
    else if (code < 0x1_0000) bytes += 3;
    else {
      bytes += 4;
      at += 1;
    }
  }
  return bytes;
}

/** The part that begins at a character; empty at the end of the text. Never splits a character. */
export function partOf(json: string, from: number): string {
  const end = from + PART_CHARACTERS;
  const last = json.charCodeAt(end - 1);
  const isFirstHalf = end < json.length && last >= 0xd800 && last <= 0xdbff;
  return json.slice(from, isFirstHalf ? end - 1 : end);
}

/** Joins all parts returned by `read`; null if it reports that the record is no longer stored. */
export async function joinParts(
  characters: number,
  read: (from: number) => Promise<string | null>,
): Promise<string | null> {
  let json = '';
  while (json.length < characters) {
    const part = await read(json.length);
    if (part === null || part === '') return null;
    json += part;
  }
  return json;
}

/** The row with its complete record, or with only the beginning if a newer answer has replaced it. */
export async function wholeRow(
  row: ListRow,
  read: (part: { textId: number; from: number }) => string | null | Promise<string | null>,
): Promise<ListRow> {
  const { position, record, parts } = row;
  if (parts === undefined) return row;
  const { textId, characters } = parts;
  const json = await joinParts(characters, async (from) => read({ textId, from }));
  return { position, record: json === null ? record : parseRecord(json) };
}

/** Stands for a stored row that is not JSON, so that the other rows of its list stay readable. */
const DAMAGED_ROW = {
  damaged:
    'What is stored of this row is not JSON (table list_row). Read the list again to get the row anew.',
};
const DAMAGED_ROW_JSON = JSON.stringify(DAMAGED_ROW);

/** The JSON of a stored row, or its replacement if it is invalid. */
export function soundJson(json: string): string {
  try {
    JSON.parse(json);
    return json;
  } catch {
    return DAMAGED_ROW_JSON;
  }
}

/** Parses a stored row; its numbers are exact. */
export function parseStored(json: string): unknown {
  try {
    return parseExact(json);
  } catch {
    return DAMAGED_ROW;
  }
}

/** Parses a stored record, which was validated before it was written. Its numbers are exact. */
export function parseRecord(json: string): Record<string, unknown> {
  const value = parseStored(json);
  return typeof value === 'object' && value !== null && !isRawNumber(value) ? { ...value } : { value };
}
