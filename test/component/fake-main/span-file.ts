/** Contents of a fake file with spans. */
import type { SpanFileCheck } from '../../../electron/shared/span-file.ts';

/** Assumes that the service has every span of the file too. */
export const checkFile = (): SpanFileCheck => ({
  ...{ rows: 12, spans: 9, repeated: 1, bare: 0, timeless: 0, badRows: 2 },
  firstBad: [4, 7].map((line) => ({
    ...{ row: line, line, column: 'span_id', value: '' },
    reason: 'Expected a span id, got none.',
  })),
  ...{ first: '2026-03-11T10:00:00Z', last: '2026-03-12T09:00:00Z' },
  ledger: {
    changes: [
      {
        ...{ rule: 'hex-id', source: 'trace_id', count: 9 },
        examples: [
          { line: 2, before: 'W47/95gDgQPSabYzgT/GAA==', after: '5b8efff798038103d269b633813fc600' },
        ],
      },
      {
        ...{ rule: 'nano-time', source: 'start_time', count: 9 },
        examples: [{ line: 2, before: '1767225600000000001', after: '2026-01-01T00:00:00.000000001Z' }],
      },
    ],
    leftOut: [{ kind: 'key', name: 'end_time', count: 3, reason: 'zero stands for no time', line: 2 }],
    decisions: [],
  },
  keys: ['llm_input_user', 'llm_output', 'model_name'].map((key) => ({ key, count: 9 })),
});
