/** A conversation in the one form that the window, the search and the command line read it in. Pure. */
import { isRawNumber, parseExact } from '../exact-json.ts';

export type MessagePart =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** `id` names the call that a result answers, where it has one. */
  | { kind: 'call'; name: string; value: unknown; id?: string }
  | { kind: 'result'; name: string; value: unknown; id?: string }
  /** A picture as a data URL, or the address of one, which is never loaded. */
  | { kind: 'picture'; url: string }
  /** Sound, a document or another file: as a data URL, by its address or by its id; never loaded. */
  | { kind: 'file'; url: string }
  | { kind: 'other'; value: unknown };

export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or as it came. */
  role: string;
  parts: MessagePart[];
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Characters of a text that is looked into for JSON. */
const MAX_PARSED = 200_000;

/** An object or list with something in it. */
export const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isRawNumber(value) && Object.keys(value).length > 0;

/** The object or list that a text is as JSON; anything else as it came. */
export function readNested(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_PARSED || !/^\s*[[{]/.test(value)) return value;
  try {
    const read = parseExact(value);
    return isNested(read) ? read : value;
  } catch {
    return value;
  }
}

/** The first of these fields with a value. */
export const firstOf = (fields: JsonObject, ...names: readonly string[]): unknown => {
  const name = names.find((each) => fields[each] !== undefined && fields[each] !== null);
  return name === undefined ? undefined : fields[name];
};

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  ai: 'assistant',
  gpt: 'assistant',
  bot: 'assistant',
  model: 'assistant',
  developer: 'system',
  function: 'tool',
  humanmessage: 'user',
  aimessage: 'assistant',
  systemmessage: 'system',
  toolmessage: 'tool',
  functionmessage: 'tool',
};

export function roleOf(word: string): string {
  const small = word.toLowerCase();
  return ROLES[small] ?? small;
}

export const isRoleWord = (word: string): boolean => Object.hasOwn(ROLES, word.toLowerCase());
