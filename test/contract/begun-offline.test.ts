/**
 * Jobs that the user starts while the service is unreachable wait with a reason, survive a kill, and are sent once when
 * the service is back.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import { draft } from '../helpers/engine-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { BEGIN, type Known, News, openEngine, waits, whenAll } from '../helpers/offline-work.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const lives = new Lives('offline-child.ts');
let raw: RawService;
let folder: DataFolder;
beforeEach(async () => {
  raw = await RawService.start();
  folder = new DataFolder();
});
afterEach(async () => {
  lives.killAll();
  await raw.service.stop();
  folder[Symbol.dispose]();
});

const ALL_TIMES = { start_time: '2020-01-01T00:00:00Z', end_time: '2040-01-01T00:00:00Z' };
const readData = async (...asked: Parameters<RawService['call']>) =>
  (await raw.call(...asked)).envelope.data as never;
const itemsOf = (id: string) => raw.page(raw.path('datasets.items', { dataset_id: id }, '?limit=1000'));

async function known(): Promise<Omit<Known, 'connectionId'>> {
  const applicationId = await raw.idOf('applications.list', 'Support assistant');
  const modelId = await raw.idOf('models.list', 'Bank churn');
  const datasetId = await raw.idOf('datasets.list', 'Support answers, golden set');
  const model: { schema: { columns: Known['modelColumns'] } } = await readData(
    'GET',
    raw.path('models.get', { model_id: modelId }),
  );
  const spans: { items: Known['span'][] } = await readData('POST', raw.path('spans.query'), {
    body: { application_id: applicationId, ...ALL_TIMES },
  });
  const [item] = (await itemsOf(datasetId)).items;
  const [span] = spans.items;
  if (item === undefined || span === undefined) throw new Error('The service has no item or no span.');
  const ids = { applicationId, modelId, datasetId, itemId: String(item['id']) };
  return { ...ids, modelColumns: model.schema.columns, span };
}

test.each([
  ['Work offline is on', 'OFFLINE'],
  ['the service cannot be reached', 'CONNECTION_REFUSED'],
])('%s', async (_how, code) => {
  const facts = await known();
  const before = {
    items: (await itemsOf(facts.datasetId)).total,
    events: raw.service.events(facts.modelId).count,
  };
  const saving = openEngine(folder.path);
  const { id: connectionId } = await saving.connections.save(draft(raw.service.baseUrl), TOKEN);
  const { port } = raw.service;
  if (code === 'OFFLINE') await saving.setOffline(true);
  else await raw.service.stop();
  await saving.stop();

  const life = lives.start({ folder: folder.path, known: JSON.stringify({ ...facts, connectionId }) });
  await life.heard('waits');
  life.kill();
  await life.ended;

  const news = new News();
  const engine = openEngine(folder.path, () => news.notify());
  try {
    const session = await engine.session(connectionId);
    const { jobs } = session.jobs.list({ kinds: null, states: null, search: null, offset: 0, limit: 100 });
    expect(jobs).toHaveLength(Object.keys(BEGIN).length);
    // The service is still unreachable, so each job waits again after the kill.
    await whenAll(
      session,
      jobs.map(({ kind, id }) => ({ name: '', kind, id })),
      waits,
      news,
    );
    const codes = jobs.map(({ kind, id }) => session.jobs.get(kind, id).error?.code);
    expect(new Set(codes)).toEqual(new Set([code]));

    if (code === 'OFFLINE') await engine.setOffline(false);
    else raw = await RawService.start({ port });
    engine.lookAtServices();
    const isOver = ({ state }: { state: string }) => !['ready', 'running', 'waiting'].includes(state);
    await whenAll(
      session,
      jobs.map(({ kind, id }) => ({ name: '', kind, id })),
      isOver,
      news,
    );
    expect(jobs.map(({ kind, id }) => [kind, session.jobs.get(kind, id).state])).toEqual(
      jobs.map(({ kind }) => [kind, 'done']),
    );
    // Each job was carried out exactly once.
    expect((await itemsOf(facts.datasetId)).total).toBe(before.items + 2);
    const made = (await raw.page(raw.path('datasets.list', {}, '?limit=1000'))).items;
    for (const [name, count] of [
      ['Made offline', 2],
      ['Picked offline', 1],
    ] as const) {
      const found = made.filter((dataset) => dataset['name'] === name);
      expect(found).toHaveLength(1);
      expect((await itemsOf(String(found[0]?.['id']))).total).toBe(count);
    }
    expect(raw.service.events(facts.modelId).count).toBe(before.events + 20 + 5);
    expect(raw.service.report()).toMatchObject({ violations: 0, malformedRequests: 0 });
  } finally {
    await engine.stop();
  }
});
