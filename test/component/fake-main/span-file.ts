/** What a file of spans holds, made up. */
import type { SpanFileCheck } from '../../../electron/shared/span-file.ts';

/** As if every row of the file were a span that the service has too. */
export const checkFile = (): SpanFileCheck => ({
  ...{ rows: 12, spans: 9, repeated: 1, bare: 0, timeless: 0, badRows: 2 },
  firstBad: [4, 7].map((line) => ({
    ...{ row: line, line, column: 'span_id', value: '' },
    reason: 'Expected a span id, got none.',
  })),
  ...{ first: '2026-03-11T10:00:00Z', last: '2026-03-12T09:00:00Z' },
  notes: [{ note: 'id-form', spans: 9 }],
  keys: ['llm_input_user', 'llm_output', 'model_name'].map((key) => ({ key, count: 9 })),
});
