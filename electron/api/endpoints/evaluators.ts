/** Evaluators and scoring (SERVICE.md S4.9, F3.4 and F3.6). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { ask, type Endpoint, list } from './row.ts';

export const scoreBody = z.looseObject({
  evaluator_name: z.string().min(1),
  /** Evaluators that use an LLM take `model` and `credential`. */
  parameters: z.record(z.string(), z.unknown()).nullish(),
  /** Usual keys: prompt, response, context. */
  inputs: z.record(z.string(), z.unknown()),
});

export const evaluatorEndpoints = {
  'evaluators.list': list({
    path: '/v3/evaluators',
    title: 'Evaluators',
    help: 'Evaluators that inputs can be scored with.',
    section: 'S4.9',
    errors: [400, 401, 403, 429, 500],
    item: records.evaluator,
  }),
  'evaluators.score': ask({
    path: '/v3/evals/score',
    title: 'Score inputs',
    help: 'Scores one set of inputs with an evaluator; nothing is stored.',
    section: 'S4.9, F3.4',
    errors: [400, 401, 403, 500],
    body: scoreBody,
    item: records.scoreResult,
  }),
} satisfies Record<string, Endpoint>;
