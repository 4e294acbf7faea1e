/** Fake records. The record with number n is always the same. */
import { EXPERIMENT_ROWS } from './experiment-rows.ts';
import { MONITORING_ROWS } from './monitoring.ts';
import { RESOURCE_ROWS } from './resources.ts';
import { iso, scenario, uuid } from './scenario.ts';

export type Json = Record<string, unknown>;

const DAY = 86_400_000;
const WORDS = [
  'gen_ai',
  'request',
  'model',
  'user',
  'tool',
  'session',
  'retrieval',
  'prompt',
  'latency',
  'token',
];
const TAILS = [
  'name',
  'count',
  'id',
  'score',
  'input',
  'output',
  'duration_ms',
  'region',
  'version',
  'cost_usd',
];

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? '';

const entity = (index: number): Json => ({
  name: `${pick(WORDS, index)}.${pick(WORDS, index * 7 + 3)}.${pick(TAILS, index * 3 + 1)}${index > 99 ? `_${index}` : ''}`,
  semantic_name: index % 3 === 0 ? 'UNKNOWN' : `gen_ai.${pick(TAILS, index)}`,
  data_type: index % 4 === 1 ? 'numeric' : 'string',
  first_seen: iso(DAY * 60 + index * 61_000),
  last_seen: iso(60_000 + index * 47_000),
  row_count: (index * 7_919 + 13) % 1_250_000,
});

const application = (index: number): Json => ({
  id: uuid(index),
  name: pick(['Support assistant', 'Claims triage'], index),
  project: { id: uuid(50), name: 'Customer care' },
  organization: { id: uuid(51), name: 'Example' },
  created_at: iso(DAY * 200),
  updated_at: iso(DAY * (index + 1)),
});

const dataset = (index: number): Json => ({
  id: uuid(100 + index),
  name: pick(['Refund questions', 'Escalations, reviewed', 'Smoke set'], index),
  description: pick(
    ['Questions about refunds with the answers we want', 'Hard cases that people decided', ''],
    index,
  ),
  application: { id: uuid(0), name: 'Support assistant' },
  active: true,
  // Each record was created one day after the previous one.
  created_at: iso(DAY * Math.max(3, 90 - index)),
  updated_at: iso(DAY * (2 + index)),
});

const item = (index: number): Json => ({
  id: uuid(1_000 + index),
  inputs: {
    question: `Where is my refund for order ${10_000 + index}? It was promised within five working days.`,
    locale: pick(['en-GB', 'de-DE', 'fr-FR'], index),
    turns: (index * 5) % 9,
  },
  expected_outputs: {
    answer: 'Name the date of the payment and how long the bank takes.',
    is_safe: index % 5 !== 0,
  },
  metadata: { reviewer: pick(['mara', 'jon'], index), score: ((index * 37) % 100) / 100 },
  extras: index % 4 === 0 ? { trace: { id: uuid(index), spans: [1, 2, 3] } } : {},
  source_name: 'span',
  source_id: uuid(5_000 + index),
  created_at: iso(DAY * 3 + index * 1_000),
  updated_at: iso(DAY * 2 + index * 1_000),
});

const value = (index: number): Json => ({
  value:
    index < 4
      ? pick(['gpt-4o-mini', 'claude-sonnet', 'mistral-large', 'llama-3-70b'], index)
      : `model-${index}`,
  first_seen: iso(DAY * 40),
  last_seen: iso(90_000 * (index + 1)),
  row_count: 90_000 - index * 311,
});

const attribute = (index: number): Json => ({
  id: uuid(7_000 + index),
  name: `${pick(WORDS, index)}.${pick(TAILS, index)}`,
  data_type: index % 2 === 0 ? 'string' : 'float',
  scope: index % 5 === 0 ? 'session' : 'span',
  application: { id: uuid(0), name: 'Support assistant' },
});

const TYPES = ['agent', 'llm', 'tool', 'chain'];
const span = (index: number): Json => {
  const type = pick(TYPES, index);
  const llm = {
    'system.gen_ai.llm.input.user': `Where is my refund for order ${10_000 + index}?`,
    'system.gen_ai.llm.output': 'It was paid on Tuesday; the bank takes two days.',
    'system.gen_ai.usage.input_tokens': 120 + index,
  };
  return {
    trace_id: (0xabc000 + Math.floor(index / 4)).toString(16).padStart(32, '0'),
    span_id: (0x1f000 + index).toString(16).padStart(16, '0'),
    session_id: `session-${Math.floor(index / 8)}`,
    name: pick(['handle_request', 'draft_answer', 'search_passages', 'compose_answer'], index),
    span_type: type,
    status_code: index % 17 === 3 ? 'ERROR' : 'OK',
    start_time: iso(60_000 * (index + 1)),
    duration: 40 + ((index * 37) % 900),
    input: `Where is my refund for order ${10_000 + index}?`,
    output: index % 17 === 3 ? '' : 'It was paid on Tuesday.',
    span_attributes: { 'user.intent': 'refund_request', ...(type === 'llm' ? llm : {}) },
    evaluators: [],
    ...scenario.spans?.[index],
  };
};

/** One trace. Each span has ten children, some of which start 20 ms later, and the parent of one span is missing. */
const TRACE_SPANS = scenario.traceSpans ?? 2_000;
const TRACE_CHILDREN = scenario.traceChildren ?? 10;
const traceSpan = (index: number): Json => ({
  ...span(index),
  trace_id: 'trace-of-many',
  span_id: `span-${index}`,
  name: `step_${index}`,
  parent_span_id:
    index === 0
      ? null
      : index === TRACE_SPANS - 1
        ? 'elsewhere'
        : `span-${Math.floor((index - 1) / TRACE_CHILDREN)}`,
  start_time: iso(90_000 - index * 20),
  duration: Math.min((10 * index + 11) * 20, (TRACE_SPANS - index) * 20),
});
/** One session with four spans per trace. Of every twenty spans, the fifth fails. */
const EXCHANGE_SPANS = 4;
const SESSION_SPANS = scenario.sessionSpans?.length ?? 45 * EXCHANGE_SPANS;
const sessionSpan = (index: number): Json => {
  const trace = Math.floor(index / EXCHANGE_SPANS);
  const isRoot = index % EXCHANGE_SPANS === 0;
  return {
    ...span(index),
    trace_id: `trace-${trace}`,
    session_id: 'session-of-many',
    span_id: `turn-${index}`,
    name: isRoot ? `turn_${trace}` : `step_${index}`,
    parent_span_id: isRoot ? null : `turn-${trace * EXCHANGE_SPANS}`,
    start_time: iso((SESSION_SPANS - index) * 1_000),
    duration: isRoot ? 3_900 : 900,
    input: `Question ${trace}: where is my refund?`,
    output: `Answer ${trace}: it was **paid** on Tuesday.`,
    ...scenario.sessionSpans?.[index],
  };
};
export const SESSION: Rows = { total: SESSION_SPANS, make: sessionSpan };
export const TRACE: Rows = { total: TRACE_SPANS, make: traceSpan };

export const SPAN_FIELDS: Json = {
  total_spans: 1_000,
  sampled: false,
  span_attributes: [
    { key: 'system.gen_ai.llm.input.user', count: 250 },
    { key: 'system.gen_ai.llm.output', count: 250 },
    { key: 'system.gen_ai.usage.input_tokens', count: 250 },
    { key: 'user.intent', count: 1_000 },
  ],
  evaluator_outputs:
    scenario.hasOutputs === true
      ? [
          { rule_name: 'Answer relevance', output_name: 'is_answer_relevant', count: 240 },
          { rule_name: 'Short drafts', output_name: 'is_concise', count: 26 },
        ]
      : [],
};

export interface Rows {
  total: number;
  make: (index: number) => Json;
}

export const ROWS: Readonly<Record<string, Rows>> = {
  'applications.list': { total: 2, make: application },
  'catalog.list': { total: scenario.entities ?? 5_000, make: entity },
  'catalog.values': { total: 140, make: value },
  'attributes.list': { total: 60, make: attribute },
  'datasets.list': { total: 3, make: dataset },
  'spans.query': { total: 1_000, make: span },
  'datasets.items': { total: 1_240, make: item },
  ...EXPERIMENT_ROWS,
  ...RESOURCE_ROWS,
  ...MONITORING_ROWS,
};

const text = (count: number) => ({ count, data_type: 'STRING' });
const number = (count: number) => ({ count, data_type: 'FLOAT' });

export const SCHEMA: Json = {
  total_items: 1_240,
  sampled: true,
  inputs: { question: text(1_240), locale: text(1_180), turns: number(640) },
  expected_outputs: { answer: text(1_240), is_safe: text(1_201) },
  metadata: { reviewer: text(1_100), score: number(998) },
  extras: {},
};
