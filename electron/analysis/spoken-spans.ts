/** Converts the spans of a list to conversations, one for each trace or session, as the window shows sessions. */
import { spanConversation } from '../core/items/conversation.ts';
import { isRawNumber, parseExact } from '../shared/exact-json.ts';
import type { ConversationPlan } from '../shared/export-model.ts';
import { type Exchange, exchangesOf, type SpokenSpan, saidOf } from '../shared/messages/exchanges.ts';
import type { Message } from '../shared/messages/message.ts';
import { recordMessages } from '../shared/messages/span-messages.ts';
import { whole } from '../shared/pieces.ts';
import { idField, spanPlace, spanTree } from '../shared/span-tree.ts';

/** `place`: index of the span in the list. */
interface Head extends SpokenSpan {
  place: number;
  sessionId: string;
}

type Fields = Record<string, unknown>;

/** A conversation, or the reason why there is none. `id`: id of its trace or session. */
type Spoken = ReturnType<typeof spanConversation> & { id: string };

type Records = () => AsyncIterable<string> | Iterable<string>;

/**
 * The conversations, ordered by their beginning. A first pass finds the spans that represent their traces, a second one
 * reads the messages of these spans.
 */
export async function spokenSpans(
  records: Records,
  plan: ConversationPlan & { per: 'trace' | 'session' },
  onProgress: (rows: number) => void,
): Promise<{ spans: number; spoken: Spoken[] }> {
  const heads: Head[] = [];
  for await (const text of records()) {
    heads.push(headOf(fieldsOf(parseExact(text)), heads.length));
    if (heads.length % PROGRESS_EVERY_ROWS === 0) onProgress(heads.length);
  }
  const exchanges = exchangesOf(whole(spanTree(heads)));
  const speakers = new Set(exchanges.flatMap((each) => each.speakers.map(({ place }) => place)));
  const said = new Map<number, Message[] | null>();
  let place = 0;
  for await (const text of records()) {
    if (speakers.has(place)) said.set(place, recordMessages(fieldsOf(parseExact(text))));
    place += 1;
  }
  const groups = Map.groupBy(exchanges, (each) => groupOf(each, plan.per));
  const spoken = [...groups].map(([id, each]) => ({
    ...spanConversation(id, messagesOf(each, said), plan),
    id,
  }));
  return { spans: heads.length, spoken };
}

const PROGRESS_EVERY_ROWS = 10_000;

/** Key of the conversation of an exchange. Without a session id, it is the trace. */
function groupOf({ head, key, traceId }: Exchange<Head>, per: 'trace' | 'session'): string {
  if (per === 'session' && head.sessionId !== '') return head.sessionId;
  return traceId === '' ? key : traceId;
}

/** The messages of these exchanges in order, without repetitions. */
function messagesOf(
  exchanges: readonly Exchange<Head>[],
  said: ReadonlyMap<number, Message[] | null>,
): Message[] {
  let before: readonly Message[] = [];
  return exchanges.flatMap(({ speakers }) => {
    for (const { place } of speakers) {
      const found = saidOf(said.get(place) ?? null, before);
      if (found === null) continue;
      before = found.all;
      return [...found.asked, ...found.answered];
    }
    return [];
  });
}

function headOf(row: Fields, place: number): Head {
  return {
    ...spanPlace(row),
    place,
    traceId: idField(row['trace_id']),
    sessionId: idField(row['session_id']),
    type: idField(row['span_type']),
    status: idField(row['status_code']),
  };
}

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value)
    ? (value as Fields)
    : {};
