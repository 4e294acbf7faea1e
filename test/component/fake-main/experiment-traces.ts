/**
 * Spans of the traces that the results of the fake experiments refer to. The traces of the last items are not stored.
 */
import type { SpanList } from '../../../electron/db/span-list-reads.ts';
import { ITEMS, traceOf } from './experiment-rows.ts';
import { iso, NOW } from './scenario.ts';

const RUNS = 3;
const STORED = ITEMS - 24;
const DAY = 86_400_000;

function spansOf(at: number, item: number) {
  const traceId = traceOf(at, item);
  const tokens = 260 + ((item * 53) % 180) - at * 30;
  const span = (id: string, parent: string | null, type: string, fromMs: number, ms: number) => ({
    ...{ trace_id: traceId, span_id: `${traceId}.${id}`, parent_span_id: parent && `${traceId}.${parent}` },
    ...{ span_type: type, start_time: iso(DAY * (9 - at) - fromMs), duration: ms, span_attributes: {} },
  });
  const ms = 900 + ((item * 37) % 700) + at * 120;
  const call = span('answer', 'agent', 'llm', 200, ms - 300);
  return [
    span('agent', null, 'agent', 0, ms),
    span('search', 'agent', 'tool', 20, 150),
    {
      ...call,
      span_attributes: {
        ...{ 'gen_ai.usage.input_tokens': tokens - 40, 'gen_ai.usage.output_tokens': 40 },
        cost_usd: tokens * 0.000_004,
      },
    },
  ];
}

const SPANS = Array.from({ length: RUNS * STORED }, (_, index) =>
  spansOf(Math.floor(index / STORED), index % STORED),
).flat();

export const LIST: SpanList = {
  generationId: 0,
  query: { operation: 'spans.query', path: {}, query: {}, body: {} },
  ...{ endPosition: SPANS.length, isComplete: true, hasHoles: false, oldestMs: NOW },
};

export const rows = (_: number, from: number, limit: number) =>
  SPANS.slice(from, from + limit).map((span, at) => ({ position: from + at, json: JSON.stringify(span) }));
