/** The common form of conversations for the window, the search and the command line. Pure. */
import { isRawNumber, parseExact } from '../exact-json.ts';

export type MessagePart =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  /** `id` identifies the call that a result answers, if present. */
  | { kind: 'call'; name: string; value: unknown; id?: string }
  | { kind: 'result'; name: string; value: unknown; id?: string }
  /** A picture as a data URL, or its address, which is never loaded. */
  | { kind: 'picture'; url: string }
  /** Sound, a document or another file: as a data URL, by its address or by its id; never loaded. */
  | { kind: 'file'; url: string }
  | { kind: 'other'; value: unknown };

export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or the original text. */
  role: string;
  parts: MessagePart[];
}

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Maximum length of a text that is parsed as JSON. */
const MAX_PARSED = 200_000;

/** A non-empty object or list. */
export const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isRawNumber(value) && Object.keys(value).length > 0;

/** The object or list in a text of JSON; any other value unchanged. */
export function readNested(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MAX_PARSED || !/^\s*(?:[[{]|"\s*[[{])/.test(value))
    return value;
  try {
    // Some writers encode JSON twice.
    const read = readNested(parseExact(value));
    return isNested(read) ? read : value;
  } catch {
    return value;
  }
}

/** The first of these fields that has a value. */
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
  chatbot: 'assistant',
  model: 'assistant',
  developer: 'system',
  function: 'tool',
  'tool-call': 'assistant',
  'tool-response': 'tool',
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

const STANDARD: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool']);

/** Whether a word is the name of a role, in any form. */
export const isRole = (word: string): boolean => STANDARD.has(roleOf(word));

export const isRoleWord = (word: string): boolean => Object.hasOwn(ROLES, word.toLowerCase());
