/** The plan of a score run over a dataset of the sample service. */
import type { ScorePlan } from '../../electron/shared/score-model.ts';
import type { RawService } from './sample-service.ts';

/** A plan to score every item of "Claims triage, edge cases" by the relevance of its answer, and the items. */
export async function relevancePlan(
  raw: RawService,
): Promise<{ items: Record<string, unknown>[]; plan: ScorePlan }> {
  const datasetName = 'Claims triage, edge cases';
  const datasetId = await raw.idOf('datasets.list', datasetName);
  const { items } = await raw.page(raw.path('datasets.items', { dataset_id: datasetId }, '?limit=1000'));
  const plan: ScorePlan = {
    datasetId,
    datasetName,
    evaluator: 'answer_relevance',
    parameters: { model: 'm', credential: 'c' },
    inputs: [
      { input: 'prompt', from: { kind: 'field', bucket: 'inputs', field: 'question' } },
      { input: 'response', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } },
    ],
    itemIds: null,
  };
  return { items, plan };
}
