/**
 * Asynchronous jobs of the service: while a view is open, they are polled with growing pauses until they end, despite
 * lost answers and missing jobs.
 */
import { expect, test } from 'vitest';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { ResourcesRig } from '../helpers/resources-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { type Script, ScriptedServer, sendError, sendJson } from '../helpers/scripted-server.ts';
import { World } from './sample-service-cases/world.ts';

const later = cleanUpAfterEach();

async function scripted(script: Script) {
  const server = await ScriptedServer.start(script);
  later(() => server[Symbol.asyncDispose]());
  const rig = new ResourcesRig(server.baseUrl);
  later(() => rig[Symbol.asyncDispose]());
  return { server, rig };
}

/** Answers with these statuses one after another, then always with the last one. */
function statuses(...given: (string | ((...script: Parameters<Script>) => void))[]): Script {
  const left = [...given];
  return (request, response) => {
    const next = left.length > 1 ? left.shift() : left[0];
    if (typeof next === 'function') return next(request, response);
    sendJson(response, 200, {
      api_version: '3.0',
      kind: 'NORMAL',
      data: { id: 'j', name: 'Delete application', status: next, progress: left.length },
    });
  };
}

const job = { viewId: 'view', jobId: 'j' };

test('a job is polled at once, then after growing pauses, and not after its end', async () => {
  const { server, rig } = await scripted(statuses('PENDING', 'STARTED', 'STARTED', 'SUCCESS'));
  expect(rig.resources.watchJob(job)).toEqual({
    jobId: 'j',
    name: null,
    status: null,
    progress: null,
    errorMessage: null,
    isOver: false,
    checkedAtMs: null,
    error: null,
  });
  const first = await rig.job(({ status }) => status === 'PENDING');
  expect(first).toMatchObject({ name: 'Delete application', isOver: false, checkedAtMs: rig.clock.nowMs() });
  await rig.nextLook(1_000);
  rig.clock.advance(1_499);
  expect(server.received).toHaveLength(2);
  await rig.nextLook(1);
  const last = await rig.nextLook(2_250);
  expect(last).toMatchObject({ status: 'SUCCESS', isOver: true });
  expect(rig.clock.pending).toBe(0);
  expect(rig.resources.watchJob({ ...job, viewId: 'second' })).toEqual(last);
  expect(server.received).toHaveLength(4);
});

test('a view that starts to follow a finished job is notified', async () => {
  const { server, rig } = await scripted(statuses('SUCCESS'));
  rig.resources.watchJob(job);
  await rig.job(({ isOver }) => isOver);
  const told = Promise.withResolvers<string | null>();
  rig.resources.followJob('j', ({ status }) => told.resolve(status));
  expect(await told.promise).toBe('SUCCESS');
  expect(server.received).toHaveLength(1);
});

test('the pauses grow up to half a minute, however long it takes', async () => {
  const { rig } = await scripted(statuses('STARTED'));
  rig.resources.watchJob(job);
  await rig.job(() => true);
  for (let look = 0; look < 12; look += 1) await rig.nextLook();
  rig.clock.advance(29_999);
  const { length } = rig.jobs;
  await rig.nextLook(1);
  expect(rig.jobs).toHaveLength(length + 1);
});

test('a lost answer and a failing service are reported, and polling continues', async () => {
  const { rig } = await scripted(
    statuses(
      (_request, response) => response.destroy(),
      (_request, response) => sendError(response, 500, 'Down.'),
      'SUCCESS',
    ),
  );
  rig.resources.watchJob(job);
  expect(await rig.job(() => true)).toMatchObject({
    status: null,
    isOver: false,
    error: { code: 'CONNECTION_LOST' },
  });
  expect(await rig.nextLook()).toMatchObject({ isOver: false, error: { code: 'SERVICE_FAILED' } });
  expect(await rig.nextLook()).toMatchObject({ status: 'SUCCESS', isOver: true, error: null });
});

test.each<[string, string, boolean]>([
  ['FAILURE', 'FAILURE', true],
  ['REVOKED', 'REVOKED', true],
  ['success in small letters', 'success', true],
  ['RETRY', 'RETRY', false],
  ['a status nobody knows', 'ARCHIVED', false],
])('%s', async (_name, status, isOver) => {
  const { rig } = await scripted(statuses(status));
  rig.resources.watchJob(job);
  expect(await rig.job(() => true)).toMatchObject({ status, isOver });
  expect(rig.clock.pending).toBe(isOver ? 0 : 1);
});

test.each([404, 405, 501])(
  'a job the service does not report (%d) is over, with the reason',
  async (status) => {
    const { rig } = await scripted((_request, response) => sendError(response, status, 'No such job.'));
    rig.resources.watchJob(job);
    expect(await rig.job(() => true)).toMatchObject({ isOver: true, error: { details: { status } } });
    expect(rig.clock.pending).toBe(0);
  },
);

test('a job is polled while one of several views is open, and not after the last has closed', async () => {
  const { server, rig } = await scripted(statuses('STARTED'));
  rig.resources.watchJob(job);
  rig.resources.watchJob({ ...job, viewId: 'other' });
  await rig.job(() => true);
  expect(server.received).toHaveLength(1);
  rig.resources.release('view');
  await rig.nextLook();
  rig.resources.release('other');
  expect(rig.clock.pending).toBe(0);
  rig.clock.advance(600_000);
  expect(server.received).toHaveLength(2);
});

test('nothing is polled while the service is gone; when it is back it is polled at once', async () => {
  const { server, rig } = await scripted(statuses('STARTED'));
  rig.resources.watchJob(job);
  await rig.job(() => true);
  rig.resources.suspend();
  rig.clock.advance(600_000);
  expect(server.received).toHaveLength(1);
  expect(rig.resources.watchJob({ ...job, viewId: 'other' })).toMatchObject({ status: 'STARTED' });
  expect(server.received).toHaveLength(1);
  const { length } = rig.jobs;
  rig.resources.wake();
  await rig.job(() => rig.jobs.length > length);
  expect(server.received).toHaveLength(2);
});

test('working offline with an answer in flight leaves the job unchanged', async () => {
  let arrived: () => void = () => undefined;
  const { server, rig } = await scripted(statuses(() => arrived(), 'SUCCESS'));
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  rig.resources.watchJob(job);
  await asked;
  rig.resources.suspend();
  rig.resources.wake();
  expect(await rig.job(({ isOver }) => isOver)).toMatchObject({ status: 'SUCCESS', error: null });
  expect(server.received).toHaveLength(2);
});

test('deleting an application is followed without a view, and its data is read again or deleted', async () => {
  const world = await World.start({ settings: { jobPendingMs: 5, jobRunMs: 5 } });
  later(() => world.stop());
  const rig = new ResourcesRig(world.raw.service.baseUrl, { token: TOKEN });
  later(() => rig[Symbol.asyncDispose]());
  const { library } = rig;
  const path = { application_id: world.ids.application };
  const applications = { operation: 'applications.list', path: {}, query: {} };
  const catalog = { operation: 'catalog.list', path, query: { entity_type: 'attribute' } };
  const projects = { operation: 'projects.list', path: {}, query: {} };
  const application = { operation: 'applications.get', path, query: {} };
  const before = await library.read(applications);
  for (const query of [catalog, projects]) await library.read(query, 'if-stale', 'closed');
  await library.library.openRecord({ viewId: 'v', query: application, refresh: 'if-stale' });
  await library.until(() => library.records.length > 0);
  library.library.release('closed');

  const { status, job: started } = await rig.resources.act({
    operation: 'applications.delete',
    path,
    query: {},
    body: null,
  });
  expect(status).toBe(202);
  expect(started).toMatchObject({ name: 'Delete application' });
  expect(library.records.at(-1)?.goneAtMs).toBeNull();
  while (rig.jobs.at(-1)?.isOver !== true) await rig.nextLook();
  expect(library.records.at(-1)).toMatchObject({ record: { name: 'Support assistant' } });
  expect(library.records.at(-1)?.goneAtMs).toBeTypeOf('number');
  await library.until(() => {
    const latest = library.lists.at(-1)?.freshness;
    return latest?.refresh.phase === 'idle' && latest.totalRows === (before.totalRows ?? 0) - 1;
  });
  const stale = async (query: typeof catalog | typeof projects) =>
    (await library.library.openList({ viewId: 'v', query, refresh: 'never' })).freshness.isStale;
  expect(await stale(catalog)).toBe(true);
  expect(await stale(projects)).toBe(false);
});

test.each<[string, Record<string, unknown>, string, string]>([
  ['inside', { job: { id: 'a', name: 'Delete' }, id: 'x' }, 'a', 'Delete'],
  ['by id alone', { job_id: 'a' }, 'a', 'a'],
  ['as the record itself', { id: 'a', name: 'Delete', status: 'PENDING' }, 'a', 'Delete'],
  ['inside, without a name', { job: { id: 'a' } }, 'a', 'a'],
])('the job of a deletion is found %s', async (_name, data, id, name) => {
  const { rig } = await scripted((request, response) => {
    const body = request.method === 'DELETE' ? data : { id, name, status: 'SUCCESS' };
    sendJson(response, request.method === 'DELETE' ? 202 : 200, {
      api_version: '3.0',
      kind: 'NORMAL',
      data: body,
    });
  });
  const path = { application_id: 'app' };
  const result = await rig.resources.act({ operation: 'applications.delete', path, query: {}, body: null });
  expect(result).toMatchObject({ status: 202, job: { id, name }, record: data });
});

test('a deletion without any job is a valid answer', async () => {
  const { rig } = await scripted((_request, response) =>
    sendJson(response, 202, { api_version: '3.0', kind: 'NORMAL', data: { note: 'queued' } }),
  );
  const path = { application_id: 'app' };
  const result = await rig.resources.act({ operation: 'applications.delete', path, query: {}, body: null });
  expect(result).toMatchObject({ status: 202, job: null, record: { note: 'queued' } });
});
