/** Server information, projects, applications, attributes, catalog, environments, models, jobs, datasets, events. */
import type { OperationId } from '../../../electron/api/endpoints.ts';
import { type Case, field, UNKNOWN_ID, type World } from './world.ts';

const plain: Case = { success: () => ({}) };

function event(id: string) {
  return { transaction_id: id, processed_at: '2025-10-01 08:00:00', is_fraud: true };
}

function publishing(world: World, events: unknown[], modelId = world.ids.fraud) {
  return { body: { model_id: modelId, env_type: 'PRODUCTION', source: { type: 'EVENTS', events } } };
}

const ofUnknownModel = (world: World) => publishing(world, [event('tx')], UNKNOWN_ID);
const ofApplication = (world: World) => ({ parameters: { application_id: world.ids.application } });
const ofModel = (world: World) => ({ parameters: { model_id: world.ids.fraud } });
const ofDataset = (world: World) => ({ parameters: { dataset_id: world.ids.dataset } });

export const BASIC_CASES = {
  'server-info.get': plain,
  'projects.list': plain,
  'projects.create': {
    success: (world) => ({ body: { name: world.name('Project') } }),
    errors: { 409: () => ({ body: { name: 'Customer operations' } }) },
  },
  'applications.list': plain,
  'applications.get': { success: ofApplication },
  'attributes.list': plain,
  'catalog.list': { success: ofApplication },
  'catalog.values': {
    success: (world) => ({ ...ofApplication(world), query: '?entity_type=span_type&name=llm' }),
  },
  'environments.list': plain,
  'models.environments': { success: ofModel },
  'models.list': plain,
  'models.get': { success: ofModel },
  'jobs.get': {
    success: async (world) => {
      const body = { model_id: world.ids.fraud, event_ids: ['none'] };
      const answer = await world.done('events.delete', { body });
      return { parameters: { job_id: String(field(answer, 'data.job.id')) } };
    },
  },
  'datasets.list': plain,
  'datasets.get': { success: ofDataset },
  'datasets.items': { success: ofDataset },
  'datasets.schema': { success: ofDataset },
  'events.publish': {
    success: (world) => publishing(world, [event(world.name('tx'))]),
    errors: { 404: ofUnknownModel },
  },
  'events.update': {
    success: async (world) => {
      const id = world.name('tx');
      await world.done('events.publish', publishing(world, [event(id)]));
      return publishing(world, [{ transaction_id: id, is_fraud: false }]);
    },
    errors: { 404: ofUnknownModel },
  },
  'events.delete': {
    success: (world) => ({ body: { model_id: world.ids.fraud, event_ids: ['none'] } }),
    errors: { 404: () => ({ body: { model_id: UNKNOWN_ID, event_ids: ['none'] } }) },
  },
} satisfies Partial<Record<OperationId, Case>>;
