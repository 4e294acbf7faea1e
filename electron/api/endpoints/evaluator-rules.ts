/** Evaluator rules, which select the spans of an application that an evaluator scores (SERVICE.md F14). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, list, write } from './row.ts';

export const createEvaluatorRuleBody = z.looseObject({
  name: z.string().min(1),
  application_id: z.uuid(),
  evaluator_id: z.uuid(),
  /** Maps an input of the evaluator to the path of an attribute. */
  mapped_input_keys: z.record(z.string(), z.string()),
  /** The form of filters is not published, so only filters of an existing rule may be sent. */
  filters: z.record(z.string(), z.unknown()).nullish(),
  sampling_rate: z.number().nullish(),
  backfill: z.boolean().nullish(),
  backfill_start_time: z.iso.datetime({ offset: true }).nullish(),
});

export const evaluatorRuleEndpoints = {
  'evaluator-rules.list': list({
    path: '/v3/evaluator-rules',
    title: 'Evaluator rules',
    help: 'Which spans of an application an evaluator scores.',
    section: 'F14',
    errors: [400, 401, 403, 500],
    // The parameters for filter, search and ordering are not published.
    query: {},
    item: records.evaluatorRule,
  }),
  'evaluator-rules.create': write({
    method: 'POST',
    path: '/v3/evaluator-rules',
    title: 'Create an evaluator rule',
    help: 'Scores the spans of an application with an evaluator, from now on or also the present ones.',
    section: 'F14',
    errors: [400, 401, 403, 500],
    body: createEvaluatorRuleBody,
    item: records.evaluatorRule,
  }),
} satisfies Record<string, Endpoint>;
