/** Single changes: every change in the table, its effect on stored data, and rejections. */
import { expect, test } from 'vitest';
import { endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import type { ActRequest } from '../../electron/resources/types.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { ResourcesRig } from '../helpers/resources-rig.ts';
import { READ_ONLY_TOKEN, TOKEN } from '../helpers/sample-service.ts';
import { ScriptedServer, sendError, sendJson, sendPage } from '../helpers/scripted-server.ts';
import { type Sending, UNKNOWN_ID, World } from './sample-service-cases/world.ts';
import { CASES } from './sample-service-cases.ts';

const later = cleanUpAfterEach();

async function sampleWorld(token = TOKEN): Promise<{ world: World; rig: ResourcesRig }> {
  const world = await World.start({ settings: { jobPendingMs: 0, jobRunMs: 0 } });
  later(() => world.stop());
  const rig = new ResourcesRig(world.raw.service.baseUrl, { token });
  later(() => rig[Symbol.asyncDispose]());
  return { world, rig };
}

async function scripted(script: Parameters<typeof ScriptedServer.start>[0]) {
  const server = await ScriptedServer.start(script);
  later(() => server[Symbol.asyncDispose]());
  const rig = new ResourcesRig(server.baseUrl);
  later(() => rig[Symbol.asyncDispose]());
  return { server, rig };
}

const act = (operation: string, parts: Partial<ActRequest> = {}): ActRequest => ({
  operation,
  path: {},
  query: {},
  body: null,
  ...parts,
});

function requestOf(operation: OperationId, { parameters, query, body }: Sending): ActRequest {
  return act(operation, {
    path: parameters ?? {},
    query: Object.fromEntries(new URLSearchParams(query)),
    body: (body as ActRequest['body'] | undefined) ?? null,
  });
}

const ALONE_NEVER: readonly string[] = ['datasets.add-spans', 'experiments.add-results'];
const isOwnWay = (id: string) => /^(events|files)\./.test(id) || ALONE_NEVER.includes(id);
const WRITES = OPERATION_IDS.filter((id) => endpoint(id).isWrite);
const SENT = WRITES.filter((id) => !isOwnWay(id));

test.each(SENT)('%s is sent once and returns the answer of the service', async (operation) => {
  const { world, rig } = await sampleWorld();
  const request = requestOf(operation, await CASES[operation].success(world));
  world.raw.service.clearReport();
  const result = await rig.resources.act(request);
  expect(result.status).toBe(endpoint(operation).successStatus);
  expect(result.requestId).toBe(rig.library.clientRig.log.find(({ url }) => url.startsWith('/v3'))?.id);
  expect(world.raw.service.report().operations[operation]).toMatchObject({ requests: 1 });
  expect(result.job === null).toBe(operation !== 'applications.delete');
  if (endpoint(operation).answer === 'empty') expect(result.record).toBeNull();
});

test.each(WRITES.filter(isOwnWay))('%s has its own path and is rejected here', async (operation) => {
  const { server, rig } = await scripted((_request, response) => sendJson(response, 200, {}));
  await expect(rig.resources.act(act(operation, { body: {} }))).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('not sent alone'),
  });
  expect(server.received).toEqual([]);
});

test.each<[string, ActRequest, string]>([
  ['no operation', act('baselines.burn'), 'not an operation'],
  ['a read', act('baselines.list'), 'changes nothing'],
  ['a name of every object', act('toString'), 'not an operation'],
  ['no body where one is expected', act('projects.create'), 'body is not as expected'],
  ['a body without the name', act('projects.create', { body: { title: 'x' } }), 'name'],
  [
    'a body where none is taken',
    act('baselines.delete', { path: { baseline_id: UNKNOWN_ID }, body: {} }),
    'no body',
  ],
  ['no path parameter', act('baselines.delete'), 'baseline_id'],
])('%s is rejected before anything is sent', async (_name, request, text) => {
  const { server, rig } = await scripted((_request, response) => sendJson(response, 200, {}));
  await expect(rig.resources.act(request)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining(text),
  });
  expect(server.received).toEqual([]);
});

test('read-only, offline, a read-only token and an unknown record are named as such', async () => {
  const { rig } = await sampleWorld(READ_ONLY_TOKEN);
  const { switches } = rig.library.clientRig;
  const create = act('projects.create', { body: { name: 'Tried' } });
  switches.isReadOnly = true;
  await expect(rig.resources.act(create)).rejects.toMatchObject({ code: 'READ_ONLY' });
  switches.isReadOnly = false;
  switches.isOffline = true;
  await expect(rig.resources.act(create)).rejects.toMatchObject({ code: 'OFFLINE' });
  switches.isOffline = false;
  await expect(rig.resources.act(create)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const { rig: other } = await sampleWorld();
  const path = { baseline_id: UNKNOWN_ID };
  await expect(other.resources.act(act('baselines.delete', { path }))).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('unknown fields of a body are sent unchanged', async () => {
  const { server, rig } = await scripted((_request, response) =>
    sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: { id: 'p', name: 'x', new: [1] } }),
  );
  const body = { name: 'x', colour: { dark: 'navy' } };
  const { record } = await rig.resources.act(act('projects.create', { body }));
  expect(JSON.parse(server.received[0]?.body ?? '')).toEqual(body);
  expect(record).toEqual({ id: 'p', name: 'x', new: [1] });
});

const list = (operation: OperationId, path: Record<string, string> = {}): ListQuery => ({
  operation,
  path,
  query: {},
});

test('an open list is reloaded after a change, a closed one when it is next opened', async () => {
  const { world, rig } = await sampleWorld();
  const { library } = rig;
  const ofModel = list('models.baselines', { model_id: world.ids.fraud });
  const ofOther = list('models.baselines', { model_id: world.ids.churn });
  const before = await library.read(list('baselines.list'));
  await library.read(ofModel, 'if-stale', 'closed');
  await library.read(ofOther, 'if-stale', 'closed');
  await library.read(list('projects.list'), 'if-stale', 'closed');
  library.library.release('closed');

  const heard = library.lists.length;
  await rig.resources.act(requestOf('baselines.create', await CASES['baselines.create'].success(world)));
  await library.until(() =>
    library.lists
      .slice(heard)
      .some(
        ({ freshness }) =>
          freshness.refresh.phase === 'idle' && freshness.totalRows === (before.totalRows ?? 0) + 1,
      ),
  );
  expect(
    (await library.library.openList({ viewId: 'v', query: ofModel, refresh: 'never' })).freshness.isStale,
  ).toBe(true);
  const untouched = await library.library.openList({
    viewId: 'v',
    query: list('projects.list'),
    refresh: 'never',
  });
  expect(untouched.freshness.isStale).toBe(false);
  expect((await library.read(ofModel)).isStale).toBe(false);
});

test('an open deleted record is shown as deleted, and is not requested again', async () => {
  const { world, rig } = await sampleWorld();
  const { library } = rig;
  const { parameters = {} } = await CASES['baselines.delete'].success(world);
  const query = list('baselines.get', parameters);
  await library.library.openRecord({ viewId: 'v', query, refresh: 'if-stale' });
  await library.until(() => library.records.at(-1)?.record !== null && library.records.length > 0);
  world.raw.service.clearReport();
  await rig.resources.act(act('baselines.delete', { path: parameters }));
  const gone = library.records.at(-1);
  expect(gone?.goneAtMs).toBeTypeOf('number');
  expect(gone?.record).toMatchObject({ id: parameters['baseline_id'] });
  library.library.wake();
  const again = await library.library.openRecord({ viewId: 'w', query, refresh: 'if-stale' });
  expect(again).toMatchObject({ goneAtMs: gone?.goneAtMs, freshness: { refresh: { phase: 'idle' } } });
  expect(world.raw.service.report().operations['baselines.get']?.requests ?? 0).toBe(0);
});

test('a record that someone else deleted is deleted here once it is requested', async () => {
  let isThere = true;
  const { rig } = await scripted((_request, response) => {
    if (!isThere) return sendError(response, 404, 'No such baseline.');
    sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: { id: 'b', name: 'x' } });
  });
  const { library } = rig;
  const query = list('baselines.get', { baseline_id: 'b' });
  await library.library.openRecord({ viewId: 'v', query, refresh: 'if-stale' });
  await library.until(() => library.records.length > 0);
  isThere = false;
  await library.library.openRecord({ viewId: 'v', query, refresh: 'always' });
  await library.until(() => library.records.length > 1);
  expect(library.records.at(-1)).toMatchObject({
    record: { id: 'b' },
    freshness: { refresh: { phase: 'idle' } },
  });
  expect(library.records.at(-1)?.goneAtMs).toBeTypeOf('number');
  isThere = true;
  await library.library.openRecord({ viewId: 'v', query, refresh: 'always' });
  await library.until(() => library.records.length > 2);
  expect(library.records.at(-1)?.goneAtMs).toBeNull();
});

test('a record that never was here is not found, not deleted', async () => {
  const { rig } = await scripted((_request, response) => sendError(response, 404, 'No such baseline.'));
  const { library } = rig;
  const query = list('baselines.get', { baseline_id: 'b' });
  await library.library.openRecord({ viewId: 'v', query, refresh: 'if-stale' });
  await library.until(() => library.records.length > 0);
  expect(library.records.at(-1)).toMatchObject({
    record: null,
    goneAtMs: null,
    freshness: { refresh: { phase: 'failed', error: { code: 'NOT_FOUND' } } },
  });
});

test('a change whose answer was lost is not repeated, and affected data is reloaded', async () => {
  const projects = [{ id: 'p', name: 'one' }];
  const { server, rig } = await scripted((request, response) => {
    if (request.method === 'GET') return sendPage(response, projects, request);
    projects.push({ id: 'q', name: 'two' });
    response.destroy();
  });
  await rig.library.read(list('projects.list'));
  const create = act('projects.create', { body: { name: 'two' } });
  await expect(rig.resources.act(create)).rejects.toMatchObject({ details: { outcome: 'unknown' } });
  await rig.library.until(() => rig.library.lists.at(-1)?.freshness.totalRows === 2);
  expect(server.received.filter(({ method }) => method === 'POST')).toHaveLength(1);
});

test('a list that was being read during a change is read again', async () => {
  const rows = Array.from({ length: 250 }, (_, index) => ({ id: `b${index}`, name: `b${index}` }));
  let held: (() => void) | null = null;
  const { rig } = await scripted((request, response) => {
    if (request.method === 'DELETE') {
      rows.shift();
      return sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: {} });
    }
    if (!request.url.includes('offset=100') || held !== null) return sendPage(response, rows, request);
    held = () => sendPage(response, rows, request);
  });
  const { library } = rig;
  const opened = await library.library.openList({
    viewId: 'v',
    query: list('baselines.list'),
    refresh: 'if-stale',
  });
  expect(opened.freshness.refresh.phase).toBe('loading');
  await library.until(() => library.lists.at(-1)?.freshness.storedRows === 100);
  await rig.resources.act(act('baselines.delete', { path: { baseline_id: 'b0' } }));
  await library.until(() => {
    const latest = library.lists.at(-1)?.freshness;
    return latest?.refresh.phase === 'idle' && latest.isComplete && latest.storedRows === 249;
  });
  expect((await library.column(list('baselines.list'), 'id'))[0]).toBe('b1');
});

test('a list that is open while sixty records change is read a few times, and ends as at the service', async () => {
  const rows = Array.from({ length: 60 }, (_, index) => ({ id: `b${index}`, name: `b${index}` }));
  const { server, rig } = await scripted((request, response) => {
    if (request.method !== 'DELETE') return sendPage(response, rows, request);
    rows.shift();
    return sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: {} });
  });
  const { library } = rig;
  await library.read(list('baselines.list'));
  const deletions = Array.from({ length: 60 }, (_, index) =>
    rig.resources.act(act('baselines.delete', { path: { baseline_id: `b${index}` } })),
  );
  await Promise.all(deletions);
  await library.until(() => {
    const latest = library.lists.at(-1)?.freshness;
    return latest?.refresh.phase === 'idle' && latest.totalRows === 0;
  });
  expect(server.received.filter(({ method }) => method === 'GET').length).toBeLessThan(20);
});
