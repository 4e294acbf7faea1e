/**
 * Reads conversations in inputs, outputs and span attributes into one form. Supports chat completions and responses
 * (OpenAI), content blocks (Anthropic), parts (OpenTelemetry, Gemini), Bedrock, LangChain's serialized messages, the AI
 * SDK, Pydantic AI, OpenInference and `{from, value}`. Pure.
 */
import {
  firstOf,
  isNested,
  isObject,
  isRoleWord,
  type JsonObject,
  type Message,
  type MessagePart,
  readNested,
  roleOf,
  textIn,
} from './message.ts';
import { callOf, isCall, partsOf, partsOfBlock, plainContent } from './parts.ts';

/** Fields that may contain messages; the first one that does counts. */
const LISTS = [
  ...['messages', 'input', 'output', 'contents', 'candidates', 'choices', 'generations', 'message'],
] as const;
const SYSTEMS = ['system', 'instructions', 'systemInstruction', 'system_instruction'] as const;
const MAX_DEPTH = 5;

/** A constructor in LangChain's form: its class determines the role. */
function unpacked(value: JsonObject): JsonObject {
  const { kwargs, id, data, type } = value;
  if (isObject(kwargs) && Array.isArray(id)) {
    const role = textIn(id.at(-1)).replace(/Chunk$/, '');
    return isRoleWord(role) ? { ...kwargs, role: roleOf(role) } : value;
  }
  // LangChain's stored form: the message is in `data`.
  if (isObject(data) && 'content' in data && typeof type === 'string') return { type, ...data };
  if ('message.role' in value)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name.replace(/^message\./, ''), each]),
    );
  return value;
}

function roleWord(value: JsonObject): string {
  const { role, type, from } = value;
  if (typeof role === 'string' && role !== '') return role;
  if (typeof from === 'string' && 'value' in value) return from;
  const isSaid = 'content' in value || 'parts' in value;
  if (!isSaid || typeof type !== 'string') return '';
  const word = type.replace(/MessageChunk$/, 'Message');
  return isRoleWord(word) || word === 'system' || word === 'tool' ? word : '';
}

/** Items of the responses interface that are not messages; null for any other item. */
function itemOf(value: JsonObject): Message | null {
  const { type } = value;
  if (typeof type !== 'string' || 'role' in value) return null;
  if (type === 'reasoning') return { role: 'assistant', parts: partsOfBlock(value) };
  if (/_call_output$/.test(type))
    return { role: 'tool', parts: partsOfBlock({ ...value, type: 'tool_result' }) };
  if (type === 'function_call') return { role: 'assistant', parts: [callOf(value)] };
  if (!/_call$/.test(type) || type === 'tool_call') return null;
  const { type: _, id: __, status: ___, name, ...given } = value;
  const call: MessagePart =
    'arguments' in value || 'input' in value
      ? callOf(value)
      : { kind: 'call', name: textIn(name) || type.replace(/_call$/, ''), value: given };
  return { role: 'assistant', parts: [call] };
}

const PYDANTIC: Readonly<Record<string, string>> = {
  'system-prompt': 'system',
  'user-prompt': 'user',
  'tool-return': 'tool',
  'retry-prompt': 'tool',
};

/** `{kind: 'request', parts: [{part_kind}]}`: each part states its role. Null for any other value. */
function pydanticMessages({ kind, parts, instructions }: JsonObject): Message[] | null {
  if ((kind !== 'request' && kind !== 'response') || !Array.isArray(parts)) return null;
  if (kind === 'response') return [{ role: 'assistant', parts: parts.flatMap(pydanticPart) }];
  const system = textIn(instructions);
  const messages: Message[] =
    system === '' ? [] : [{ role: 'system', parts: [{ kind: 'text', text: system }] }];
  for (const part of parts) {
    const role = isObject(part) ? (PYDANTIC[textIn(part['part_kind'])] ?? 'user') : 'user';
    const isTool = role === 'tool' && isObject(part) && textIn(part['tool_name']) === '';
    messages.push({ role: isTool ? 'user' : role, parts: pydanticPart(part) });
  }
  return messages;
}

function pydanticPart(part: unknown): MessagePart[] {
  if (!isObject(part)) return partsOfBlock(part);
  const content = part['content'];
  const isPrompt = part['part_kind'] === 'user-prompt' || part['part_kind'] === 'system-prompt';
  return isPrompt && Array.isArray(content) ? content.flatMap(partsOfBlock) : partsOfBlock(part);
}

/** One message; null if the value is not one. */
function messageOf(raw: unknown): Message | null {
  if (!isObject(raw)) return null;
  const value = unpacked(raw);
  const item = itemOf(value);
  if (item !== null) return item;
  const word = roleWord(value);
  const content = firstOf(value, 'content', 'parts', 'contents', 'value');
  const calls = value['tool_calls'];
  const call = value['function_call'];
  const isMessage =
    word !== '' &&
    (['content', 'parts', 'contents', 'value'].some((name) => name in value) ||
      Array.isArray(calls) ||
      isObject(call));
  if (!isMessage) return null;
  const role = roleOf(word);
  const parts = contentParts(content, value);
  if (role === 'tool') return { role, parts: resultParts(value, content, parts) };
  if (Array.isArray(calls) && !parts.some((part) => part.kind === 'call'))
    parts.push(...calls.filter(isObject).map(wrappedCall));
  if (isObject(call)) parts.push(callOf(call));
  if (typeof value['refusal'] === 'string' && value['refusal'] !== '')
    parts.push({ kind: 'text', text: value['refusal'] });
  const reasoning = textIn(value['reasoning_content']) || textIn(value['reasoning']);
  return { role, parts: reasoning === '' ? parts : [{ kind: 'reasoning', text: reasoning }, ...parts] };
}

/** Messages of the AI SDK's UI have the same data as `content` and as `parts`: the parts have more details. */
function contentParts(content: unknown, { parts }: JsonObject): MessagePart[] {
  const read = partsOf(content);
  if (!Array.isArray(parts) || content === parts) return read;
  const more = partsOf(parts);
  return more.length === 0 ? read : more;
}

const wrappedCall = (call: JsonObject): MessagePart =>
  callOf(isObject(call['tool_call']) ? call['tool_call'] : call);

function resultParts(value: JsonObject, content: unknown, parts: MessagePart[]): MessagePart[] {
  if (parts.some((part) => part.kind === 'result')) return parts;
  const id = textIn(firstOf(value, 'tool_call_id', 'toolCallId', 'id'));
  const inside = readNested(plainContent(content));
  return [{ kind: 'result', name: textIn(value['name']), value: inside, ...(id === '' ? {} : { id }) }];
}

/** Like `readMessages`, with the ids of calls and results. */
export function readLinked(value: unknown, depth = 0): Message[] | null {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return listMessages(value, depth);
  const one = messageOf(value);
  if (one !== null) return [one];
  if (!isObject(value)) return null;
  const spoken = pydanticMessages(value) ?? generationOf(value);
  if (spoken !== null) return spoken;
  const found = insideOf(value, depth);
  if (found === null) return null;
  const system = systemParts(firstOf(value, ...SYSTEMS));
  return system.length === 0 ? found : [{ role: 'system', parts: system }, ...found];
}

function listMessages(value: readonly unknown[], depth: number): Message[] | null {
  if (value.length === 0) return null;
  if (value.every(isCall)) return [{ role: 'assistant', parts: value.map(callOf) }];
  const read = value.map((each) => pairOf(each) ?? readLinked(each, depth + 1));
  return read.every((each) => each !== null) ? read.flat() : null;
}

/** Reads `["human", "Hi"]`, a LangChain form. */
function pairOf(value: unknown): Message[] | null {
  if (!Array.isArray(value) || value.length !== 2) return null;
  const [word, said] = value;
  if (typeof word !== 'string' || typeof said !== 'string') return null;
  const isRole = isRoleWord(word) || ['system', 'user', 'assistant'].includes(word);
  return isRole ? [{ role: roleOf(word), parts: [{ kind: 'text', text: said }] }] : null;
}

/** An answer given as text with metadata, unless it also contains its message. */
function generationOf(value: JsonObject): Message[] | null {
  const { text, generation_info: info, message, type } = value;
  const isGeneration =
    typeof text === 'string' && message === undefined && (info !== undefined || type === 'Generation');
  return isGeneration ? [{ role: 'assistant', parts: [{ kind: 'text', text }] }] : null;
}

function insideOf(value: JsonObject, depth: number): Message[] | null {
  const name = LISTS.find((each) => isNested(value[each]));
  if (name !== undefined) {
    const inside = value[name];
    const list = name === 'contents' && Array.isArray(inside) ? inside.map(asUser) : inside;
    return readLinked(list, depth + 1);
  }
  // A candidate of Gemini: its content is the message.
  return isObject(value['content']) && Array.isArray(value['content']['parts'])
    ? readLinked({ role: 'model', ...value['content'] }, depth + 1)
    : null;
}

/** Gemini omits the role for user messages. */
const asUser = (content: unknown): unknown => {
  if (typeof content === 'string') return { role: 'user', content };
  return isObject(content) && !('role' in content) && 'parts' in content
    ? { role: 'user', ...content }
    : content;
};

const systemParts = (value: unknown): MessagePart[] =>
  isObject(value) && Array.isArray(value['parts']) ? partsOf(value['parts']) : partsOf(value);

/**
 * The messages of a value, in order; null if part of it is not a conversation. `system` beside a list (Anthropic)
 * becomes its first message.
 */
export function readMessages(value: unknown): Message[] | null {
  return readLinked(value)?.map(withoutIds) ?? null;
}

/** Ids are technical: two messages with the same contents are equal. */
function withoutIds({ role, parts }: Message): Message {
  return {
    role,
    parts: parts.map((part) => {
      if (part.kind !== 'call' && part.kind !== 'result') return part;
      const { kind, name, value } = part;
      return { kind, name, value };
    }),
  };
}
