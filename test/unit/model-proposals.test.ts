/** A model is proposed for a file as certain only if everything about the models is known. */
import { describe, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import type { Freshness, ListQuery } from '../../electron/shared/model.ts';
import { ModelProposals } from '../../renderer/state/model-proposals.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const COLUMNS = ['amount', 'country'].map((name) => ({ name, type: 'str' as const }));
const FAILED = {
  phase: 'failed',
  error: {
    code: 'CONNECTION_LOST',
    title: 'Failed',
    message: 'The service failed.',
    retry: 'later',
    details: {},
  },
  atMs: 1,
} as const satisfies Freshness['refresh'];

interface Service {
  /** Names of the columns of each model, null if they cannot be read. */
  models: Readonly<Record<string, readonly string[] | null>>;
  list?: Partial<Freshness>;
  /** Number of models in the list. */
  total?: number;
}

async function compared({ models, list = {}, total }: Service) {
  const names = Object.keys(models);
  const asked: string[] = [];
  const { client } = numberedClient((channel, argument: { query: ListQuery }) => {
    if (channel === 'library:open-record') {
      const id = argument.query.path['model_id'] ?? '';
      asked.push(id);
      const schema = models[id] ?? null;
      const record = schema && { id, schema: { columns: schema.map((name) => ({ name })) } };
      const refresh = schema === null ? FAILED : { phase: 'idle' };
      return { recordKey: id, record, parts: null, goneAtMs: null, freshness: { refresh } };
    }
    if (channel !== 'library:open-list') return undefined;
    const rows = names.map((id, position) => ({ position, record: { id, name: id } }));
    const freshness = {
      ...{ storedRows: names.length, totalRows: total ?? names.length, newestMs: 1, source: 'stored' },
      ...{ isComplete: total === undefined, refresh: { phase: 'idle' }, ...list },
    };
    return { state: { listKey: 'models', freshness }, page: { rows, matchingRows: names.length } };
  });
  const proposals = new ModelProposals('one', client);
  proposals.open();
  await expect
    .poll(() => {
      proposals.readNext();
      return proposals.isWhole && asked.length > 0;
    })
    .toBe(true);
  return { proposals, asked };
}

describe('a model is certain', () => {
  test('if the columns of every model are known', async () => {
    const { proposals } = await compared({ models: { fraud: ['amount', 'country'], churn: ['age'] } });
    expect(proposals.of(COLUMNS).map(({ id }) => id)).toEqual(['fraud']);
    expect(proposals.coversAll).toBe(true);
  });

  test('not while the columns of another model could not be read', async () => {
    const { proposals } = await compared({ models: { fraud: ['amount', 'country'], other: null } });
    expect(proposals.of(COLUMNS).map(({ id }) => id)).toEqual(['fraud']);
    expect(proposals.coversAll).toBe(false);
  });

  test('not while only a part of the list of models is stored', async () => {
    const models = { fraud: ['amount', 'country'] };
    const { proposals } = await compared({ models, total: 3, list: { refresh: FAILED } });
    expect(proposals.of(COLUMNS).map(({ id }) => id)).toEqual(['fraud']);
    expect(proposals.coversAll).toBe(false);
  });

  test('not if there are more models than are compared', async () => {
    const names = Array.from({ length: 41 }, (_, at) => [`model ${at}`, ['x']] as const);
    const { proposals, asked } = await compared({ models: Object.fromEntries(names) });
    expect(new Set(asked).size).toBe(40);
    expect(proposals.coversAll).toBe(false);
  });

  test('not if the list of models cannot be read', async () => {
    const { client } = numberedClient(() => {
      throw new AppError('OFFLINE', 'Spandeck is offline.');
    });
    const proposals = new ModelProposals('one', client);
    proposals.open();
    await expect.poll(() => proposals.isWhole).toBe(true);
    expect(proposals.coversAll).toBe(false);
  });
});

test('a model is compared once with the same columns', async () => {
  const { proposals } = await compared({ models: { fraud: ['amount', 'country'], churn: ['amount'] } });
  const [first] = proposals.of(COLUMNS);
  expect(first).toBeDefined();
  expect(proposals.of(COLUMNS)[0]).toBe(first);
  expect(proposals.of(COLUMNS.slice(0, 1))[0]).not.toBe(first);
});
