/** Evaluator rules of the sample applications. */
import { referenceTo } from '../record-parts.ts';
import type { JsonRecord } from '../store.ts';
import type { Stores } from '../stores.ts';
import type { SeededRandom } from './seeded-random.ts';

const DAY_MS = 86_400_000;
const rule = (field: string, value: string) => ({ field, operator: 'equal', value });

const RULES: readonly JsonRecord[] = [
  {
    // The rule that produced the results in the sample spans.
    name: 'Answer relevance',
    evaluator_id: 'e7a10000-0000-4000-8000-000000000001',
    evaluator_name: 'answer_relevance',
    evaluator_type_display_name: 'Answer relevance',
    mapped_input_keys: {
      prompt: 'fiddler.contents.gen_ai.llm.input.user',
      response: 'fiddler.contents.gen_ai.llm.output',
    },
    filters: { condition: 'AND', rules: [rule('Span::span_type', 'agent')] },
    outputs: [{ name: 'is_answer_relevant', possible_values: [] }],
    enabled: true,
    sampling_rate: 1,
  },
  {
    name: 'Short drafts',
    evaluator_id: 'e7a10000-0000-4000-8000-000000000003',
    evaluator_name: 'conciseness',
    evaluator_type_display_name: 'Conciseness',
    mapped_input_keys: { response: 'fiddler.contents.gen_ai.llm.output' },
    filters: {
      condition: 'AND',
      rules: [rule('Span::span_type', 'llm'), rule('Span::name', 'draft_answer')],
    },
    outputs: [{ name: 'is_concise', possible_values: [] }],
    enabled: true,
    sampling_rate: 0.1,
  },
  {
    // A filter in an undocumented form.
    name: 'Safety',
    evaluator_id: 'e7a10000-0000-4000-8000-000000000004',
    evaluator_name: 'toxicity',
    evaluator_type_display_name: 'Toxicity',
    mapped_input_keys: {
      response: 'fiddler.contents.gen_ai.llm.output',
      locale: 'fiddler.session.user.locale',
    },
    filters: { span_type: ['llm', 'chain'] },
    outputs: [{ name: 'toxicity_prob', possible_values: [] }],
    enabled: false,
    sampling_rate: 0.5,
  },
];

/** Adds rules for the sample applications, which must exist. */
export function generateEvaluatorRules(stores: Stores, random: SeededRandom, baseMs: number): void {
  const made = (days: number) => new Date(baseMs - days * DAY_MS).toISOString();
  for (const application of stores.resources.list('application')) {
    for (const fields of RULES) {
      const id = random.uuid();
      const record = {
        ...{ id, ...fields, backfill: null, application: referenceTo(application) },
        ...{ created_at: made(60), updated_at: made(20) },
      };
      stores.resources.add('evaluator-rule', id, String(application['id']), record);
    }
  }
}
