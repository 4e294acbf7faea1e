/**
 * Reads conversations in inputs, outputs and span attributes into one form. Supports chat completions and responses
 * (OpenAI), content blocks (Anthropic), parts (OpenTelemetry, Gemini), Bedrock, LangChain's serialized messages, the AI
 * SDK, Pydantic AI, OpenInference, AutoGen, Semantic Kernel, `{from, value}`, and prompts with the markers of a chat
 * template. Pure.
 */
import {
  firstOf,
  isNested,
  isObject,
  isRole,
  isRoleWord,
  type JsonObject,
  type Message,
  type MessagePart,
  readNested,
  roleOf,
  textIn,
} from './message.ts';
import { blocksIn, callOf, isCall, partsOf, partsOfBlock, resultOf } from './parts.ts';

/** Fields that may contain messages; the first one that contains any is read. */
const LISTS = [
  ...['messages', 'conversations', 'conversation', 'input', 'output', 'contents', 'candidates', 'choices'],
  ...['generations', 'message', 'generated_text', 'instances'],
] as const;
/** Fields with a request or an answer in a log of calls, as in batches (OpenAI) and Bedrock. */
const BODIES = ['body', 'inputBodyJson', 'outputBodyJson'] as const;
/** Fields with the messages before a question. */
export const HISTORIES = ['chat_history', 'history'] as const;
const QUESTIONS = ['message', 'input', 'question', 'query'] as const;
/** Fields with the content of a message. */
const CONTENTS = ['content', 'parts', 'contents', 'value', 'blocks', 'items'] as const;
/** Fields with the content of an object that only its role identifies as a message. */
const TEXTS = ['text', 'message'] as const;
const SYSTEMS = ['system', 'instructions', 'systemInstruction', 'system_instruction'] as const;
/** Fields next to the content with reasoning, or with a text before a call (Cohere). */
const THOUGHTS = ['reasoning_content', 'reasoning', 'thinking', 'tool_plan'] as const;
const MAX_DEPTH = 5;
/** Markers of chat templates around each message, as in ChatML and Llama 3. */
const TEMPLATE =
  /<\|(?:im_start|start_header_id)\|>[ \t]*([\w-]+)(?:[ \t]+name=\S+)?[ \t]*(?:<\|end_header_id\|>)?[ \t]*\r?\n([\s\S]*?)(?:<\|(?:im_end|eot_id|eom_id)\|>|(?=<\|(?:im_start|start_header_id)\|>)|$)/g;
const TEMPLATE_BEGIN = /^(\s*(?:<\|begin_of_text\|>\s*)?)<\|(?:im_start|start_header_id)\|>/;

/** A constructor in LangChain's form: its class determines the role. */
function unpacked(value: JsonObject): JsonObject {
  const { kwargs, id, data, type } = value;
  if (isObject(kwargs) && Array.isArray(id)) {
    const role = textIn(id.at(-1)).replace(/Chunk$/, '');
    return isRoleWord(role) ? { ...kwargs, role: roleOf(role) } : value;
  }
  // LangChain's stored form: the message is in `data`.
  if (isObject(data) && 'content' in data && typeof type === 'string') return { type, ...data };
  const { author, role: said } = value;
  // Form of Semantic Kernel.
  if (isObject(said) && typeof said['label'] === 'string') return { ...value, role: said['label'] };
  if (isObject(author) && typeof author['role'] === 'string') return { ...value, role: author['role'] };
  if ('message.role' in value)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name.replace(/^message\./, ''), each]),
    );
  return value;
}

/** Further role words of `{from, value}` in training files. */
const TRAINING_ROLES: Readonly<Record<string, string>> = { function_call: 'assistant', observation: 'tool' };

function roleWord(value: JsonObject): string {
  const { role, type, from } = value;
  if (typeof role === 'string' && role !== '') return role;
  if (typeof from === 'string' && 'value' in value) return TRAINING_ROLES[from] ?? from;
  const speaker = firstOf(value, 'sender', 'speaker', 'author', 'source');
  if (typeof speaker === 'string' && isRole(speaker) && [...CONTENTS, ...TEXTS].some((name) => name in value))
    return speaker;
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
  const { type: _, id: __, status: ___, name, output, error, result, ...given } = value;
  const word = textIn(name) || type.replace(/_call$/, '');
  const call: MessagePart =
    'arguments' in value || 'input' in value ? callOf(value) : { kind: 'call', name: word, value: given };
  const drawn =
    type === 'image_generation_call' && typeof result === 'string'
      ? [{ type: 'image', data: result, mime_type: `image/${textIn(value['output_format']) || 'png'}` }]
      : undefined;
  const answer = drawn ?? output ?? error ?? result ?? undefined;
  const results = answer === undefined ? [] : resultOf({ name: word, content: answer });
  return { role: 'assistant', parts: [call, ...results] };
}

const PYDANTIC: Readonly<Record<string, string>> = {
  'system-prompt': 'system',
  'user-prompt': 'user',
  'tool-return': 'tool',
  'retry-prompt': 'tool',
};

/**
 * Messages of Pydantic AI, `{kind: 'request', parts: [{part_kind}]}`, whose parts state their roles. Null for any other
 * value.
 */
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

/** Reads one message; null if the value is not a message. */
function messageOf(raw: unknown): Message | null {
  if (!isObject(raw)) return null;
  const value = unpacked(raw);
  const item = itemOf(value);
  if (item !== null) return item;
  const word = roleWord(value);
  const more = isObject(value['additional_kwargs']) ? value['additional_kwargs'] : {};
  const calls = callsIn(value, more);
  const call = value['function_call'] ?? more['function_call'];
  const content = firstOf(value, ...CONTENTS, ...(isRole(word) ? TEXTS : []));
  const isMessage =
    word !== '' &&
    (content !== undefined ||
      CONTENTS.some((name) => name in value) ||
      Array.isArray(value['tool_calls']) ||
      isObject(call));
  if (!isMessage) return null;
  const role = roleOf(word);
  const called = value['from'] === 'function_call' ? readNested(content) : null;
  if (isObject(called) && typeof called['name'] === 'string') return { role, parts: [callOf(called)] };
  const parts = contentParts(blocksIn(content) ?? content, value);
  if (role === 'tool') return { role, parts: resultParts(value, content, parts) };
  parts.push(...mediaBeside(value));
  if (!parts.some((part) => part.kind === 'call')) parts.push(...calls);
  if (isObject(call)) parts.push(callOf(call));
  if (typeof value['refusal'] === 'string' && value['refusal'] !== '')
    parts.push({ kind: 'text', text: value['refusal'] });
  const reasoning = THOUGHTS.map((name) => textIn(value[name])).find((text) => text !== '') ?? '';
  return { role, parts: reasoning === '' ? parts : [{ kind: 'reasoning', text: reasoning }, ...parts] };
}

/** Calls next to the content: of chat completions, of LangChain's raw answer, and of the AI SDK with their results. */
function callsIn(value: JsonObject, more: JsonObject): MessagePart[] {
  const lists = [value['tool_calls'], more['tool_calls']];
  const calls = lists.find((each) => Array.isArray(each) && each.length > 0);
  const broken = value['invalid_tool_calls'];
  const invoked = value['toolInvocations'];
  return [
    ...(Array.isArray(calls) ? calls.filter(isObject).map(wrappedCall) : []),
    ...(Array.isArray(broken) && broken !== calls ? broken.filter(isObject).map(wrappedCall) : []),
    ...(Array.isArray(invoked) ? invoked : []).flatMap((each) =>
      partsOfBlock({ type: 'tool-invocation', toolInvocation: each }),
    ),
  ];
}

/** Pictures (Ollama) and a spoken answer (OpenAI) next to the content. */
function mediaBeside({ images, audio }: JsonObject): MessagePart[] {
  const pictures = Array.isArray(images) ? images.filter((each) => typeof each === 'string') : [];
  return [
    ...pictures.flatMap((data) => partsOfBlock({ type: 'image', data })),
    ...(isObject(audio)
      ? [...partsOf(audio['transcript']), ...partsOfBlock({ type: 'audio', format: 'wav', ...audio })]
      : []),
  ];
}

/** Messages of the AI SDK's UI have the same data in `content` and in `parts`; the parts have more details. */
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
  const { name, tool_name: toolName, tool_call_id: toolCallId, toolCallId: camelId, id } = value;
  const ids = { tool_call_id: toolCallId, toolCallId: camelId, id };
  return resultOf({ name, tool_name: toolName, ...ids, content: blocksIn(content) ?? content });
}

/** Like `readMessages`, but keeps the ids of calls and results. */
export function readLinked(value: unknown, depth = 0): Message[] | null {
  if (depth > MAX_DEPTH) return null;
  if (Array.isArray(value)) return listMessages(value, depth);
  if (typeof value === 'string') {
    const inside = readNested(value);
    return inside === value ? templateMessages(value) : readLinked(inside, depth + 1);
  }
  const one = messageOf(value);
  if (one !== null) return [one];
  if (!isObject(value)) return null;
  const spoken = pydanticMessages(value) ?? generationOf(value);
  if (spoken !== null) return spoken;
  const found = insideOf(value, depth);
  if (found === null) return null;
  const { config } = value;
  const system = systemParts(
    firstOf(value, ...SYSTEMS) ?? (isObject(config) ? firstOf(config, ...SYSTEMS) : undefined),
  );
  return system.length === 0 ? found : [{ role: 'system', parts: system }, ...found];
}

/** A prompt as a model gets it, with the markers of a chat template around all of it; null for any other text. */
function templateMessages(text: string): Message[] | null {
  const begin = TEMPLATE_BEGIN.exec(text);
  if (begin === null) return null;
  let end = begin[1]?.length ?? 0;
  const messages: Message[] = [];
  for (const { 0: whole, 1: role = '', 2: said = '', index } of text.matchAll(TEMPLATE)) {
    if (text.slice(end, index).trim() !== '') return null;
    end = index + whole.length;
    messages.push({ role: roleOf(role), parts: partsOf(said.trim()) });
  }
  if (text.slice(end).trim() !== '') return null;
  // The template ends with an empty message, where the answer begins.
  if (messages.at(-1)?.parts.length === 0) messages.pop();
  return messages.length === 0 ? null : messages;
}

function listMessages(value: readonly unknown[], depth: number): Message[] | null {
  if (value.length === 0) return null;
  if (value.every(isCall)) return [{ role: 'assistant', parts: value.map(callOf) }];
  const read = inTurn(value).map((each) => pairOf(each) ?? readLinked(each, depth + 1));
  if (read.every((each) => each === null)) return null;
  const all = read.map((each, at) => each ?? otherItem(value[at]));
  return all.every((each) => each !== null) ? all.flat() : null;
}

/** The messages of an assistant's thread (OpenAI) come newest first, unless another order was asked for. */
function inTurn(value: readonly unknown[]): readonly unknown[] {
  const times = value.map((each) =>
    isObject(each) && each['object'] === 'thread.message' ? Number(each['created_at']) : Number.NaN,
  );
  const [first, last] = [times[0], times.at(-1)];
  const isNewestFirst = first !== undefined && last !== undefined && first > last;
  return isNewestFirst && times.every((time) => !Number.isNaN(time)) ? value.toReversed() : value;
}

/** A typed entry of a list of messages that is not a message, such as the list of a server's tools. */
const otherItem = (value: unknown): Message[] | null =>
  isObject(value) && typeof value['type'] === 'string' && !('role' in value)
    ? [{ role: 'assistant', parts: [{ kind: 'other', value }] }]
    : null;

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
    typeof text === 'string' &&
    message === undefined &&
    (info !== undefined || type === 'Generation' || ('index' in value && 'finish_reason' in value));
  return isGeneration ? [{ role: 'assistant', parts: [{ kind: 'text', text }] }] : null;
}

function insideOf(value: JsonObject, depth: number): Message[] | null {
  // LangChain's prompt.
  if (isObject(value['kwargs']) && Array.isArray(value['id'])) return insideOf(value['kwargs'], depth);
  const history = firstOf(value, ...HISTORIES);
  const question = firstOf(value, ...QUESTIONS);
  if (isNested(history) && typeof question === 'string') {
    const before = readLinked(history, depth + 1);
    return before === null ? null : [...before, asked(question)];
  }
  if (Array.isArray(value['prompt']) && Array.isArray(value['completion'])) {
    const [before, after] = [value['prompt'], value['completion']].map((each) => readLinked(each, depth + 1));
    return before && after ? [...before, ...after] : null;
  }
  const name = LISTS.find((each) => isNested(readNested(value[each])));
  if (name !== undefined) {
    const inside = readNested(value[name]);
    const list = name === 'contents' && Array.isArray(inside) ? inside.map(asUser) : inside;
    return readLinked(list, depth + 1);
  }
  // A function call with its arguments, or its outputs.
  const wrappers = ['inputs', 'outputs', 'kwargs'].filter((each) => isNested(value[each]));
  const [wrapper] = wrappers.includes('inputs') && wrappers.includes('outputs') ? [] : wrappers;
  if (wrapper !== undefined && isObject(value[wrapper])) return readLinked(value[wrapper], depth + 1);
  if (typeof value['contents'] === 'string') return [asked(value['contents'])];
  const { input, instructions } = value;
  if (typeof input === 'string' && typeof instructions === 'string') return [asked(input)];
  const body = BODIES.find((each) => isObject(value[each]));
  if (body !== undefined) return readLinked(value[body], depth + 1);
  // A candidate of Gemini: its content is the message.
  return isObject(value['content']) && Array.isArray(value['content']['parts'])
    ? readLinked({ role: 'model', ...value['content'] }, depth + 1)
    : null;
}

const asked = (text: string): Message => ({ role: 'user', parts: [{ kind: 'text', text }] });

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
