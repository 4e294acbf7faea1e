/** Evaluator rules, and alert rules of applications. */
import type { OperationId } from '../../../electron/api/endpoints.ts';
import type { Case, World } from './world.ts';

export function evaluatorRuleBody(world: World) {
  return {
    name: world.name('Rule'),
    application_id: world.ids.application,
    evaluator_id: 'e7a10000-0000-4000-8000-000000000003',
    mapped_input_keys: { response: 'fiddler.contents.gen_ai.llm.output' },
    sampling_rate: 0.25,
  };
}

export const RULE_CASES = {
  'evaluator-rules.list': { success: () => ({}) },
  'genai-alert-rules.list': { success: () => ({}) },
  'evaluator-rules.create': { success: (world) => ({ body: evaluatorRuleBody(world) }) },
} satisfies Partial<Record<OperationId, Case>>;
