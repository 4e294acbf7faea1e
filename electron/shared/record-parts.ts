/** Records too long for one message between the processes: their JSON is read in parts. */

import { isRawNumber, parseExact } from './exact-json.ts';

/** At most three bytes each: a part stays below 100 KB. */
export const PART_CHARACTERS = 32_000;

/** Is the JSON of a record read in parts? */
export const isLong = (json: string): boolean => json.length > PART_CHARACTERS;

/** The part that begins at a character; empty at the end. No character is cut in two. */
export function partOf(json: string, from: number): string {
  const end = from + PART_CHARACTERS;
  const last = json.charCodeAt(end - 1);
  const isFirstHalf = end < json.length && last >= 0xd800 && last <= 0xdbff;
  return json.slice(from, isFirstHalf ? end - 1 : end);
}

/** All parts together, as `read` gives them; null where it says that another record is stored by now. */
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

/** A stored record: the store holds what JSON.stringify made of a checked one. Its numbers are exact. */
export function parseRecord(json: string): Record<string, unknown> {
  const value = parseExact(json);
  return typeof value === 'object' && value !== null && !isRawNumber(value) ? { ...value } : { value };
}
