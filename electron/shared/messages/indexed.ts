/**
 * Messages spread over numbered attributes, as written by OpenLLMetry (`gen_ai.prompt.0.content`) and OpenInference
 * (`llm.input_messages.0.message.content`). Pure.
 */
import { isObject, type JsonObject, type Message } from './message.ts';
import { readMessages } from './read-messages.ts';

const INDEXED =
  /(?:^|\.)(?:(gen_ai\.prompt|gen_ai\.completion|llm\.prompts|llm\.completions)|(llm\.input_messages|llm\.output_messages))\.(\d{1,6})\.(.+)$/;
const SENT: ReadonlySet<string> = new Set(['gen_ai.prompt', 'llm.prompts', 'llm.input_messages']);

interface Indexed {
  sent: Message[] | null;
  answered: Message[] | null;
}

/** Null for a side without messages. */
export function indexedMessages(attributes: JsonObject): Indexed {
  const sides = { sent: new Map<number, JsonObject>(), answered: new Map<number, JsonObject>() };
  for (const [key, value] of Object.entries(attributes)) {
    const found = key.includes('.') ? INDEXED.exec(key) : null;
    if (found === null) continue;
    const [, plain, wrapped, index, path = ''] = found;
    const side = SENT.has(plain ?? wrapped ?? '') ? sides.sent : sides.answered;
    const fields = side.get(Number(index)) ?? {};
    side.set(Number(index), fields);
    put(fields, (wrapped === undefined ? path : path.replace(/^message\./, '')).split('.'), value);
  }
  return { sent: messagesOf(sides.sent, 'user'), answered: messagesOf(sides.answered, 'assistant') };
}

function messagesOf(byIndex: ReadonlyMap<number, JsonObject>, role: string): Message[] | null {
  const found = [...byIndex]
    .toSorted(([one], [other]) => one - other)
    .map(([, fields]) => ({ role, ...arranged(fields) }));
  return found.length === 0 ? null : readMessages(found);
}

/** Numeric names make a list; a prototype is not a field. */
function put(fields: JsonObject, path: readonly string[], value: unknown): void {
  let at = fields;
  for (const [index, name] of path.entries()) {
    if (name === '__proto__') return;
    if (index === path.length - 1) {
      at[name] = value;
      return;
    }
    const inner = Object.hasOwn(at, name) ? at[name] : undefined;
    const next: JsonObject = isObject(inner) ? inner : {};
    at[name] = next;
    at = next;
  }
}

function arranged(value: JsonObject): JsonObject {
  const { tool_calls: calls, contents, content, ...others } = value;
  return {
    ...others,
    ...(content === undefined && contents === undefined
      ? { content: '' }
      : { content: listOf(contents) ?? content }),
    ...(calls === undefined ? {} : { tool_calls: (listOf(calls) ?? []).map(callIn) }),
  };
}

const callIn = (call: unknown): unknown =>
  isObject(call) && isObject(call['tool_call']) ? call['tool_call'] : call;

/** Reads `{0: a, 1: b}` as a list. */
function listOf(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return null;
  const entries = Object.entries(value).filter(([name]) => /^\d+$/.test(name));
  return entries.toSorted(([one], [other]) => Number(one) - Number(other)).map(([, each]) => each);
}
