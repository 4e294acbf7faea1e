/**
 * 2,000 spans that resemble an export of a chat. Some are near-duplicates, and some are lost or moved by the service.
 */
import type { Mapping } from '../../electron/shared/dataset-model.ts';
import type { OwnSpan } from './spans-service.ts';

export const STUDIO_SPANS = 2_000;
const word = (seed: number) => `w${((seed * 2_654_435_761) % 99_991).toString(36)}`;
/** A long text that is unique for its seed. */
const question = (seed: number) => Array.from({ length: 60 }, (_, at) => word(seed * 61 + at)).join(' ');
/** Every twentieth span nearly duplicates the previous one. */
const isNearDuplicate = (at: number) => at % 20 === 19;
/** 3 % of the spans are gone. Neither these nor the spans at another time are near-duplicates. */
export const isGone = (at: number) => at % 100 === 40 || at % 200 === 41;
export const isElsewhere = (at: number) => [60, 61, 63].includes(at % 200);

/** The span at this index, one per minute: long prompts, empty texts, nulls, numbers with all their digits. */
export function studioSpan(at: number, firstMs: number, type = at % 3 === 0 ? 'llm' : 'chain'): OwnSpan {
  const id = at.toString(16).padStart(8, '0');
  const iso = (ms: number) => new Date(ms).toISOString();
  return {
    trace_id: `abcd${id}`.padEnd(32, '0'),
    span_id: `ef${id}`.padEnd(16, '0'),
    start_time: iso(firstMs + at * 60_000),
    record: {
      name: 'ChatOpenAI',
      span_type: type,
      status: 'OK',
      end_time: iso(firstMs + at * 60_000 + 900),
      span_attributes: {
        'system.gen_ai.llm.input.user': isNearDuplicate(at) ? `${question(at - 1)} please` : question(at),
        'system.gen_ai.llm.output': at % 7 === 0 ? '' : `Answer ${at}: ${question(at + 5_000)}`,
        'user.conversation': at % 5 === 0 ? null : `c${at % 40}`,
        'user.score': at / 7,
      },
    },
  };
}

export const STUDIO_MAPPING: Mapping = [
  { bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' },
  { bucket: 'expected_outputs', field: 'answer', key: 'system.gen_ai.llm.output' },
  { bucket: 'metadata', field: 'conversation', key: 'user.conversation' },
  { bucket: 'extras', field: 'score', key: 'user.score' },
];
