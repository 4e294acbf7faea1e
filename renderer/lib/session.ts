/** A session as a conversation: an exchange for each trace, with the spans that led to its answer. Pure. */
import type { Message } from '../../electron/shared/messages/message.ts';
import { isLanguageModel, recordMessages } from '../../electron/shared/messages/span-messages.ts';
import type { JsonObject } from './records.ts';
import type { TraceLine, TraceNode, TraceTree } from './trace-tree.ts';

export interface Exchange {
  /** That of its first span. */
  key: string;
  traceId: string;
  /** The span that stands for the whole trace. */
  head: TraceNode;
  /** Spans that are asked in turn what was said: the first that says something is believed. */
  speakers: readonly TraceNode[];
  /** All others, as they stand in the tree. */
  steps: readonly TraceLine[];
  startMs: number | null;
  failed: number;
}

/** Exchanges in the order of their start. A trace whose root belongs to another session has several spans at its top. */
export function exchangesOf({ lines }: Pick<TraceTree, 'lines'>): Exchange[] {
  const byTrace = new Map<string, TraceLine[]>();
  let current: TraceLine[] = [];
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

const timeOf = ({ startMs }: { startMs: number | null }) => startMs ?? Number.POSITIVE_INFINITY;
const byStart = (one: Exchange, other: Exchange) =>
  timeOf(one) === timeOf(other) ? 0 : timeOf(one) - timeOf(other);

function exchangeOf(lines: readonly TraceLine[]): Exchange | null {
  const tops = lines.filter(({ level }) => level === 1).map(({ node }) => node);
  const head = tops.find(({ isOrphan }) => !isOrphan) ?? tops[0];
  if (head === undefined) return null;
  const models = lines.filter(({ node }) => isLanguageModel(node.type));
  const least = models.reduce((found, { level }) => Math.min(found, level), Number.POSITIVE_INFINITY);
  // Where the root says nothing, the last model of those nearest to it gave the answer.
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

/** What was said in one exchange. */
export interface Said {
  /** Of these, only what was not said before. */
  asked: readonly Message[];
  answered: readonly Message[];
  /** Messages at the beginning that are those of the exchange before. */
  repeated: readonly Message[];
  /** From the beginning: the next exchange may repeat them. */
  all: readonly Message[];
}

const isSame = (one: Message | undefined, other: Message | undefined): boolean =>
  one !== undefined && other !== undefined && JSON.stringify(one) === JSON.stringify(other);

/** So many messages at the beginning of both are the same. */
function sameStart(one: readonly Message[], other: readonly Message[]): number {
  const differs = one.findIndex((message, at) => !isSame(message, other[at]));
  return differs === -1 ? Math.min(one.length, other.length) : differs;
}

/** `before`: all that was said until the exchange before ended. Null where this record says nothing. */
export function saidIn(record: JsonObject, before: readonly Message[]): Said | null {
  const read = recordMessages(record);
  if (read === null) return null;
  const all = withoutEcho(read);
  const same = sameStart(before, all);
  const isFollowed = before.length > 0 && same === before.length && same < all.length;
  // A question that is asked again is asked again: only a whole history, or the rules at its head, are repeated.
  const from = isFollowed ? same : Math.min(same, rulesOf(all));
  const rest = all.slice(from);
  const answer = rest.findLastIndex(({ role }) => role === 'user') + 1;
  return { asked: rest.slice(0, answer), answered: rest.slice(answer), repeated: all.slice(0, from), all };
}

/** System prompts at the beginning. */
function rulesOf(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system');
  return first === -1 ? messages.length : first;
}

/** An agent's state often comes out with all that went in: each message counts once. */
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
