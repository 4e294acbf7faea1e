/** Spans, their fields, scores and evaluators (SERVICE.md F2 and F3). */
import * as z from '../../shared/zod.ts';
import { optionalNumber, optionalText, person, text } from './parts.ts';

/** SERVICE.md F2.1 */
export const span = z.looseObject({
  span_id: text,
  trace_id: text,
  name: optionalText,
  status_code: optionalText,
  status_message: optionalText,
  start_time: optionalText,
  /** The unit is not published. */
  duration: optionalNumber,
  parent_span_id: optionalText,
  session_id: optionalText,
  span_type: optionalText,
  agent_id: optionalText,
  agent_name: optionalText,
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  span_attributes: z.record(z.string(), z.unknown()).nullish(),
  evaluators: z
    .array(
      z.looseObject({
        evaluator_rule_name: optionalText,
        output_name: optionalText,
        value: z.unknown().optional(),
        label: z.unknown().optional(),
      }),
    )
    .nullish(),
});
export type Span = z.infer<typeof span>;

/** SERVICE.md F2.2: counts are approximate if `sampled` is true. */
export const spanFields = z.looseObject({
  total_spans: z.number(),
  sampled: z.boolean().nullish(),
  span_attributes: z.array(z.looseObject({ key: text, count: optionalNumber })).nullish(),
  evaluator_outputs: z
    .array(z.looseObject({ rule_name: optionalText, output_name: optionalText, count: optionalNumber }))
    .nullish(),
});

/** SERVICE.md F3.3 */
export const bulkAddSpansResult = z.looseObject({
  items: z.array(z.looseObject({ trace_id: optionalText, span_id: optionalText, item_id: text })),
});
export type BulkAddSpansResult = z.infer<typeof bulkAddSpansResult>;

/** SERVICE.md F3.4: any of value, label and reasoning may be absent. */
export const score = z.looseObject({
  name: text,
  value: optionalNumber,
  label: optionalText,
  reasoning: optionalText,
});
export type Score = z.infer<typeof score>;

export const scoreResult = z.looseObject({ scores: z.array(score) });
export type ScoreResult = z.infer<typeof scoreResult>;

/** SERVICE.md F3.6: most fields are not published. */
export const evaluator = z.looseObject({
  id: optionalText,
  name: optionalText,
  status: optionalText,
  created_at: optionalText,
  updated_at: optionalText,
  created_by: person,
  updated_by: person,
});
export type Evaluator = z.infer<typeof evaluator>;
