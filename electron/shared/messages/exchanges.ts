/** Spans as a conversation: one exchange per trace, with the spans that led to its answer. Pure. */
import type { SpanLine, SpanNode, SpanPlace } from '../span-tree.ts';
import type { JsonObject, Message } from './message.ts';
import { isLanguageModel, recordMessages } from './span-messages.ts';

/** Fields of a span that the exchanges need. */
export interface SpokenSpan extends SpanPlace {
  traceId: string;
  type: string;
  status: string;
}

export interface Exchange<S extends SpokenSpan> {
  /** Key of the exchange's first span. */
  key: string;
  traceId: string;
  /** The span that represents the whole trace. */
  head: SpanNode<S>;
  /** Spans whose messages are read in turn: the first one with messages is used. */
  speakers: readonly SpanNode<S>[];
  /** All other spans, in tree order. */
  steps: readonly SpanLine<S>[];
  startMs: number | null;
  failed: number;
}

/** Exchanges ordered by start. A trace whose root belongs to another session has several top-level spans. */
export function exchangesOf<S extends SpokenSpan>({
  lines,
}: {
  lines: readonly SpanLine<S>[];
}): Exchange<S>[] {
  const byTrace = new Map<string, SpanLine<S>[]>();
  let current: SpanLine<S>[] = [];
  for (const line of lines) {
    if (line.level === 1) {
      const trace = line.node.traceId === '' ? line.node.key : line.node.traceId;
      current = byTrace.get(trace) ?? [];
      byTrace.set(trace, current);
    }
    current.push(line);
  }
  return [...byTrace.values()].flatMap((each) => exchangeOf(each) ?? []).toSorted(byStart);
}

type Timed = Pick<SpanPlace, 'startMs'>;
const timeOf = ({ startMs }: Timed) => startMs ?? Number.POSITIVE_INFINITY;
const byStart = (one: Timed, other: Timed) =>
  timeOf(one) === timeOf(other) ? 0 : timeOf(one) - timeOf(other);

function exchangeOf<S extends SpokenSpan>(lines: readonly SpanLine<S>[]): Exchange<S> | null {
  const tops = lines.filter(({ level }) => level === 1).map(({ node }) => node);
  const head = tops.find(({ isOrphan }) => !isOrphan) ?? tops[0];
  if (head === undefined) return null;
  const models = lines.filter(({ node }) => isLanguageModel(node.type));
  const least = models.reduce((found, { level }) => Math.min(found, level), Number.POSITIVE_INFINITY);
  // If the root has no messages, the last of the model spans nearest to the root gave the answer.
  const answering = models.findLast(({ level }) => level === least)?.node;
  return {
    key: head.key,
    traceId: head.traceId,
    head,
    speakers: answering === undefined || answering === head ? [head] : [head, answering],
    steps: lines.filter(({ node }) => node !== head),
    startMs: head.startMs,
    failed: lines.filter(({ node }) => node.status.toUpperCase() === 'ERROR').length,
  };
}

/** Messages of one exchange. */
export interface Said {
  /** Only messages that are new in this exchange. */
  asked: readonly Message[];
  answered: readonly Message[];
  /** Initial messages repeated from the previous exchange. */
  repeated: readonly Message[];
  /** All messages from the start: the next exchange can repeat them. */
  all: readonly Message[];
}

const isSame = (one: Message | undefined, other: Message | undefined): boolean =>
  one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other);

/** Number of equal messages at the start of both lists. */
function sameStart(one: readonly Message[], other: readonly Message[]): number {
  const differs = one.findIndex((message, at) => !isSame(message, other[at]));
  return differs === -1 ? Math.min(one.length, other.length) : differs;
}

/**
 * Messages of a span after those of the previous exchange. `before`: all messages up to the end of that exchange. Null
 * if the record has no messages.
 */
export function saidIn(record: JsonObject, before: readonly Message[]): Said | null {
  return saidOf(recordMessages(record), before);
}

/** Like `saidIn`, for messages that were already read; null if there are none. */
export function saidOf(read: readonly Message[] | null, before: readonly Message[]): Said | null {
  if (read === null) return null;
  const all = withoutEcho(read);
  const same = sameStart(before, all);
  const isFollowed = before.length > 0 && same === before.length && same < all.length;
  // A question asked again is a new question, so only the complete history, or the system prompts at its start, count
  // as repeated.
  const from = isFollowed ? same : Math.min(same, rulesOf(all));
  const rest = all.slice(from);
  const answer = rest.findLastIndex(({ role }) => role === 'user') + 1;
  return { asked: rest.slice(0, answer), answered: rest.slice(answer), repeated: all.slice(0, from), all };
}

/** Number of system prompts at the beginning. */
function rulesOf(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system');
  return first === -1 ? messages.length : first;
}

/** The output state of an agent often includes all input messages: each is counted once. */
function withoutEcho(messages: readonly Message[]): readonly Message[] {
  const rules = rulesOf(messages);
  const said = messages.slice(rules);
  const texts = said.map((message) => JSON.stringify(message));
  const echo = texts.findIndex(
    (text, at) =>
      at > 0 && text === texts[0] && texts.slice(0, at).every((each, index) => each === texts[at + index]),
  );
  return echo === -1 ? messages : [...messages.slice(0, rules), ...said.slice(echo)];
}

/** The text of the first message of a user; empty without one. */
export const askedText = (messages: readonly Message[]): string =>
  firstText(messages.filter(({ role }) => role === 'user'));

/** The text of the last answer after the last message of a user; empty without one. */
export const answeredText = (messages: readonly Message[]): string =>
  firstText((saidOf(messages, [])?.answered ?? []).toReversed());

function firstText(messages: readonly Message[]): string {
  return messages.map(plainText).find((text) => text !== '') ?? '';
}

function plainText({ parts }: Message): string {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? part.text.trim() : []));
  const calls = parts.flatMap((part) => (part.kind === 'call' ? `${part.name}(…)` : []));
  return (texts.some((text) => text !== '') ? texts : calls).join('\n').trim();
}
