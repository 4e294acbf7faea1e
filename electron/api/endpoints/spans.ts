/** Spans, traces, sessions (SERVICE.md S4.9 and S8, F2). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { ask, type Endpoint, nothing, write } from './row.ts';

const spanSelection = {
  application_id: z.uuid(),
  /** Inclusive. */
  start_time: z.string().min(1),
  /** Exclusive. */
  end_time: z.string().min(1),
  /**
   * A tree of rules with the operator `eq`, at most 3 levels deep and with at most 10 rules (SERVICE.md F2.1 and F2.3).
   */
  filter: z.looseObject({}).nullish(),
};

export const spansQueryBody = z.looseObject({
  ...spanSelection,
  ordering: z.string().nullish(),
  page_size: z.int().min(1).optional(),
  offset: z.int().min(0).optional(),
});
export type SpansQueryBody = z.infer<typeof spansQueryBody>;

export const spansFieldsBody = z.looseObject(spanSelection);
export type SpansFieldsBody = z.infer<typeof spansFieldsBody>;

export const deleteTracesBody = z.strictObject({
  application_id: z.uuid(),
  trace_ids: z
    .array(z.string().regex(/^(?!0{32})[0-9a-f]{32}$/, 'expected 32 lowercase hex digits, not all zero'))
    .min(1)
    .max(1_000),
});

export const deleteSessionsBody = z.strictObject({
  application_id: z.uuid(),
  session_ids: z.array(z.string().min(1)).min(1).max(1_000),
});

export const spanEndpoints = {
  'spans.query': ask({
    path: '/v3/spans/query',
    title: 'Spans',
    help: 'Spans of an application in a time range. 10 requests a second, 120 a minute.',
    section: 'S8, F2.1',
    errors: [400, 401, 403, 404, 429, 500],
    paging: 'page-size-body',
    answer: 'paginated',
    body: spansQueryBody,
    item: records.span,
    identity: 'span_id',
    limit: 'spans-query',
  }),
  'spans.fields': ask({
    path: '/v3/spans/fields',
    title: 'Span fields',
    help: 'Attribute keys and evaluator outputs of the spans of a time range, with the number of spans that have each.',
    section: 'S4.9, F2.2',
    errors: [400, 401, 403, 404, 500],
    body: spansFieldsBody,
    item: records.spanFields,
  }),
  'traces.delete': write({
    method: 'DELETE',
    path: '/v3/traces',
    title: 'Delete traces',
    help: 'Removes every span of up to 1,000 traces. 5 requests a second, 100 a day.',
    section: 'S8, F2.4',
    errors: [400, 401, 403, 404, 429, 500],
    successStatus: 204,
    answer: 'empty',
    body: deleteTracesBody,
    item: nothing,
    identity: null,
    limit: 'genai-deletion',
    isRepeatSafe: true,
  }),
  'sessions.delete': write({
    method: 'DELETE',
    path: '/v3/sessions',
    title: 'Delete sessions',
    help: 'Removes every span of up to 1,000 sessions. 5 requests a second, 100 a day.',
    section: 'S8, F2.4',
    errors: [400, 401, 403, 404, 429, 500],
    successStatus: 204,
    answer: 'empty',
    body: deleteSessionsBody,
    item: nothing,
    identity: null,
    limit: 'genai-deletion',
    isRepeatSafe: true,
  }),
} satisfies Record<string, Endpoint>;
