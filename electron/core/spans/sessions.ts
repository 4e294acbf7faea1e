/** Groups spans into sessions, and describes each as a row of a list: what it is about, and how it went. Pure. */

import { cutText } from '../../shared/cut-text.ts';
import { answeredText, askedText, exchangesOf, type SpokenSpan } from '../../shared/messages/exchanges.ts';
import type { JsonObject, Message } from '../../shared/messages/message.ts';
import { attributeOf, recordMessages } from '../../shared/messages/span-messages.ts';
import { type Pieces, sortInPieces, whole } from '../../shared/pieces.ts';
import { idField, spanTree } from '../../shared/span-tree.ts';
import { type SpanTimes, timesOf, USUAL_UNIT_MS, unitOf } from '../../shared/span-unit.ts';
import { sumUsage, type Usage, usageOf } from '../../shared/span-usage.ts';
import { compareByOrdering } from '../text/ordering.ts';

/** The fields of a span that are needed for its session. */
export interface SessionSpan extends SpokenSpan, SpanTimes {
  /** Position in the list of spans. */
  place: number;
  sessionId: string;
  agent: string;
  usage: Usage;
}

/** Counts of a session, and the positions of spans whose texts are shown. */
export interface SpanSession {
  id: string;
  /** Start times of the first and of the last span. */
  startMs: number | null;
  lastMs: number | null;
  /** The latest end of a span. */
  endMs: number | null;
  turns: number;
  spans: number;
  failed: number;
  /** A figure that several spans state is counted once. */
  usage: Usage;
  agents: string[];
  /** Positions of all spans of the session. */
  places: number[];
  /**
   * Positions of spans in the first and in the last exchanges. The first of them with a question, or with an answer, is
   * used.
   */
  asking: number[];
  answering: number[];
  lastFailed: number | null;
}

const FAILURE = ['status_message', 'exception.message', 'error.message'];
/** Maximum length of a question or answer in a row. The full text is shown in the session itself. */
const MAX_CHARACTERS = 1_000;
/**
 * Maximum number of exchanges that are searched for a question or an answer, because each span is read from the store.
 */
const MAX_EXCHANGES = 10;

/** `place`: position of the record in the list of spans. */
export function sessionSpan(record: JsonObject, place: number): SessionSpan {
  return {
    ...timesOf(record),
    place,
    type: idField(record['span_type']),
    traceId: idField(record['trace_id']),
    sessionId: idField(record['session_id']),
    status: idField(record['status_code']),
    agent: idField(record['agent_name']),
    usage: usageOf(record),
  };
}

/** Groups spans into sessions, the latest first. Spans without a session id are left out. */
export const spanSessions = (spans: readonly SessionSpan[]): SpanSession[] =>
  latestFirst(new SessionGroups().replaceFrom(0, spans).sessions);

export const latestFirst = (sessions: readonly SpanSession[]): SpanSession[] => sessions.toSorted(byLast);

/** The result of a change: sessions that differ, and ids of sessions that have no spans any more. */
export interface SessionChanges {
  sessions: SpanSession[];
  removed: string[];
}

/** Keeps the sessions of a growing list of spans. Only sessions of added spans are grouped again. */
export class SessionGroups {
  #spans: SessionSpan[] = [];
  #byId = new Map<string, SessionSpan[]>();
  #unitMs = USUAL_UNIT_MS;

  /** Number of spans so far. */
  get size(): number {
    return this.#spans.length;
  }

  /** Replaces the spans at positions from `place` on. `spans` must be in the order of their positions. */
  replaceFrom(place: number, spans: readonly SessionSpan[]): SessionChanges {
    const kept = this.#spans.filter((span) => span.place < place);
    const touched = new Set([...this.#spans.slice(kept.length), ...spans].map(({ sessionId }) => sessionId));
    this.#spans = kept.concat(spans);
    const before = this.#byId;
    this.#byId = Map.groupBy(this.#spans, ({ sessionId }) => sessionId);
    this.#byId.delete('');
    const unitMs = unitOf(this.#spans) ?? USUAL_UNIT_MS;
    const isAll = unitMs !== this.#unitMs;
    this.#unitMs = unitMs;
    return {
      sessions: [...this.#byId].flatMap(([id, own]) =>
        isAll || touched.has(id) ? sessionOf(id, own, unitMs) : [],
      ),
      removed: [...before.keys()].filter((id) => !this.#byId.has(id)),
    };
  }
}

const byLast = (one: SpanSession, other: SpanSession): number =>
  (other.lastMs ?? Number.NEGATIVE_INFINITY) - (one.lastMs ?? Number.NEGATIVE_INFINITY) || 0;

function sessionOf(id: string, spans: readonly SessionSpan[], unitMs: number): SpanSession {
  const tree = whole(spanTree(spans));
  const exchanges = exchangesOf(tree);
  const times = spans.flatMap(({ startMs }) => startMs ?? []).sort((a, b) => a - b);
  const failed = spans.filter(({ status }) => status.toUpperCase() === 'ERROR');
  const placesOf = (some: typeof exchanges) =>
    some.flatMap(({ speakers }) => speakers.map(({ place }) => place));
  return {
    id,
    startMs: times[0] ?? null,
    lastMs: times.at(-1) ?? null,
    endMs: latestEnd(spans, unitMs),
    turns: exchanges.length,
    spans: spans.length,
    failed: failed.length,
    usage: whole(sumUsage(tree.roots)),
    agents: [...new Set(spans.map(({ agent }) => agent).filter((agent) => agent !== ''))],
    places: spans.map(({ place }) => place),
    asking: placesOf(exchanges.slice(0, MAX_EXCHANGES)),
    answering: placesOf(exchanges.slice(-MAX_EXCHANGES).toReversed()),
    lastFailed: failed.toSorted((a, b) => (a.startMs ?? 0) - (b.startMs ?? 0)).at(-1)?.place ?? null,
  };
}

function latestEnd(spans: readonly SessionSpan[], unitMs: number): number | null {
  const ends = spans.flatMap(({ startMs, duration }) =>
    startMs === null ? [] : startMs + (duration ?? 0) * unitMs,
  );
  return ends.length === 0 ? null : ends.reduce((latest, end) => Math.max(latest, end));
}

/** The fields of a row that need no text of a span. Unknown fields are left out. */
function figuresOf(session: SpanSession): JsonObject {
  const { startMs, lastMs, endMs, agents } = session;
  const { tokens, inputTokens, outputTokens, costUsd } = session.usage;
  return known({
    session_id: session.id,
    turns: session.turns,
    spans: session.spans,
    errors: session.failed,
    tokens,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_usd: costUsd === null ? null : withoutNoise(costUsd),
    agent_name: agents.length === 0 ? null : agents.join(', '),
    length_ms: startMs === null || endMs === null ? null : endMs - startMs,
    start_time: startMs === null ? null : new Date(startMs).toISOString(),
    last_time: lastMs === null ? null : new Date(lastMs).toISOString(),
  });
}

/** A sum of doubles without the digits that adding them brings in, such as 0.30000000000000004. */
const withoutNoise = (sum: number): number => Number(sum.toPrecision(12));

const known = (fields: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Number of rows processed before a pause. */
const A_PIECE = 200;

/** Sorts by a field of the rows, other than texts of spans. Equal sessions are sorted latest first. */
export function* sortSessions(
  sessions: readonly SpanSession[],
  sort: { field: string; isDescending: boolean } | null,
): Pieces<SpanSession[]> {
  if (sort === null) return [...sessions];
  const rows: { session: SpanSession; row: JsonObject }[] = [];
  for (const session of sessions) {
    if (rows.length % A_PIECE === 0) yield;
    rows.push({ session, row: figuresOf(session) });
  }
  const sorted = yield* sortInPieces(rows, (a, b) =>
    compareByOrdering(
      [sort],
      (field) => a.row[field],
      (field) => b.row[field],
    ),
  );
  return sorted.map(({ session }) => session);
}

/** The sessions that have a span at any of the positions in `places`, in their order. */
export function* sessionsWith(
  sessions: readonly SpanSession[],
  places: { has(place: number): boolean },
): Pieces<SpanSession[]> {
  const found: SpanSession[] = [];
  for (const [at, session] of sessions.entries()) {
    if (session.places.some((place) => places.has(place))) found.push(session);
    if (at % A_PIECE === 0) yield;
  }
  return found;
}

/**
 * The row of a session. It uses the field names of spans if the meaning is the same: its first question is the input,
 * its last answer the output. `recordAt`: the span at a position; null if it is no longer stored. Pauses after each
 * read span.
 */
export function* sessionRow(
  session: SpanSession,
  recordAt: (place: number) => JsonObject | null,
): Pieces<JsonObject> {
  const first = yield* firstSaid(session.asking, recordAt, askedText);
  const last = yield* firstSaid(session.answering, recordAt, answeredText);
  const failed = session.lastFailed === null ? null : recordAt(session.lastFailed);
  const failure = failed === null ? '' : idField(attributeOf(failed, FAILURE)).trim();
  return known({
    input: first === '' ? null : first,
    output: last === '' ? null : last,
    status_code: session.failed > 0 ? 'ERROR' : null,
    status_message: failure === '' ? null : cutText(failure, MAX_CHARACTERS),
    ...figuresOf(session),
  });
}

/** Returns the first text that is not empty among the spans at `places`; empty if there is none. */
function* firstSaid(
  places: readonly number[],
  recordAt: (place: number) => JsonObject | null,
  textOf: (messages: readonly Message[]) => string,
): Pieces<string> {
  for (const place of places) {
    yield;
    const record = recordAt(place);
    const text = record === null ? '' : textOf(recordMessages(record) ?? []);
    if (text !== '') return cutText(text, MAX_CHARACTERS);
  }
  return '';
}
