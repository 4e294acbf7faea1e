/** Evaluator rules (SERVICE.md F14). */
import { listAnswer } from '../lists.ts';
import { madeNow, referenceTo } from '../record-parts.ts';
import { EVALUATIONS } from '../scores.ts';
import { malformed } from '../service-error.ts';
import { EVALUATORS } from './evaluators.ts';
import type { Handlers } from './handler.ts';

export const evaluatorRuleHandlers = {
  'evaluator-rules.list': ({ stores }, request) =>
    listAnswer(stores.resources.list('evaluator-rule'), request),

  'evaluator-rules.create': (service, request) => {
    const { stores, random } = service;
    const { body } = request;
    const application = stores.resources.get('application', body.application_id);
    if (application === null)
      throw malformed(`application_id: there is no application ${body.application_id}.`);
    const evaluator = EVALUATORS.find(({ id }) => id === body.evaluator_id);
    const evaluation = EVALUATIONS[String(evaluator?.['name'])];
    if (evaluator === undefined || evaluation === undefined)
      throw malformed(`evaluator_id: there is no evaluator ${body.evaluator_id}.`);
    const unmapped = evaluation.inputs.filter((name) => (body.mapped_input_keys[name] ?? '') === '');
    if (unmapped.length > 0) throw malformed(`mapped_input_keys: ${unmapped.join(', ')} must be mapped.`);
    const rate = body.sampling_rate ?? 1;
    if (!(rate > 0 && rate <= 1)) throw malformed('sampling_rate must be more than 0, and at most 1.');
    const from = body.backfill_start_time ?? null;
    if (from !== null && body.backfill !== true) throw malformed('backfill_start_time needs backfill.');
    const id = random.uuid();
    const record = {
      id,
      name: body.name,
      evaluator_id: body.evaluator_id,
      evaluator_name: evaluator['name'],
      evaluator_type_display_name: evaluator['title'],
      mapped_input_keys: body.mapped_input_keys,
      filters: body.filters ?? { rules: [] },
      outputs: evaluation.outputs.map((name) => ({ name, possible_values: [] })),
      enabled: true,
      backfill: body.backfill === true ? { id: random.uuid(), backfill_start_time: from } : null,
      sampling_rate: rate,
      application: referenceTo(application),
      ...madeNow(service),
    };
    stores.resources.add('evaluator-rule', id, body.application_id, record);
    return { kind: 'record', data: record };
  },
} satisfies Pick<Handlers, 'evaluator-rules.list' | 'evaluator-rules.create'>;
