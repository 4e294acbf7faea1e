/**
 * Conversations as they occur in inputs, outputs and span attributes, read into one form. Known are: chat completions
 * and responses (OpenAI), content blocks (Anthropic), parts (OpenTelemetry GenAI, Gemini), LangChain's serialized
 * messages and `{from, value}`. Pure.
 */
import { isObject, type JsonObject } from '../records.ts';
import { readNested } from './nested.ts';

export type MessagePart =
  | { kind: 'text'; text: string }
  | { kind: 'reasoning'; text: string }
  | { kind: 'call'; name: string; value: unknown }
  | { kind: 'result'; name: string; value: unknown }
  /** A picture as a data URL, or the address of one, which is never loaded. */
  | { kind: 'picture'; url: string }
  | { kind: 'other'; value: unknown };

export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or as it came. */
  role: string;
  parts: MessagePart[];
}

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
};
const LISTS = ['messages', 'input', 'output', 'contents', 'choices', 'message'] as const;
const MOST_DEPTH = 4;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function roleOf(word: string): string {
  const small = word.toLowerCase();
  return ROLES[small] ?? small;
}

function pictureOf(block: JsonObject): MessagePart | null {
  const { image_url: image, source } = block;
  if (typeof image === 'string') return { kind: 'picture', url: image };
  if (isObject(image) && typeof image['url'] === 'string') return { kind: 'picture', url: image['url'] };
  if (!isObject(source)) return null;
  if (typeof source['url'] === 'string') return { kind: 'picture', url: source['url'] };
  const data = text(source['data']);
  return data === '' ? null : { kind: 'picture', url: `data:${text(source['media_type'])};base64,${data}` };
}

function callOf(call: JsonObject): MessagePart {
  const inner = isObject(call['function']) ? call['function'] : call;
  const given = inner['arguments'] ?? inner['input'] ?? inner['args'] ?? {};
  return { kind: 'call', name: text(inner['name']) || 'tool', value: readNested(given) };
}

/** A call that stands alone, as an answer that is nothing but calls has them. */
const isCall = (value: unknown): value is JsonObject =>
  isObject(value) &&
  (value['type'] === 'tool_call' || value['type'] === 'tool_use' || value['type'] === 'function') &&
  (isObject(value['function']) || typeof value['name'] === 'string');

/** One block of a message's content. */
function partOf(block: unknown): MessagePart {
  if (typeof block === 'string') return { kind: 'text', text: block };
  if (!isObject(block)) return { kind: 'other', value: block };
  const { functionCall, functionResponse } = block;
  if (isObject(functionCall)) return callOf(functionCall);
  if (isObject(functionResponse))
    return { kind: 'result', name: text(functionResponse['name']), value: functionResponse['response'] };
  const said = [block['text'], block['content'], block['refusal']].find((each) => typeof each === 'string');
  switch (block['type']) {
    case 'tool_use':
    case 'tool_call':
    case 'function_call':
    case 'server_tool_use':
      return callOf(block);
    case 'tool_result':
    case 'tool_call_response':
    case 'function_call_output': {
      const result = block['content'] ?? block['response'] ?? block['result'] ?? block['output'];
      return { kind: 'result', name: text(block['name']), value: readNested(plainContent(result)) };
    }
    case 'thinking':
    case 'reasoning':
      return { kind: 'reasoning', text: text(block['thinking']) || text(said) || summaryOf(block) };
    case 'image':
    case 'image_url':
    case 'input_image':
      return pictureOf(block) ?? { kind: 'other', value: block };
    case undefined:
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal':
      return typeof said === 'string' ? { kind: 'text', text: said } : { kind: 'other', value: block };
    default:
      return { kind: 'other', value: block };
  }
}

const summaryOf = ({ summary }: JsonObject): string =>
  Array.isArray(summary)
    ? summary.map((each) => (isObject(each) ? text(each['text']) : text(each))).join('\n')
    : '';

/** A list of text blocks alone is their text. */
function plainContent(content: unknown): unknown {
  if (!Array.isArray(content) || content.length === 0) return content;
  const parts = content.map(partOf);
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n') : content;
}

function partsOf(content: unknown): MessagePart[] {
  if (content === undefined || content === null || content === '') return [];
  return Array.isArray(content) ? content.map(partOf) : [partOf(content)];
}

/** A constructor as LangChain writes it: its class says the role. */
function unpacked(value: JsonObject): JsonObject {
  const { kwargs, id } = value;
  if (!isObject(kwargs) || !Array.isArray(id)) return value;
  const role = text(id.at(-1)).replace(/Chunk$/, '');
  return roleOf(role) === role.toLowerCase() ? value : { ...kwargs, role: roleOf(role) };
}

function roleWord(value: JsonObject): string {
  const { role, type, from } = value;
  if (typeof role === 'string' && role !== '') return role;
  if (typeof from === 'string' && 'value' in value) return from;
  const isSaid = 'content' in value || 'parts' in value;
  return isSaid && typeof type === 'string' && type.toLowerCase() in ROLES ? type : typeOnly(type, isSaid);
}
const typeOnly = (type: unknown, isSaid: boolean): string =>
  isSaid && (type === 'system' || type === 'tool') ? type : '';

/** One message; null where this is none. */
function messageOf(raw: unknown): Message | null {
  if (!isObject(raw)) return null;
  const value = unpacked(raw);
  const { type } = value;
  if (type === 'function_call' || type === 'reasoning') return { role: 'assistant', parts: [partOf(value)] };
  if (type === 'function_call_output') return { role: 'tool', parts: [partOf(value)] };
  const word = roleWord(value);
  const content = value['content'] ?? value['parts'] ?? value['value'];
  const calls = value['tool_calls'];
  const call = value['function_call'];
  const isMessage =
    word !== '' && ('content' in value || 'parts' in value || 'value' in value || Array.isArray(calls));
  if (!isMessage) return null;
  const role = roleOf(word);
  if (role === 'tool') {
    const inside = readNested(plainContent(content));
    const parts = partsOf(content);
    const isResult = parts.some((part) => part.kind === 'result');
    return { role, parts: isResult ? parts : [{ kind: 'result', name: text(value['name']), value: inside }] };
  }
  const parts = partsOf(content);
  if (Array.isArray(calls) && !parts.some((part) => part.kind === 'call'))
    parts.push(...calls.filter(isObject).map(callOf));
  if (isObject(call)) parts.push(callOf(call));
  const reasoning = text(value['reasoning_content']);
  return { role, parts: reasoning === '' ? parts : [{ kind: 'reasoning', text: reasoning }, ...parts] };
}

/**
 * The messages of a value, in order; null where not all of it is a conversation. `system` beside a list (Anthropic)
 * becomes its first message.
 */
export function readMessages(value: unknown, depth = 0): Message[] | null {
  if (depth > MOST_DEPTH) return null;
  if (Array.isArray(value)) {
    if (value.length === 0) return null;
    if (value.every(isCall)) return [{ role: 'assistant', parts: value.map(callOf) }];
    const read = value.map((each) => readMessage(each, depth));
    return read.every((each) => each !== null) ? read.flat() : null;
  }
  const one = messageOf(value);
  if (one !== null) return [one];
  if (!isObject(value)) return null;
  const name = LISTS.find((each) => Array.isArray(value[each]) || isObject(value[each]));
  const found = name === undefined ? null : readMessages(value[name], depth + 1);
  if (found === null) return null;
  const system = partsOf(value['system'] ?? value['instructions']);
  return system.length === 0 ? found : [{ role: 'system', parts: system }, ...found];
}

function readMessage(value: unknown, depth: number): Message[] | null {
  const one = messageOf(value);
  if (one !== null) return [one];
  return Array.isArray(value) || isObject(value) ? readMessages(value, depth + 1) : null;
}

/** Texts of an attribute, whatever stands before its name. */
export function attributeOf(record: JsonObject, names: readonly string[]): unknown {
  const attributes = record['span_attributes'];
  const entries = [...(isObject(attributes) ? Object.entries(attributes) : []), ...Object.entries(record)];
  for (const name of names) {
    const found = entries.find(
      ([key, value]) => (key === name || key.endsWith(`.${name}`)) && value !== '' && value !== null,
    );
    if (found !== undefined) return found[1];
  }
  return undefined;
}

const said = (role: string, value: unknown): Message[] => {
  const inside = readNested(value);
  const read = readMessages(inside);
  if (read !== null) return read;
  const part: MessagePart =
    typeof inside === 'string' ? { kind: 'text', text: inside } : { kind: 'other', value: inside };
  return [{ role, parts: [part] }];
};
const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/**
 * The conversation that a span of a language model is: system prompt, input, context and output, from its messages
 * where it has any, else from its texts. Null for spans of other types, and where nothing was said.
 */
export function spanMessages(record: JsonObject): Message[] | null {
  return isLanguageModel(record['span_type']) ? recordMessages(record) : null;
}

/** Is a span of this type a call of a language model? */
export function isLanguageModel(type: unknown): boolean {
  return String(type).toLowerCase() === 'llm';
}

/** The same of a span of any type: what went in was asked, what came out was answered. */
export function recordMessages(record: JsonObject): Message[] | null {
  const sent = attributeOf(record, ['gen_ai.input.messages']);
  const answered = attributeOf(record, ['gen_ai.output.messages']);
  const system = attributeOf(record, ['gen_ai.system_instructions', 'llm.input.system', 'llm_input_system']);
  const input = sent ?? attributeOf(record, ['input', 'llm.input.user', 'llm_input_user']);
  const context = attributeOf(record, ['gen_ai.llm.context', 'llm_context']);
  const output = answered ?? attributeOf(record, ['output', 'llm.output', 'llm_output']);
  if (!isSaid(input) && !isSaid(output)) return null;
  const asked = isSaid(input) ? said('user', input) : [];
  const hasSystem = asked.some(({ role }) => role === 'system');
  return [
    ...(isSaid(system) && !hasSystem ? asSystem(system) : []),
    ...asked,
    ...(isSaid(context)
      ? [{ role: 'context', parts: said('context', context).flatMap((each) => each.parts) }]
      : []),
    ...(isSaid(output) ? said('assistant', output) : []),
  ];
}

function asSystem(value: unknown): Message[] {
  const inside = readNested(value);
  const read = readMessages(inside);
  return read ?? [{ role: 'system', parts: partsOf(plainContent(inside)) }];
}
