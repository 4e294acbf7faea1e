/** Experiments, their results and metrics. */
import { randomUUID } from 'node:crypto';
import type { OperationId } from '../../../electron/api/endpoints.ts';
import { type Case, UNKNOWN_ID, type World } from './world.ts';

export function experimentBody(world: World, rest: Record<string, unknown> = {}): Record<string, unknown> {
  const { application, dataset } = world.ids;
  return { name: world.name('Run'), application_id: application, dataset_id: dataset, ...rest };
}

export const makeExperiment = (world: World): Promise<string> =>
  world.make('experiments.create', experimentBody(world));

export const score = (name: string, value: number | null, rest: Record<string, unknown> = {}) => ({
  ...{ evaluator_name: 'Judge', name, value, label: null, reasoning: null, status: 'SUCCESS' },
  ...{ error_reason: null, error_message: null, ...rest },
});

export const result = (id: string, rest: Record<string, unknown> = {}, scores: unknown[] = []) => ({
  experiment_item: {
    ...{ id, dataset_item_id: `ds-${id.slice(0, 4)}`, outputs: { answer: 'It is here.' }, duration_ms: 120 },
    ...{
      timestamp: '2026-01-02T03:04:05Z',
      status: 'SUCCESS',
      error_reason: null,
      error_message: null,
      ...rest,
    },
  },
  scores,
});

const ofOwn = async (world: World) => ({ parameters: { experiment_id: await makeExperiment(world) } });

export const EXPERIMENT_CASES = {
  'experiments.list': { success: () => ({}) },
  'experiments.create': {
    success: (world) => ({ body: experimentBody(world, { metadata: { prompt: 'v2' } }) }),
    errors: {
      400: (world) => ({ body: experimentBody(world, { dataset_id: UNKNOWN_ID }) }),
      409: (world) => ({ body: experimentBody(world, { name: 'Baseline, prompt v1' }) }),
    },
  },
  'experiments.get': { success: ofOwn },
  'experiments.update': {
    success: async (world) => ({
      ...(await ofOwn(world)),
      body: { description: 'Second try', metadata: {} },
    }),
  },
  'experiments.delete': { success: ofOwn },
  'experiments.results': { success: ofOwn },
  'experiments.metrics': { success: ofOwn },
  'experiments.metric-rows': { success: ofOwn },
  'experiments.add-results': {
    success: async (world) => ({
      ...(await ofOwn(world)),
      body: { results: [result(randomUUID(), {}, [score('quality', 0.5)])] },
    }),
  },
} satisfies Partial<Record<OperationId, Case>>;
