/** The conversation in a span, from its messages, or from its texts if it has no messages. Pure. */
import { indexedMessages } from './indexed.ts';
import { isObject, type JsonObject, type Message, type MessagePart, readNested, textIn } from './message.ts';
import { blocksIn, partsOf, plainContent } from './parts.ts';
import { readMessages } from './read-messages.ts';

/** Values of an attribute, whatever the prefix of its name. */
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

const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** Attributes with messages as lists or JSON, with the names used by instrumentations. */
const SENT = [
  'gen_ai.input.messages',
  'llm.input_messages',
  'ai.prompt.messages',
  'ai.prompt',
  'gen_ai.prompt',
] as const;
const ANSWERED = ['gen_ai.output.messages', 'llm.output_messages', 'gen_ai.completion'] as const;
const WHOLE = ['pydantic_ai.all_messages', 'all_messages_events'] as const;
const SYSTEM = ['gen_ai.system_instructions', 'llm.input.system', 'llm_input_system'] as const;
const CONTEXT = ['gen_ai.llm.context', 'llm_context'] as const;
/** Attributes with any form of input or output. */
const INPUTS = [
  ...['input', 'llm.input.user', 'llm_input_user', 'gen_ai.tool.call.arguments', 'tool_input', 'input.value'],
  ...['ai.toolCall.args', 'tool_arguments', 'mlflow.spanInputs', 'traceloop.entity.input', 'lmnr.span.input'],
  ...['langfuse.observation.input', 'gcp.vertex.agent.llm_request', 'gcp.vertex.agent.tool_call_args'],
  'request_data',
] as const;
const OUTPUTS = [
  ...['output', 'llm.output', 'llm_output', 'gen_ai.tool.call.result', 'tool_output', 'output.value'],
  ...[
    'ai.toolCall.result',
    'tool_response',
    'ai.response.text',
    'mlflow.spanOutputs',
    'traceloop.entity.output',
  ],
  ...['ai.response.object', 'lmnr.span.output', 'langfuse.observation.output'],
  ...['gcp.vertex.agent.llm_response', 'gcp.vertex.agent.tool_response', 'response_data'],
] as const;

/** Input and output messages. */
interface Said {
  asked: Message[];
  answered: Message[];
}

/** Whether a span of this type is a call of a language model. */
export function isLanguageModel(type: unknown): boolean {
  return String(type).toLowerCase() === 'llm';
}

/**
 * The conversation of a language model span: system prompt, input, context and output, from its messages, or from its
 * texts if it has no messages. Null if it has neither, and for spans of other types with separate input and output, or
 * without messages.
 */
export function spanMessages(record: JsonObject): Message[] | null {
  if (isLanguageModel(record['span_type'])) return recordMessages(record);
  if (isSaid(record['input']) || isSaid(record['output'])) return null;
  const { sent, answered } = messagesIn(record);
  return sent === null && answered === null ? null : recordMessages(record);
}

/** Like `spanMessages`, for a span of any type: the input was asked, the output was answered. */
export function recordMessages(record: JsonObject): Message[] | null {
  const { asked, answered } = saidIn(record);
  return asked.length + answered.length === 0 ? null : [...asked, ...answered];
}

function saidIn(record: JsonObject): Said {
  const { sent, answered } = messagesIn(record);
  const input = sent === null ? attributeOf(record, INPUTS) : undefined;
  const output = answered === null ? attributeOf(record, OUTPUTS) : undefined;
  const asked = sent ?? (isSaid(input) ? said('user', input) : []);
  const answers = answered ?? (isSaid(output) ? said('assistant', output) : []);
  if (asked.length + answers.length === 0) return { asked, answered: answers };
  const system = attributeOf(record, SYSTEM);
  const context = attributeOf(record, CONTEXT);
  const hasSystem = asked.some(({ role }) => role === 'system');
  const all = [
    ...(isSaid(system) && !hasSystem ? asSystem(system) : []),
    ...asked,
    ...(isSaid(context)
      ? [{ role: 'context', parts: said('context', context).flatMap((each) => each.parts) }]
      : []),
  ];
  return { asked: all, answered: withoutEcho(asked, answers) };
}

/** Messages in attributes and events; null for a side without any. */
function messagesIn(record: JsonObject): { sent: Message[] | null; answered: Message[] | null } {
  const attributes = isObject(record['span_attributes']) ? record['span_attributes'] : {};
  const indexed = indexedMessages(attributes);
  const events = eventMessages(record['events']);
  const sent = firstRead(record, SENT) ?? indexed.sent ?? events.sent;
  const answered =
    firstRead(record, ANSWERED) ?? indexed.answered ?? events.answered ?? sdkAnswer(attributes);
  if (sent !== null || answered !== null) return { sent, answered };
  const logged = attributes['events'];
  const whole = firstRead(record, WHOLE) ?? (isSaid(logged) ? readMessages(readNested(logged)) : null);
  if (whole === null) return { sent: null, answered: null };
  const last = whole.findLastIndex(({ role }) => role === 'user' || role === 'tool') + 1;
  return { sent: whole.slice(0, last), answered: whole.slice(last) };
}

/** The first of these attributes that has a value: its messages, or its text. */
function firstRead(record: JsonObject, names: readonly string[]): Message[] | null {
  const value = attributeOf(record, names);
  if (!isSaid(value)) return null;
  const inside = readNested(value);
  const read = readMessages(inside);
  if (read !== null) return read;
  const role = names === ANSWERED ? 'assistant' : 'user';
  // The AI SDK's prompt: a text with a separate system prompt.
  if (!isObject(inside) || !isSaid(inside['prompt'])) return said(role, inside);
  return [...(isSaid(inside['system']) ? asSystem(inside['system']) : []), ...said(role, inside['prompt'])];
}

/** The AI SDK's answer with reasoning or calls; null for a text alone. */
function sdkAnswer(attributes: JsonObject): Message[] | null {
  const calls = attributes['ai.response.toolCalls'];
  const read = isSaid(calls) ? readMessages(readNested(calls)) : null;
  const [text, thought] = [
    textIn(attributes['ai.response.text']),
    textIn(attributes['ai.response.reasoning']),
  ];
  if (read === null && thought === '') return null;
  const parts: MessagePart[] = [
    ...(thought === '' ? [] : [{ kind: 'reasoning' as const, text: thought }]),
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...(read ?? []).flatMap((each) => each.parts),
  ];
  return [{ role: 'assistant', parts }];
}

const EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;

/** Messages as span events, the original form of OpenTelemetry. */
function eventMessages(events: unknown): { sent: Message[] | null; answered: Message[] | null } {
  const [sent, answered]: [Message[], Message[]] = [[], []];
  for (const event of Array.isArray(events) ? events.filter(isObject) : []) {
    const name = textIn(event['name']);
    const fields = isObject(event['attributes']) ? event['attributes'] : {};
    const role = EVENT.exec(name)?.[1];
    const inside = { role: role ?? 'assistant', ...bodyOf(unprefixed(fields)) };
    if (role !== undefined) sent.push(...(readMessages(inside) ?? []));
    else if (name === 'gen_ai.choice') answered.push(...(readMessages(choiceOf(inside)) ?? []));
    else if (name.startsWith('gen_ai.')) {
      const system = attributeOf({ span_attributes: fields }, SYSTEM);
      sent.push(...(isSaid(system) ? asSystem(system) : []));
      sent.push(...(firstRead({ span_attributes: fields }, SENT) ?? []));
      answered.push(...(firstRead({ span_attributes: fields }, ANSWERED) ?? []));
    }
  }
  return { sent: sent.length === 0 ? null : sent, answered: answered.length === 0 ? null : answered };
}

const choiceOf = (fields: JsonObject): unknown => {
  const message = readNested(fields['message']);
  return isObject(message) ? { role: 'assistant', ...message } : fields;
};

/** The content of an event may be one attribute with all of its fields. */
function bodyOf(fields: JsonObject): JsonObject {
  const { body, 'event.body': eventBody, content, ...others } = fields;
  const found = [body, eventBody, content].find(
    (each): each is JsonObject =>
      isObject(each) && ['message', 'content', 'tool_calls'].some((name) => name in each),
  );
  return found === undefined ? fields : { ...others, ...found };
}

/** Fields of an event may be JSON. */
const unprefixed = (fields: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.replace(/^gen_ai\.event\./, ''), readNested(value)]),
  );

function said(role: string, value: unknown): Message[] {
  const inside = readNested(value);
  const read = readMessages(inside);
  if (read !== null) return read;
  const blocks = blocksIn(inside);
  if (blocks !== null) return [{ role, parts: partsOf(blocks) }];
  const part: MessagePart =
    typeof inside === 'string' ? { kind: 'text', text: inside } : { kind: 'other', value: inside };
  return [{ role, parts: [part] }];
}

function asSystem(value: unknown): Message[] {
  const inside = readNested(value);
  return readMessages(inside) ?? [{ role: 'system', parts: partsOf(plainContent(inside)) }];
}

/** An agent's output state repeats all of its input: each message counts once. */
function withoutEcho(asked: readonly Message[], answered: readonly Message[]): Message[] {
  const texts = asked.map((message) => JSON.stringify(message));
  const isEcho =
    texts.length > 0 &&
    answered.length > texts.length &&
    texts.every((text, at) => text === JSON.stringify(answered[at]));
  return isEcho ? answered.slice(texts.length) : [...answered];
}

/** Input and output of a span for one line of a list: the stated ones, or the last message and its answer. */
export function spanTexts(record: JsonObject): { input: unknown; output: unknown } {
  const { input, output } = record;
  if ((isSaid(input) && isSaid(output)) || !isObject(record['span_attributes'])) return { input, output };
  const { asked, answered } = saidIn(record);
  const lines = asked.filter(({ role }) => role !== 'system' && role !== 'context');
  return {
    input: isSaid(input) ? input : lineOf(lines.slice(-1)),
    output: isSaid(output) ? output : lineOf(answered),
  };
}

/** Text for one line; undefined if there is no content. */
function lineOf(messages: readonly Message[]): unknown {
  const parts = messages.flatMap((each) => each.parts).filter(({ kind }) => kind !== 'reasoning');
  const [only] = parts;
  if (
    parts.length === 1 &&
    only !== undefined &&
    only.kind !== 'picture' &&
    only.kind !== 'file' &&
    only.kind !== 'call'
  )
    return 'text' in only ? only.text : only.value;
  return parts.length === 0 ? undefined : parts.map(wordsOf).join('\n');
}

function wordsOf(part: MessagePart): string {
  switch (part.kind) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'picture':
      return '[picture]';
    case 'file':
      return '[file]';
    case 'call':
      return `${part.name}(${JSON.stringify(part.value) ?? ''})`;
    default:
      return typeof part.value === 'string' ? part.value : (JSON.stringify(part.value) ?? '');
  }
}
