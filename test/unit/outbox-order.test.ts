/** A change in the outbox that waits for a limit delays only the changes that depend on it. */
import { expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { ModelService, OutboxWorld, uuid } from '../helpers/outbox-model.ts';
import { settled } from '../helpers/virtual-world.ts';

const RULE = uuid(1);
const HOUR_MS = 3_600_000;

function prepare() {
  const service = new ModelService([]);
  service.rules.set(RULE, { id: RULE, name: 'Rule', priority: 'LOW', critical_threshold: 0 });
  const world = new OutboxWorld(service);
  const put = (operation: string, path: Record<string, string>, body: Record<string, string | number>) =>
    world.outbox.put(
      { request: { operation, path, query: {}, body }, base: service.rules.get(RULE) ?? null },
      null,
    ).entryId;
  const states = () => Object.fromEntries(world.outbox.list().map(({ entryId, state }) => [entryId, state]));
  return { service, world, put, states };
}

test('a change that waits an hour for its limit does not delay independent changes', async () => {
  const { world, put, states } = prepare();
  using _world = world;
  let leftMs = HOUR_MS;
  world.waitMs = (operation) => (operation === 'projects.create' ? leftMs : 0);
  const project = put('projects.create', {}, { name: 'P' });
  const application = put('applications.create', {}, { name: 'A', project_id: project });
  const first = put('alert-rules.update', { alert_id: RULE }, { critical_threshold: 1 });
  const second = put('alert-rules.update', { alert_id: RULE }, { name: 'Other' });
  world.outbox.sendAll();
  let isAllSent = false;
  void world.outbox.whenSent().then(() => {
    isAllSent = true;
  });
  await world.pass(1);
  expect(states()).toEqual({
    [project]: 'waiting',
    [application]: 'ready',
    [first]: 'done',
    [second]: 'done',
  });
  // The waiting change does not delay later changes either.
  const third = put('alert-rules.update', { alert_id: RULE }, { critical_threshold: 2 });
  world.outbox.sendAll();
  await world.pass(1);
  expect(states()).toMatchObject({ [project]: 'waiting', [application]: 'ready', [third]: 'done' });
  expect(isAllSent).toBe(false);
  leftMs = 0;
  await world.pass(HOUR_MS + 1);
  await world.pass(1);
  await settled();
  expect(states()).toMatchObject({ [project]: 'done', [application]: 'done' });
  expect(isAllSent).toBe(true);
});

test('changes of one record keep their order while the first of them waits', async () => {
  const { service, world, put, states } = prepare();
  using _world = world;
  let leftMs = HOUR_MS;
  world.waitMs = () => leftMs;
  const first = put('alert-rules.update', { alert_id: RULE }, { critical_threshold: 1 });
  const second = put('alert-rules.update', { alert_id: RULE }, { critical_threshold: 2 });
  world.outbox.sendAll();
  await world.pass(1);
  expect(states()).toEqual({ [first]: 'waiting', [second]: 'ready' });
  leftMs = 0;
  await world.pass(HOUR_MS + 1);
  await world.pass(1);
  expect(states()).toEqual({ [first]: 'done', [second]: 'done' });
  expect(service.rules.get(RULE)).toMatchObject({ critical_threshold: 2 });
});

test('the outbox stops at once while a change waits for its limit', async () => {
  const { world, put } = prepare();
  using _world = world;
  world.waitMs = () => HOUR_MS;
  put('projects.create', {}, { name: 'P' });
  world.outbox.sendAll();
  await world.pass(1);
  let hasStopped = false;
  void world.outbox.stop().then(() => {
    hasStopped = true;
  });
  await settled();
  expect(hasStopped).toBe(true);
});

test('a change that cannot be read is reported and does not stop later sends', async () => {
  const { world, put, states } = prepare();
  using _world = world;
  const first = put('alert-rules.update', { alert_id: RULE }, { critical_threshold: 1 });
  const stored = world.store.outbox.get.bind(world.store.outbox);
  world.store.outbox.get = (id) => {
    if (id !== first) return stored(id);
    throw new AppError('STORE_FAILED', 'The local store could not be read.');
  };
  const project = put('projects.create', {}, { name: 'P' });
  world.outbox.sendAll();
  await world.pass(1);
  expect(states()).toEqual({ [first]: 'ready', [project]: 'done' });
  expect(world.reports).toEqual([
    expect.objectContaining({ message: 'change in the outbox not sent', id: first, code: 'STORE_FAILED' }),
  ]);
  world.store.outbox.get = stored;
  expect(world.outbox.sendAll()).toBe(1);
  await world.outbox.whenSent();
  expect(states()).toEqual({ [first]: 'done', [project]: 'done' });
});
