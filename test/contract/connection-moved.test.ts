/**
 * The address of a connection is changed to another service. No job for the first service continues there
 * automatically, stored lists are outdated, and agents have no access.
 */
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { Library } from '../../electron/library/library.ts';
import { moveBlock } from '../../renderer/lib/write-block.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { BASELINES } from '../helpers/bulk-rig.ts';
import { APPLICATIONS, applicationAnswers, draft, type EngineRig, engineRig } from '../helpers/engine-rig.ts';
import { numberedClient } from '../helpers/numbered-client.ts';
import { type Script, ScriptedServer, sendJson, sendPage } from '../helpers/scripted-server.ts';

const currentRig = engineRig();
const NEW_TOKEN = 'new-token-for-the-other-service-123456';
const WORDS = { title: 'Delete', going: 'Deleting', done: 'deleted', noun: 'baseline', nouns: 'baselines' };
const record = (at: number) => ({ id: `${at}1111111-1111-4111-8111-111111111111`, name: `b${at}` });
const refusal = { api_version: '3.0', kind: 'ERROR', error: { code: 401, message: 'no', errors: [] } };
const PLAN = {
  request: {
    operation: 'datasets.create',
    path: {},
    query: {},
    body: { name: 'From A', application_id: record(3).id },
  },
  base: null,
};

/** Jobs that are suspended, or wait for a time or for the service. */
async function withJobs(rig: EngineRig, refreshHours: number) {
  const { id } = await rig.readOnce();
  rig.server.answer((request, response) =>
    request.method === 'DELETE' ? sendJson(response, 401, refusal) : applicationAnswers(request, response),
  );
  const { bulk, outbox, keep } = await rig.engine.session(id);
  const kept = keep.start(
    { kind: 'dataset', id: 'a', name: 'Answers', range: null, withValues: false, entities: null, body: null },
    refreshHours,
  );
  await expect.poll(() => keep.list().find(({ keptId }) => keptId === kept.keptId)?.state).toBe('done');
  const held = await bulk.create({
    ...{ request: BASELINES, words: WORDS, records: [record(1)], startAtMs: null },
  });
  await expect.poll(() => bulk.list()[0]?.state).toBe('paused');
  const planned = await bulk.create({
    ...{ request: BASELINES, words: WORDS, records: [record(2)], startAtMs: Date.now() + 3_600_000 },
  });
  const { entryId } = outbox.put(PLAN, null);
  rig.engine.agents.open(id);
  return { id, held: held.bulkId, planned: planned.bulkId, entryId, keptId: kept.keptId };
}

const changesAt = ({ received }: ScriptedServer) =>
  received.filter(({ method, url }) => method !== 'GET' && !url.includes('query'));

async function expectMoved(
  rig: EngineRig,
  jobs: Awaited<ReturnType<typeof withJobs>>,
  elsewhere: ScriptedServer,
) {
  const reason = expect.stringContaining(
    `Made for ${rig.server.baseUrl}; this connection now leads to ${elsewhere.baseUrl}.`,
  );
  const { bulk, outbox, keep, network } = await rig.engine.session(jobs.id);
  // Nothing is sent by a planned start, a new token, an answer of the service, or a start of the program.
  await expect.poll(() => network.state().state).not.toBe('offline');
  await rig.read(jobs.id);
  expect(bulk.list()).toMatchObject([
    { bulkId: jobs.planned, state: 'paused', startAtMs: null, reason },
    { bulkId: jobs.held, state: 'paused', error: null, reason },
  ]);
  expect(outbox.list()).toMatchObject([{ entryId: jobs.entryId, state: 'paused', reason }]);
  expect(keep.list()).toMatchObject([{ keptId: jobs.keptId, state: 'paused', startAtMs: null, reason }]);
  expect(rig.engine.agents.access.isOpen(jobs.id)).toBe(false);
  expect(changesAt(elsewhere)).toEqual([]);
  return { bulk };
}

test.each([0, 24])(
  'with another address, every unfinished job rests with both addresses, and a person resumes it (refresh %i h)',
  async (refreshHours) => {
    const rig = currentRig();
    await using elsewhere = await ScriptedServer.start(applicationAnswers);
    const jobs = await withJobs(rig, refreshHours);
    await rig.engine.saveConnection(draft(elsewhere.baseUrl, jobs.id), NEW_TOKEN);
    const { library } = await rig.engine.session(jobs.id);
    const stored = await library.openList({ viewId: 'view', query: APPLICATIONS, refresh: 'never' });
    expect(stored.freshness).toMatchObject({ storedRows: 1, isStale: true });
    await expectMoved(rig, jobs, elsewhere);
    await rig.engine.stop();
    rig.start();
    const { bulk } = await expectMoved(rig, jobs, elsewhere);
    elsewhere.answer((request, response) =>
      request.method === 'DELETE'
        ? void response.writeHead(204).end()
        : applicationAnswers(request, response),
    );
    await bulk.control(jobs.held, 'resume', null);
    await expect.poll(() => bulk.list().find(({ bulkId }) => bulkId === jobs.held)?.state).toBe('done');
    expect(changesAt(elsewhere)).toHaveLength(1);
  },
);

test('a process that is killed after the save settles the jobs at its next start, and so does another process', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(applicationAnswers);
  const jobs = await withJobs(rig, 24);
  await rig.engine.stop();
  // Only the row of the connection was written.
  rig.start();
  rig.engine.connections.addPack({ ...rig.engine.connections.get(jobs.id), baseUrl: elsewhere.baseUrl });
  rig.engine.agents.open(jobs.id);
  await rig.engine.stop();
  rig.start();
  await expectMoved(rig, jobs, elsewhere);
});

test('jobs in stores of an older version, which name no service, rest after a move, too', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(applicationAnswers);
  const jobs = await withJobs(rig, 24);
  await rig.engine.stop();
  for (const file of [
    rig.paths.libraryDb(jobs.id),
    rig.paths.uploadsDb(jobs.id),
    rig.paths.datasetsDb(jobs.id),
  ]) {
    const db = new BetterSqlite(file);
    db.exec('DELETE FROM service');
    db.close();
  }
  rig.start();
  await rig.engine.connections.save(draft(elsewhere.baseUrl, jobs.id), NEW_TOKEN);
  await expectMoved(rig, jobs, elsewhere);
});

test('a path of the same host is another service, and a new token or name is not', async () => {
  const rig = currentRig();
  const jobs = await withJobs(rig, 24);
  rig.server.answer((request, response) =>
    request.method === 'DELETE' ? void response.writeHead(204).end() : applicationAnswers(request, response),
  );
  await rig.engine.saveConnection(
    { ...draft(`${rig.server.baseUrl}/v3/`, jobs.id), name: 'Other' },
    NEW_TOKEN,
  );
  const { bulk } = await rig.engine.session(jobs.id);
  await expect.poll(() => bulk.list().find(({ bulkId }) => bulkId === jobs.held)?.state).toBe('done');
  expect(rig.engine.agents.access.isOpen(jobs.id)).toBe(true);
  await rig.engine.saveConnection(draft(`${rig.server.baseUrl}/staging`, jobs.id), NEW_TOKEN);
  const { outbox } = await rig.engine.session(jobs.id);
  expect(outbox.list()).toMatchObject([
    { state: 'paused', reason: expect.stringContaining(`leads to ${rig.server.baseUrl}/staging.`) },
  ]);
  expect(rig.engine.agents.access.isOpen(jobs.id)).toBe(false);
});

test('with a new token for the same address, what the old one read is read again', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const reads = () => rig.server.received.filter(({ url }) => url.includes('/applications')).length;
  const before = reads();
  const again = async (viewId: string) => {
    const { library } = await rig.engine.session(id);
    return library.openList({ viewId, query: APPLICATIONS, refresh: 'if-stale' });
  };
  expect((await again('unchanged')).freshness).toMatchObject({ storedRows: 1, isStale: false });
  expect(reads()).toBe(before);
  await rig.engine.saveConnection(draft(rig.server.baseUrl, id), NEW_TOKEN);
  await again('open');
  await expect.poll(reads).toBe(before + 1);
  await expect.poll(async () => (await again('later')).freshness.isStale).toBe(false);
  // The same token gives access to the same data as before.
  await rig.engine.saveConnection(draft(rig.server.baseUrl, id), NEW_TOKEN);
  await rig.engine.session(id);
  await new Promise((resolve) => setImmediate(resolve));
  expect((await again('same')).freshness.isStale).toBe(false);
  expect(reads()).toBe(before + 1);
});

test('agents keep their access if a new address is not saved', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(applicationAnswers);
  const { id } = await rig.readOnce();
  rig.engine.agents.open(id);
  rig.isLocked = true;
  await expect(rig.engine.saveConnection(draft(elsewhere.baseUrl, id), NEW_TOKEN)).rejects.toThrow(/locked/);
  rig.isLocked = false;
  expect(rig.engine.agents.access.isOpen(id)).toBe(true);
});

type OpenArgument = Parameters<Library['openList']>[0] & Parameters<Library['readRows']>[0];

/** The list of applications as a tab of the window keeps it. */
async function listOfTab(rig: EngineRig, connectionId: string): Promise<ListModel> {
  const main = numberedClient(async (channel, argument: OpenArgument) => {
    if (channel === 'library:release') return null;
    const { library } = await rig.engine.session(connectionId);
    return channel === 'library:open-list'
      ? { state: await library.openList(argument), page: null }
      : library.readRows(argument);
  });
  rig.hear = main.emit;
  const list = new ListModel({ connectionId, viewId: 'tab', isOnline: () => true, client: main.client });
  await list.open(APPLICATIONS);
  return list;
}

const named =
  (name: string): Script =>
  (request, response) =>
    request.url.includes('/applications')
      ? sendPage(response, [{ id: 'a', name }], request)
      : applicationAnswers(request, response);

test('a list that stays open in a tab shows what the new address, and later the new token, gives access to', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start(named('Of the other service'));
  const { id } = await rig.readOnce();
  const list = await listOfTab(rig, id);
  const shown = () => list.row(0)?.['name'];
  await expect.poll(shown).toBe('Support assistant');
  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), NEW_TOKEN);
  await expect.poll(shown).toBe('Of the other service');
  expect(list.freshness?.isStale).toBe(false);
  elsewhere.answer(named('Of the other account'));
  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), `${NEW_TOKEN}-other`);
  await expect.poll(shown).toBe('Of the other account');
  list.dispose();
});

test('rows read at the former address cannot be changed until they were read at the new one', async () => {
  const rig = currentRig();
  await using elsewhere = await ScriptedServer.start((request, response) =>
    request.url.includes('/applications')
      ? sendJson(response, 403, { ...refusal, error: { ...refusal.error, code: 403 } })
      : applicationAnswers(request, response),
  );
  const { id } = await rig.readOnce();
  const list = await listOfTab(rig, id);
  const block = () => moveBlock(rig.engine.connections.get(id), list.freshness, Date.now());
  await expect.poll(() => list.row(0)?.['name']).toBe('Support assistant');
  expect(block()).toBeNull();
  await rig.engine.saveConnection({ ...draft(rig.server.baseUrl, id), name: 'Renamed' }, null);
  expect(rig.engine.connections.get(id).movedFrom).toBeUndefined();

  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), NEW_TOKEN);
  await expect.poll(() => list.freshness?.refresh.phase).toBe('failed');
  expect(list.row(0)?.['name']).toBe('Support assistant');
  expect(block()).toContain('read at the former address');

  elsewhere.answer(named('Of the other service'));
  await list.refresh();
  await expect.poll(() => list.row(0)?.['name']).toBe('Of the other service');
  expect(block()).toBeNull();
  list.dispose();
  await rig.engine.stop();
  rig.start();
  expect(rig.engine.connections.get(id).movedFrom?.baseUrl).toBe(rig.server.baseUrl);
});

test('a list that stays open in a tab is updated after its session was closed for a damage', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const list = await listOfTab(rig, id);
  await rig.engine.closeSession(id);
  rig.server.answer(named('Renamed'));
  const { library } = await rig.engine.session(id);
  library.invalidate([{ operation: APPLICATIONS.operation }]);
  await expect.poll(() => list.row(0)?.['name']).toBe('Renamed');
  list.dispose();
});
