/** Datasets that change, spans, traces, sessions, evaluators. */
import type { OperationId } from '../../../electron/api/endpoints.ts';
import { type Case, field, list, type Sending, UNKNOWN_ID, type World } from './world.ts';

export const ALL_TIME = { start_time: '2000-01-01T00:00:00Z', end_time: '2100-01-01T00:00:00Z' };

export function makeDataset(world: World): Promise<string> {
  return world.make('datasets.create', {
    name: world.name('Dataset'),
    application_id: world.ids.application,
  });
}

/** Some spans of the application, newest first. */
export async function someSpans(
  world: World,
  count: number,
): Promise<{ trace_id: string; span_id: string }[]> {
  return list(field(await querySpans(world, { page_size: count }), 'items')).map((item) => ({
    trace_id: String(field(item, 'trace_id')),
    span_id: String(field(item, 'span_id')),
  }));
}

/** Queries spans of the application; by default of all times. */
export const spanQuery = (world: World, rest: Record<string, unknown> = {}): Sending => ({
  body: { application_id: world.ids.application, ...ALL_TIME, ...rest },
});

/** The result of that query: `items`, `total`. */
export const querySpans = async (world: World, rest: Record<string, unknown> = {}): Promise<unknown> =>
  field(await world.done('spans.query', spanQuery(world, rest)), 'data');

/** Spans that do not exist. Each of them causes an issue. */
export const UNRESOLVABLE = ['one', 'two'].map((name) => ({
  trace_id: `trace-${name}`,
  span_id: `span-${name}`,
}));

async function addingSpans(world: World, extra: { trace_id: string; span_id: string }[] = []) {
  return {
    parameters: { dataset_id: await makeDataset(world) },
    body: {
      application_id: world.ids.application,
      ...ALL_TIME,
      spans: [...(await someSpans(world, 3)), ...extra],
      mapping: { inputs: { intent: 'user.intent' } },
    },
  };
}

const ofOwnDataset = async (world: World) => ({ parameters: { dataset_id: await makeDataset(world) } });
const selection = (world: World) => ({ application_id: world.ids.application, ...ALL_TIME });
const elsewhere = { application_id: UNKNOWN_ID, ...ALL_TIME };
const traces = (applicationId: string) => ({
  body: { application_id: applicationId, trace_ids: ['0123456789abcdef0123456789abcdef'] },
});
const sessions = (applicationId: string) => ({
  body: { application_id: applicationId, session_ids: ['session-none'] },
});

export const DATASET_CASES = {
  'datasets.create': {
    success: (world) => ({
      body: { name: world.name('Dataset'), application_id: world.ids.application, metadata: { owner: 'me' } },
    }),
    errors: {
      409: (world) => ({
        body: { name: 'Support answers, golden set', application_id: world.ids.application },
      }),
    },
  },
  'datasets.update': {
    success: async (world) => ({ ...(await ofOwnDataset(world)), body: { metadata: {}, active: false } }),
  },
  'datasets.delete': { success: ofOwnDataset },
  'datasets.add-items': {
    success: async (world) => ({
      ...(await ofOwnDataset(world)),
      body: { items: [{ inputs: { question: 'Where is it?' } }, { inputs: {}, extras: { n: 1 } }] },
    }),
  },
  'datasets.add-spans': {
    success: (world) => addingSpans(world),
    errors: { 422: (world) => addingSpans(world, UNRESOLVABLE) },
  },
  'spans.query': {
    success: (world) => ({ body: selection(world) }),
    errors: { 404: () => ({ body: elsewhere }) },
  },
  'spans.fields': {
    success: (world) => ({ body: selection(world) }),
    errors: { 404: () => ({ body: elsewhere }) },
  },
  'traces.delete': {
    success: (world) => traces(world.ids.application),
    errors: { 404: () => traces(UNKNOWN_ID) },
  },
  'sessions.delete': {
    success: (world) => sessions(world.ids.application),
    errors: { 404: () => sessions(UNKNOWN_ID) },
  },
  'evaluators.list': { success: () => ({}) },
  'evaluators.score': {
    success: () => ({
      body: {
        evaluator_name: 'answer_relevance',
        inputs: { prompt: 'Where is it?', response: 'It is here.' },
      },
    }),
  },
} satisfies Partial<Record<OperationId, Case>>;
