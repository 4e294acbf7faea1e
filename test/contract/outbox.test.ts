/**
 * The outbox with a real service: changes are sent once, and nothing unseen is overwritten, despite lost answers and
 * kills.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { type JsonObject, jsonObject } from '../../electron/shared/json-body.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { Lives } from '../helpers/lives.ts';
import { OutboxRig } from '../helpers/outbox-rig.ts';
import { jsonLines } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { makeDataset } from './sample-service-cases/datasets.ts';
import { World } from './sample-service-cases/world.ts';

const DAY_MS = 86_400_000;
let world: World;
let folder: DataFolder;
let rig: OutboxRig;
const lives = new Lives('outbox-child.ts');

function open(options: Partial<ConstructorParameters<typeof OutboxRig>[0]> = {}): OutboxRig {
  return new OutboxRig({ baseUrl: world.raw.service.baseUrl, token: TOKEN, folder, ...options });
}
const requests = (operation: OperationId) => world.raw.service.report().operations[operation]?.requests ?? 0;
const datasetPath = (id: string) => `/v3/evals/datasets/${id}`;
async function dataset(id: string): Promise<JsonObject> {
  return jsonObject.parse((await world.raw.call('GET', datasetPath(id))).envelope.data);
}
const othersSet = (id: string, body: JsonObject) => world.raw.call('PATCH', datasetPath(id), { body });
async function named(path: string, name: string): Promise<number> {
  const { items } = await world.raw.page(`${path}?limit=1000`);
  return items.filter((item) => item['name'] === name).length;
}

beforeEach(async () => {
  world = await World.start();
  folder = new DataFolder();
  rig = open();
});
afterEach(async () => {
  lives.killAll();
  await rig[Symbol.asyncDispose]();
  await world.stop();
  folder[Symbol.dispose]();
});

describe('an edit in the outbox', () => {
  let id: string;
  let entryId: string;
  beforeEach(async () => {
    id = await makeDataset(world);
    const body = { description: 'mine' };
    entryId = rig.put('datasets.update', { path: { dataset_id: id }, body, base: await dataset(id) });
  });

  test('is sent once if nothing changed, and its result stays readable', async () => {
    expect(rig.outbox.get(entryId)).toMatchObject({ state: 'ready', line: `PATCH ${datasetPath(id)}` });
    expect(await rig.send(entryId)).toMatchObject({
      state: 'done',
      result: { how: 'sent', status: 200, record: { description: 'mine' } },
    });
    expect(requests('datasets.update')).toBe(1);
    expect(() => rig.outbox.send(entryId)).toThrow('is done');
  });

  test('is sent over another changed field without overwriting it', async () => {
    await othersSet(id, { active: false });
    expect(await rig.send(entryId)).toMatchObject({ state: 'done' });
    expect(await dataset(id)).toMatchObject({ description: 'mine', active: false });
  });

  test('needs a decision if the same field changed, and overwrites only the shown value', async () => {
    await othersSet(id, { description: 'theirs' });
    expect(await rig.send(entryId)).toMatchObject({
      state: 'needs-decision',
      question: 'changed',
      theirs: { description: 'theirs' },
    });
    expect(() => rig.outbox.send(entryId)).toThrow('needs a decision');
    // By now the current value differs from the shown one.
    await othersSet(id, { description: 'theirs, later' });
    rig.outbox.decide(entryId, 'resend');
    expect(await rig.outbox.whenIdle(entryId)).toMatchObject({
      question: 'changed',
      theirs: { description: 'theirs, later' },
    });
    expect(requests('datasets.update')).toBe(2);
    rig.outbox.decide(entryId, 'resend');
    expect(await rig.outbox.whenIdle(entryId)).toMatchObject({ state: 'done' });
    expect(await dataset(id)).toMatchObject({ description: 'mine' });
  });

  test('can be merged: another body over the shown value', async () => {
    await othersSet(id, { description: 'theirs' });
    await rig.send(entryId);
    expect(rig.outbox.edit(entryId, { description: 'both' })).toMatchObject({
      state: 'ready',
      question: null,
    });
    expect(await rig.send(entryId)).toMatchObject({ state: 'done' });
    expect(await dataset(id)).toMatchObject({ description: 'both' });
  });

  test('is discarded without a request if the user keeps the changed record', async () => {
    await othersSet(id, { description: 'theirs' });
    await rig.send(entryId);
    expect(rig.outbox.decide(entryId, 'give-up')).toMatchObject({ state: 'cancelled' });
    expect(await dataset(id)).toMatchObject({ description: 'theirs' });
  });

  test('of a deleted record asks; with the value already there it sends nothing', async () => {
    await othersSet(id, { description: 'mine' });
    expect(await rig.send(entryId)).toMatchObject({ state: 'done', result: { how: 'same' } });
    const second = rig.put('datasets.update', {
      path: { dataset_id: id },
      body: { description: 'more' },
      base: await dataset(id),
    });
    await world.raw.raw('DELETE', datasetPath(id));
    expect(await rig.send(second)).toMatchObject({ state: 'needs-decision', question: 'gone' });
  });

  test('follows an earlier edit of the same record, over its result', async () => {
    const second = rig.put('datasets.update', {
      path: { dataset_id: id },
      body: { description: 'mine, later' },
      base: await dataset(id),
    });
    expect(await rig.send(second)).toMatchObject({ state: 'paused', error: { code: 'CONFLICT' } });
    expect(rig.outbox.sendAll()).toBe(2);
    await rig.outbox.whenSent();
    expect(rig.outbox.list().map(({ state }) => state)).toEqual(['done', 'done']);
    expect(await dataset(id)).toMatchObject({ description: 'mine, later' });
  });

  test('without a known record shows it first', async () => {
    const blind = rig.put('datasets.update', { path: { dataset_id: id }, body: { active: false } });
    rig.outbox.discard(entryId);
    expect(await rig.send(blind)).toMatchObject({ question: 'unseen', theirs: { id } });
  });
});

test('a deletion of a changed record asks, of a missing one is done', async () => {
  const [one, two] = [await makeDataset(world), await makeDataset(world)];
  const put = async (id: string) =>
    rig.put('datasets.delete', { path: { dataset_id: id }, base: await dataset(id) });
  const [first, second] = [await put(one), await put(two)];
  await othersSet(one, { description: 'still used' });
  await world.raw.raw('DELETE', datasetPath(two));
  rig.outbox.sendAll();
  await rig.outbox.whenSent();
  expect(rig.outbox.get(first)).toMatchObject({ state: 'needs-decision', question: 'changed' });
  expect(rig.outbox.get(second)).toMatchObject({ state: 'done', result: { how: 'same' } });
});

describe('a new record in the outbox', () => {
  test('is referenced by later changes, in order; if it is discarded, they report it', async () => {
    const project = rig.put('projects.create', { body: { name: 'Offline project' } });
    const body = { name: 'Offline application', project_id: project };
    const application = rig.put('applications.create', { body });
    expect(rig.outbox.get(application).needs).toMatchObject([{ entryId: project, state: 'ready' }]);
    rig.outbox.sendAll();
    await rig.outbox.whenSent();
    const made = rig.outbox.get(project).result?.record?.['id'];
    expect(rig.outbox.get(application).result?.record).toMatchObject({ project: { id: made } });

    const other = rig.put('projects.create', { body: { name: 'Other project' } });
    const orphan = rig.put('applications.create', { body: { name: 'Orphan', project_id: other } });
    rig.outbox.discard(other);
    expect(rig.outbox.get(orphan).needs).toMatchObject([{ state: 'cancelled' }]);
    expect(await rig.send(orphan)).toMatchObject({ state: 'needs-decision', question: 'need-gone' });
    expect(requests('applications.create')).toBe(1);
    expect(rig.outbox.restore(other)).toMatchObject({ state: 'ready', endedAtMs: null });
    expect(rig.outbox.get(orphan)).toMatchObject({ state: 'ready', question: null });
    rig.outbox.sendAll();
    await rig.outbox.whenSent();
    const found = rig.outbox.get(other).result?.record?.['id'];
    expect(rig.outbox.get(orphan).result?.record).toMatchObject({ project: { id: found } });
    expect(() => rig.outbox.restore(other)).toThrow('done');
  });

  test.each([
    ['carried out', { type: 'drop-after' }, { state: 'done', result: { how: 'found' } }],
    [
      'carried out, 503 of a proxy',
      { type: 'status', status: 503, isStored: true },
      { state: 'done', result: { how: 'found' } },
    ],
    ['never read', { type: 'drop' }, { state: 'needs-decision', question: 'no-answer' }],
  ] as const)('is not repeated automatically if its answer was lost: %s', async (_name, action, ended) => {
    world.raw.service.setFaults([{ match: { operation: 'projects.create' }, times: 1, action }]);
    const entryId = rig.put('projects.create', { body: { name: 'Once' } });
    expect(await rig.send(entryId)).toMatchObject(ended);
    expect(requests('projects.create')).toBe(1);
    if (ended.state === 'done') return;
    rig.outbox.decide(entryId, 'resend');
    expect(await rig.outbox.whenIdle(entryId)).toMatchObject({ state: 'done', result: { how: 'sent' } });
    expect(await named('/v3/projects', 'Once')).toBe(1);
  });

  test('asks if one of that name exists', async () => {
    const entryId = rig.put('projects.create', { body: { name: 'Taken' } });
    await world.raw.call('POST', '/v3/projects', { body: { name: 'Taken' } });
    expect(await rig.send(entryId)).toMatchObject({ question: 'exists', theirs: { name: 'Taken' } });
  });

  test('killed in flight, it is found, not created twice', async () => {
    const entryId = rig.put('projects.create', { body: { name: 'Killed' } });
    await rig[Symbol.asyncDispose]();
    const { baseUrl: url } = world.raw.service;
    const silent = { type: 'hang', isStored: true } as const;
    world.raw.service.setFaults([{ match: { operation: 'projects.create' }, times: 1, action: silent }]);
    const life = lives.start({ url, token: TOKEN, folder: folder.path });
    await expect.poll(() => named('/v3/projects', 'Killed')).toBe(1);
    life.kill();
    await life.ended;
    rig = open();
    rig.outbox.recover(false);
    expect(rig.outbox.get(entryId)).toMatchObject({ state: 'paused', sentAtMs: expect.any(Number) });
    expect(await rig.send(entryId)).toMatchObject({ state: 'done', result: { how: 'found' } });
    expect(await named('/v3/projects', 'Killed')).toBe(1);
  });
});

test('a rejection is shown with the message of the service, and another body can be sent', async () => {
  const action = { type: 'status', status: 422, message: 'No project like this.' } as const;
  world.raw.service.setFaults([{ match: { operation: 'projects.create' }, times: 1, action }]);
  const entryId = rig.put('projects.create', { body: { name: 'Not free' } });
  expect(await rig.send(entryId)).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('No project like this.'),
    error: { details: { status: 422 } },
  });
  rig.outbox.edit(entryId, { name: 'Free' });
  expect(await rig.send(entryId)).toMatchObject({ state: 'done', error: null });
});

test('rejected at once: an invalid body, and requests that cannot wait', () => {
  expect(() => rig.put('projects.create', { body: { name: 1 } })).toThrow('name');
  expect(() => rig.put('alert-rules.test-notification', { path: { alert_id: 'a' } })).toThrow(
    'cannot start later',
  );
  expect(() => rig.put('projects.list', {})).toThrow('changes nothing');
});

test('sent changes stay for 30 days, waiting ones forever', async () => {
  const sent = rig.put('projects.create', { body: { name: 'Sent' } });
  const waits = rig.put('projects.create', { body: { name: 'Waits' } });
  await rig.send(sent);
  const later = async (days: number) => {
    await rig[Symbol.asyncDispose]();
    rig = open({ aheadMs: days * DAY_MS });
    rig.outbox.recover(false);
    return rig.outbox.list().map(({ entryId }) => entryId);
  };
  expect(await later(29)).toEqual([sent, waits]);
  expect(await later(31)).toEqual([waits]);
});

test('the command line: added offline, listed, sent, a question with its own exit code, sent over the shown value', async () => {
  const id = await makeDataset(world);
  const cli = (...args: string[]) =>
    runHere([...args, '--base-url', world.raw.service.baseUrl], { token: TOKEN, dataDir: folder.path });
  expect((await cli('get', 'datasets', id)).code).toBe(0);
  const put = await cli(
    'update',
    'datasets',
    id,
    '--body',
    '{"description": "mine"}',
    '--outbox',
    '--offline',
    '--json',
  );
  expect(put).toMatchObject({ code: 0 });
  const [entry] = jsonLines(put) as [{ entryId: string; base: object }];
  expect(entry).toMatchObject({ state: 'ready', base: { id } });
  expect((await cli('outbox')).stdout).toContain('in the outbox');
  await othersSet(id, { description: 'theirs' });
  const asked = await cli('outbox', 'send');
  expect(asked).toMatchObject({ code: 5, stderr: expect.stringContaining('waits for a decision') });
  const shown = await cli('outbox', 'show', entry.entryId);
  expect(shown.stdout).toMatch(/description .*"mine" +"theirs" +differs/);
  expect(await cli('outbox', 'send', entry.entryId, '--mine')).toMatchObject({ code: 0 });
  expect(await dataset(id)).toMatchObject({ description: 'mine' });
  expect((await cli('outbox', 'discard', entry.entryId)).code).toBe(2);
});
