/** A program that starts offline shows the same rows as one that goes offline later. */
import { expect, test } from 'vitest';
import { draft, ENGINE_TOKEN, type EngineRig, engineRig } from '../helpers/engine-rig.ts';
import { sendPage } from '../helpers/scripted-server.ts';

const currentRig = engineRig();
const DATASETS = { operation: 'datasets.list', path: {}, query: {} };
const FOUND = { ...DATASETS, query: { search: 'answers' } };
const rows = Array.from({ length: 25 }, (_, at) => ({ id: `d${at}`, name: `answers ${at}` }));

async function shown(rig: EngineRig, id: string) {
  const { library } = await rig.engine.session(id);
  const { freshness } = await library.openList({ viewId: 'view', query: FOUND, refresh: 'never' });
  return { source: freshness.source, rows: freshness.storedRows };
}

test('a search whose own rows are incomplete is answered from the complete list', async () => {
  const rig = currentRig();
  rig.server.answer((request, response) => sendPage(response, rows, request));
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), ENGINE_TOKEN);
  rig.engine.saveSettings({ pageRows: 10 });
  const { library } = await rig.engine.session(id);
  const stored = async (query: typeof DATASETS) =>
    library.storedLists().find((list) => JSON.stringify(list.query) === JSON.stringify(query))?.shown
      .rowCount;
  await library.openList({ viewId: 'all', query: DATASETS, refresh: 'always' });
  await expect.poll(() => stored(DATASETS)).toBe(25);
  rig.engine.saveSettings({ prefetchRows: 0 });
  await library.openList({ viewId: 'found', query: FOUND, refresh: 'always' });
  await expect.poll(() => stored(FOUND as typeof DATASETS)).toBe(10);
  await rig.engine.setOffline(true);
  expect(await shown(rig, id)).toEqual({ source: 'assumed', rows: 25 });
  await rig.engine.stop();
  rig.start();
  expect(await shown(rig, id)).toEqual({ source: 'assumed', rows: 25 });
  await rig.engine.setOffline(false);
  expect(await shown(rig, id)).toEqual({ source: 'stored', rows: 10 });
});
