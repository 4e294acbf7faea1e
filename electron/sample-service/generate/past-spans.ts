/**
 * Spans older than the main sample data. They have all names and values that otherwise only the catalog would have, so
 * that each one leads to spans. They are older than 30 days and therefore outside of the usual views.
 */
import type { SpanStore } from '../store-spans.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type Domain, dialogue } from './text.ts';

interface PastSpansPlan {
  applicationId: string;
  domain: Domain;
  agents: readonly [string, ...string[]];
  baseMs: number;
}

/** The catalog's name for a span column that is not an attribute. */
type SpanColumn = 'span_type' | 'span_name' | 'agent_name';
export type SpanPlace = { column: SpanColumn } | { key: string };

const DAY_MS = 86_400_000;
const NEWEST_DAYS = 31;
const SPREAD_MS = 54 * DAY_MS;
/**
 * Number of past spans. A span has one value for an attribute, so this is also the maximum number of values of an
 * attribute. It is prime, so that steps of any size reach every span.
 */
const COUNT = 2_111;
const STEP = 37;
const TRACE_SIZE = 5;
const STEP_MS = 900;
interface PastSpan {
  startMs: number;
  columns: Partial<Record<SpanColumn, string>>;
  attributes: Record<string, unknown>;
}

export class PastSpans {
  readonly #random: SeededRandom;
  readonly #plan: PastSpansPlan;
  readonly #spans: PastSpan[];
  /** Index for the next value of an attribute or column. */
  readonly #next = new Map<string, number>();

  constructor(random: SeededRandom, plan: PastSpansPlan) {
    this.#random = random;
    this.#plan = plan;
    const traces = Math.ceil(COUNT / TRACE_SIZE);
    const newestMs = plan.baseMs - NEWEST_DAYS * DAY_MS;
    this.#spans = Array.from({ length: COUNT }, (_, index) => {
      const trace = Math.floor(index / TRACE_SIZE);
      const startMs = newestMs - Math.floor((trace * SPREAD_MS) / traces) + (index % TRACE_SIZE) * STEP_MS;
      return { startMs, columns: {}, attributes: {} };
    });
  }

  /** Gives a span the value. Throws when every span already has another value for that attribute or column. */
  hold(place: SpanPlace, value: unknown): void {
    const name = 'key' in place ? `key ${place.key}` : place.column;
    let index = this.#next.get(name) ?? this.#random.int(0, COUNT - 1);
    for (let tries = 0; tries < COUNT; tries += 1, index = (index + STEP) % COUNT) {
      const span = this.#spans[index];
      if (span === undefined || !put(span, place, value)) continue;
      this.#next.set(name, (index + STEP) % COUNT);
      return;
    }
    throw new Error(`Expected at most ${COUNT} values of ${name}.`);
  }

  /** Adds the spans, five to a trace. */
  addTo(store: Pick<SpanStore, 'add'>): void {
    for (let first = 0; first < COUNT; first += TRACE_SIZE)
      this.#addTrace(store, this.#spans.slice(first, first + TRACE_SIZE));
  }

  #addTrace(store: Pick<SpanStore, 'add'>, spans: readonly PastSpan[]): void {
    const { applicationId, agents, domain } = this.#plan;
    const random = this.#random;
    const [traceId, rootId, sessionId] = [random.hex(32), random.hex(16), `session-${random.hex(10)}`];
    const [agent, talk] = [random.pick(agents), dialogue(random, domain)];
    for (const [index, { startMs, columns, attributes }] of spans.entries()) {
      const spanId = index === 0 ? rootId : random.hex(16);
      const agentName = columns.agent_name ?? agent;
      const record = {
        trace_id: traceId,
        session_id: sessionId,
        agent_id: `${agentName.toLowerCase().replaceAll(' ', '-')}-1`,
        agent_name: agentName,
        span_id: spanId,
        name: columns.span_name ?? (index === 0 ? 'handle_request' : 'compose_answer'),
        status_code: 'OK',
        start_time: new Date(startMs).toISOString(),
        duration: index === 0 ? spans.length * STEP_MS : random.int(20, STEP_MS),
        parent_span_id: index === 0 ? null : rootId,
        span_type: columns.span_type ?? (index === 0 ? 'agent' : 'other'),
        status_message: '',
        input: talk.question,
        output: index === 0 ? talk.answer : talk.topic.intent,
        span_attributes: { ...attributes, 'user.intent': talk.topic.intent },
        evaluators: [],
      };
      store.add({ applicationId, traceId, spanId, sessionId, startMs, record });
    }
  }
}

/** Sets the value; false if the span already has another one. */
function put({ columns, attributes }: PastSpan, place: SpanPlace, value: unknown): boolean {
  if ('column' in place) {
    if (columns[place.column] !== undefined) return false;
    columns[place.column] = String(value);
    return true;
  }
  if (place.key in attributes) return false;
  attributes[place.key] = value;
  return true;
}
