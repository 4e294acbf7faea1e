/**
 * Converts messages of any form to chat completions, the form of fine-tuning files: texts, user images, calls with
 * their results. Unsupported parts are left out and counted. Pure.
 */
import { writeExact } from '../../shared/exact-json.ts';
import type { Message, MessagePart } from '../../shared/messages/message.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Message parts that a chat message cannot contain, as named in reports. */
export const LEFT_OUT = {
  reasoning: 'reasoning',
  picture: 'pictures outside of a message of the user',
  file: 'sound and files',
  context: 'context that was retrieved for an answer',
  rules: 'instructions beside an answer whose messages have others',
  other: 'parts that are not text, picture, call or result',
} as const;
export type LeftOut = keyof typeof LEFT_OUT;
export const LEFT_OUT_PARTS: readonly LeftOut[] = [
  'reasoning',
  'picture',
  'file',
  'context',
  'rules',
  'other',
];

interface ChatMessages {
  messages: Fields[];
  /** Number of parts left out, by kind. */
  leftOut: Partial<Record<LeftOut, number>>;
}

/** Converts `messages`, which must include the ids of calls and results. */
export function chatMessages(messages: readonly Message[]): ChatMessages {
  const leftOut: Partial<Record<LeftOut, number>> = {};
  const drop = (kind: LeftOut) => {
    leftOut[kind] = (leftOut[kind] ?? 0) + 1;
  };
  const calls = new OpenCalls();
  const written = messages.flatMap((message) => writtenAs(message, calls, drop));
  return { messages: written, leftOut };
}

/** Calls that have no result yet. A call without an id gets one. */
class OpenCalls {
  readonly #open: { id: string; name: string }[] = [];
  #count = 0;

  begin({ name, id }: { name: string; id?: string }): string {
    this.#count += 1;
    const known = id ?? `call_${this.#count}`;
    this.#open.push({ id: known, name });
    return known;
  }

  /** The id of the call that a result answers; undefined if there is none. */
  end({ name, id }: { name: string; id?: string }): string | undefined {
    const byId = this.#open.findIndex((call) => call.id === id);
    const byName = this.#open.findIndex((call) => name !== '' && call.name === name);
    const at = byId >= 0 ? byId : byName >= 0 ? byName : 0;
    if (id !== undefined && byId < 0) return id;
    return this.#open.splice(at, 1)[0]?.id;
  }
}

type Call = MessagePart & { kind: 'call' };
type Result = MessagePart & { kind: 'result' };

function writtenAs(message: Message, calls: OpenCalls, drop: (kind: LeftOut) => void): Fields[] {
  if (message.role === 'context') {
    drop('context');
    return [];
  }
  return turnsOf(message).flatMap((turn) => turnAs(turn, calls, drop));
}

/** Splits a message of the assistant at results of its calls, because it continues after them. */
function turnsOf({ role, parts }: Message): Message[] {
  const turns: Message[] = [{ role, parts: [] }];
  for (const [at, part] of parts.entries()) {
    const continues = role === 'assistant' && part.kind !== 'result' && parts[at - 1]?.kind === 'result';
    if (continues) turns.push({ role, parts: [] });
    turns.at(-1)?.parts.push(part);
  }
  return turns;
}

function turnAs({ role, parts }: Message, calls: OpenCalls, drop: (kind: LeftOut) => void): Fields[] {
  const results = parts.filter((part): part is Result => part.kind === 'result');
  const called = parts.filter((part): part is Call => part.kind === 'call');
  const isUser = role === 'user';
  const said = parts.filter((part): part is SaidPart => {
    const { kind } = part;
    if (kind === 'text' || (kind === 'picture' && isUser)) return true;
    if (kind !== 'call' && kind !== 'result') drop(kind);
    return false;
  });
  const requests = called.map(({ name, value, id }) => ({
    id: calls.begin({ name, ...(id === undefined ? {} : { id }) }),
    type: 'function',
    function: { name, arguments: typeof value === 'string' ? value : writeExact(value) },
  }));
  const content = contentOf(said);
  const own: Fields =
    requests.length === 0
      ? { role, content }
      : { role, content: content === '' ? null : content, tool_calls: requests };
  const answers = results.map((result): Fields => {
    const id = calls.end(result);
    const text = typeof result.value === 'string' ? result.value : writeExact(result.value);
    return { role: 'tool', ...(id === undefined ? {} : { tool_call_id: id }), content: text };
  });
  // An empty message is kept and is rejected with a reason. A message that has only unsupported parts is left out with
  // them.
  const isGone = said.length === 0 && requests.length === 0 && parts.length > 0;
  return [...(isUser ? answers : []), ...(isGone ? [] : [own]), ...(isUser ? [] : answers)];
}

type SaidPart = Extract<MessagePart, { kind: 'text' | 'picture' }>;

function contentOf(parts: readonly SaidPart[]): unknown {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  if (texts.length === parts.length) return texts.join('\n');
  return parts.map((part) =>
    part.kind === 'picture'
      ? { type: 'image_url', image_url: { url: part.url } }
      : { type: 'text', text: part.text },
  );
}
