/** Evaluators and sample scores (SERVICE.md S4.9, F3.4 and F3.6). */
import { listAnswer } from '../lists.ts';
import { ORGANIZATION } from '../record-parts.ts';
import { EVALUATIONS, type ScoreInputs } from '../scores.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { Handlers } from './handler.ts';

const MADE_AT = '2025-02-03T09:00:00.000Z';
/** Evaluators that use a language model in the real service. */
const BY_MODEL: readonly string[] = ['answer_relevance', 'coherence', 'conciseness'];

export const EVALUATORS: readonly JsonRecord[] = Object.entries(EVALUATIONS).map(
  ([name, { title, inputs, outputs }], index) => ({
    id: `e7a10000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
    name,
    title,
    description: 'A plain stand-in of the sample service: stable sample scores, no judgement.',
    type: BY_MODEL.includes(name) ? 'llm' : 'model',
    status: 'ACTIVE',
    version: 1,
    inputs,
    outputs,
    organization: ORGANIZATION,
    created_at: MADE_AT,
    updated_at: MADE_AT,
  }),
);

/** Inputs as texts: other values become JSON, because evaluators compare words. */
function scoreInputs(inputs: JsonRecord): ScoreInputs {
  return Object.fromEntries(
    Object.entries(inputs)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

export const evaluatorHandlers = {
  'evaluators.list': (_service, request) => listAnswer(EVALUATORS, request),

  'evaluators.score': (_service, request) => {
    const { evaluator_name: name, inputs } = request.body;
    const evaluation = Object.hasOwn(EVALUATIONS, name) ? EVALUATIONS[name] : undefined;
    if (evaluation === undefined) {
      const known = Object.keys(EVALUATIONS).join(', ');
      throw new ServiceError(400, `There is no evaluator "${name}". Use one of: ${known}.`);
    }
    const texts = scoreInputs(inputs);
    if (Object.keys(texts).length === 0) throw malformed('inputs must hold at least one text.');
    return { kind: 'record', data: { scores: evaluation.score(texts) } };
  },
} satisfies Pick<Handlers, 'evaluators.list' | 'evaluators.score'>;
