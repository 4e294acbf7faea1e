/**
 * Converts dataset items to conversations: lines of fine-tuning files (`{"messages": […]}`) and of evals (`{"input":
 * […], "ideal": …}`). Messages of every form that the window shows are converted to chat completions. Messages already
 * in that form stay unchanged. An item that cannot be converted is rejected with a reason. Pure.
 */
import { isRawNumber, writeExact } from '../../shared/exact-json.ts';
import type { ConversationPlan } from '../../shared/export-model.ts';
import { type Message, readNested } from '../../shared/messages/message.ts';
import { blocksIn, partsOfBlock } from '../../shared/messages/parts.ts';
import { HISTORIES, readLinked } from '../../shared/messages/read-messages.ts';
import { chatMessages, LEFT_OUT_PARTS, type LeftOut } from './chat-messages.ts';

/** Number of message parts that a line cannot contain, by kind. */
type PartsLeftOut = Partial<Record<LeftOut, number>>;
/** The line without a line end, or the reason why there is none. Equal faults have equal reasons. */
type ConversationLine = { line: string; leftOut: PartsLeftOut } | { refused: string };

type Fields = Readonly<Record<string, unknown>>;

const PROMPTS = [
  'question',
  'query',
  'prompt',
  'user_input',
  'user_message',
  'user',
  'input',
  'text',
  'message',
];
const ANSWERS = [
  ...['answer', 'response', 'output', 'completion', 'expected_output', 'expected_answer'],
  ...['expected', 'ideal', 'reference', 'ground_truth', 'target', 'label'],
];
const SYSTEMS = ['system', 'system_prompt', 'system_message', 'instructions'];
const MESSAGES = 'messages';
/** Roles of messages that must come first. */
const SCENE = ['system', 'developer'];
const ROLES = [...SCENE, 'user', 'assistant', 'tool', 'function'];

/** A problem that a person can fix in the item or the plan. */
class Refused extends Error {}

export function conversationLine(record: unknown, plan: ConversationPlan): ConversationLine {
  try {
    const { messages, leftOut } = messagesAsked(fieldsOf(record), plan.prompt);
    const { line, leftOut: ofAnswer } = lineOf(fieldsOf(record), messages, plan);
    return { line: writeExact(line), leftOut: sumOf(leftOut, ofAnswer) };
  } catch (problem) {
    if (problem instanceof Refused) return { refused: problem.message };
    throw problem;
  }
}

/** The line for a conversation in spans. `id`: the id of their trace or session. */
export function spanConversation(
  id: string,
  said: readonly Message[],
  plan: ConversationPlan,
): ConversationLine {
  if (said.length === 0) return { refused: 'Expected a span with an input or an output, there is none.' };
  const { messages, leftOut } = chatMessages(said);
  const fault = faultOf(messages);
  if (fault !== null) return { refused: fault };
  if (messages.at(-1)?.['role'] !== 'assistant')
    return { refused: 'Expected an answer at the end, there is none.' };
  try {
    return { line: writeExact(lineOf({ id }, messages, plan).line), leftOut };
  } catch (problem) {
    if (problem instanceof Refused) return { refused: problem.message };
    throw problem;
  }
}

function sumOf(one: PartsLeftOut, other: PartsLeftOut): PartsLeftOut {
  const kinds = LEFT_OUT_PARTS.filter((kind) => one[kind] !== undefined || other[kind] !== undefined);
  return Object.fromEntries(kinds.map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]));
}

/** The line, and the parts of the expected answer that it cannot contain. */
function lineOf(
  item: Fields,
  asked: readonly Fields[],
  { as, answer }: ConversationPlan,
): { line: unknown; leftOut: PartsLeftOut } {
  const last = asked.at(-1);
  const ends = last?.['role'] === 'assistant';
  const answered = answerOf(item, answer);
  const expected = answered?.text ?? null;
  if (ends && expected !== null && textOf(last['content']) !== expected)
    throw new Refused(
      'The messages end with an answer of their own, and the expected output differs from it.',
    );
  if (!ends && expected === null) throw new Refused('Expected an answer in expected_outputs, there is none.');
  const rules = answered?.rules ?? [];
  const { messages: all, isUsed } = withRules(asked, rules);
  const question = ends ? all.slice(0, -1) : all;
  if (!question.some(({ role }) => role === 'user'))
    throw new Refused('Expected a message of the role user, there is none.');
  const unused = isUsed ? {} : { rules: rules.length };
  const leftOut = { ...answered?.leftOut, ...unused };
  if (as === 'chat')
    return { line: { messages: ends ? all : [...all, ...(answered?.messages ?? [])] }, leftOut };
  const metadata = fieldsOf(item['metadata']);
  const line = {
    ...(item['id'] === undefined ? {} : { id: item['id'] }),
    input: question,
    ideal: expected ?? textOf(last?.['content']),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
  return { line, leftOut };
}

/** A service's answer can repeat the instructions of its request. They are used if the messages have none. */
function withRules(
  asked: readonly Fields[],
  rules: readonly Fields[],
): { messages: readonly Fields[]; isUsed: boolean } {
  const own = asked.filter(({ role }) => SCENE.includes(String(role)));
  if (rules.length > 0 && own.length === 0) return { messages: [...rules, ...asked], isUsed: true };
  const isSame = rules.every(({ content }) =>
    own.some((each) => textOf(each['content']) === textOf(content)),
  );
  return { messages: asked, isUsed: isSame };
}

/** The messages of an item, or one of its texts as a single question. */
function messagesAsked(item: Fields, field: string | null): { messages: Fields[]; leftOut: PartsLeftOut } {
  const inputs = fieldsOf(item['inputs']);
  const value = field === null ? askedIn(inputs) : at(item, field);
  const list = listOf(value);
  const system = SYSTEMS.map((key) => inputs[key]).find(
    (each) => typeof each === 'string' && each.trim() !== '',
  );
  const rules = system === undefined ? [] : [{ role: 'system', content: system }];
  if (list !== null) {
    const { messages, leftOut } = spoken(list);
    const hasRules = messages.some(({ role }) => SCENE.includes(String(role)));
    return { messages: hasRules ? messages : [...rules, ...messages], leftOut };
  }
  const content = textOf(value);
  if (content === '') throw new Refused(`Expected a text to ask with in ${field ?? 'inputs'}, it is empty.`);
  return { messages: [...rules, { role: 'user', content }], leftOut: {} };
}

/** The value in the inputs to ask with: the messages, the question with its history, or the only text. */
function askedIn(inputs: Fields): unknown {
  const messages = inputs[MESSAGES];
  if (messages !== undefined) return messages;
  const hasHistory = HISTORIES.some((key) => typeof inputs[key] === 'object' && inputs[key] !== null);
  return hasHistory && readLinked(inputs) !== null ? inputs : chosenOf(inputs, PROMPTS, SYSTEMS, 'inputs');
}

/** Converts messages of any form. Throws Refused if no reader accepts them, or if they are not a valid chat. */
function spoken(given: unknown): { messages: Fields[]; leftOut: PartsLeftOut } {
  if (Array.isArray(given) && given.length === 0) throw new Refused('Expected messages, the list is empty.');
  const asTheyAre = Array.isArray(given) ? given.map(fieldsOf) : [];
  const fault =
    asTheyAre.length === 0 ? 'Expected messages with a role and a content each.' : faultOf(asTheyAre);
  if (fault === null) return { messages: asTheyAre, leftOut: {} };
  const read = readLinked(given);
  if (read === null) throw new Refused(fault);
  const { messages, leftOut } = chatMessages(read);
  const left = faultOf(messages);
  if (left !== null) throw new Refused(left);
  return { messages, leftOut };
}

interface Answer {
  text: string;
  /** System messages found in the same value as the messages. */
  rules: Fields[];
  messages: Fields[];
  leftOut: PartsLeftOut;
}

/** The expected answer; null if there is none. Messages of the assistant and content blocks are recognized. */
function answerOf(item: Fields, field: string | null): Answer | null {
  const outputs = fieldsOf(item['expected_outputs']);
  if (field === null && Object.keys(outputs).length === 0) return null;
  const value = field === null ? chosenOf(outputs, ANSWERS, [], 'expected_outputs') : at(item, field);
  const read = readNested(value);
  const blocks = blocksIn(read);
  const said =
    blocks === null ? readLinked(read) : [{ role: 'assistant', parts: blocks.flatMap(partsOfBlock) }];
  const isRule = ({ role }: Message) => SCENE.includes(role);
  const answers = said?.filter((message) => !isRule(message)) ?? [];
  if (answers.length > 0 && answers.every(({ role }) => role === 'assistant')) {
    const { messages, leftOut } = chatMessages(answers);
    const rules = chatMessages((said ?? []).filter(isRule)).messages;
    const last = messages.at(-1);
    const text = textOf(last?.['content']) || textOf(last?.['tool_calls']);
    if (faultOf(messages) === null && text !== '') return { text, rules, messages, leftOut };
  }
  const text = textOf(value);
  if (text === '') return null;
  return { text, rules: [], messages: [{ role: 'assistant', content: text }], leftOut: {} };
}

/** The only field of the bucket, or the one whose name indicates its role. */
function chosenOf(
  bucket: Fields,
  names: readonly string[],
  besides: readonly string[],
  where: string,
): unknown {
  const keys = Object.keys(bucket).filter((key) => !besides.includes(key));
  const known = names.find((name) => keys.includes(name));
  const key = keys.length === 1 ? keys[0] : known;
  if (key !== undefined) return bucket[key];
  throw new Refused(
    keys.length === 0
      ? `Expected a field in ${where}, there is none.`
      : `Expected one field in ${where}, or one of a known name; choose which of them it is.`,
  );
}

/** The value of a field such as `inputs.question`. The key after the first dot may contain dots. */
function at(item: Fields, field: string): unknown {
  const dot = field.indexOf('.');
  return fieldsOf(item[field.slice(0, dot)])[field.slice(dot + 1)];
}

/** Stored messages: a list, an object with a list, or JSON of either. Null for any other value. */
function listOf(value: unknown): unknown {
  if (Array.isArray(value)) return value;
  const inside = readNested(value);
  return typeof inside === 'object' && inside !== null && readLinked(inside) !== null ? inside : null;
}

/** Why these messages are not a valid chat; null if they are. */
function faultOf(messages: readonly Fields[]): string | null {
  for (const [index, message] of messages.entries()) {
    const { role, content } = message;
    if (typeof role !== 'string' || !ROLES.includes(role))
      return `Expected the role of each message to be one of ${ROLES.join(', ')}.`;
    if (
      SCENE.includes(role) &&
      !messages.slice(0, index).every((each) => SCENE.includes(String(each['role'])))
    )
      return 'Expected a message of the role system or developer to be the first.';
    const calls =
      role === 'assistant' &&
      ((Array.isArray(message['tool_calls']) && message['tool_calls'].length > 0) ||
        typeof message['function_call'] === 'object');
    if (!calls && role !== 'tool' && textOf(content) === '')
      return 'Expected each message to have content; one is empty.';
    if (!isChatContent(content) || BESIDES.some((name) => textOf(message[name]) !== ''))
      return 'Expected each content to be a text or a list of chat completions.';
    if (role === 'tool' && typeof message['tool_call_id'] !== 'string')
      return 'Expected each message of the role tool to name its tool_call_id.';
  }
  return null;
}

/** Fields that hold parts of a message in forms other than chat completions. */
const BESIDES = ['images', 'parts', 'blocks', 'toolInvocations', 'additional_kwargs', 'invalid_tool_calls'];
/** Part types of chat completions. */
const CHAT_PARTS: readonly unknown[] = ['text', 'image_url', 'input_audio', 'file', 'refusal'];

/** Accepts a text, or a list of parts that are valid in a chat. Any other content must be converted first. */
function isChatContent(content: unknown): boolean {
  if (content === null || content === undefined || typeof content === 'string') return true;
  if (!Array.isArray(content)) return false;
  return content.every((part) => {
    const { type, text, image_url: picture } = fieldsOf(part);
    if (!CHAT_PARTS.includes(type)) return false;
    return type === 'text' ? typeof text === 'string' : type !== 'image_url' || typeof picture === 'object';
  });
}

/** Values other than text are written as JSON; a missing value becomes an empty text. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value.trim() === '' ? '' : value;
  if (Array.isArray(value) && value.length === 0) return '';
  return writeExact(value);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
    ? (value as Fields)
    : {};
}
