/** A change in the outbox that is not carried out is sent again after a wait, and then pauses with the error. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../electron/shared/json-body.ts';
import { type Fate, ModelService, OutboxWorld, uuid } from '../helpers/outbox-model.ts';

const RULE = uuid(1);
const SHORT_MS = 3_000;
const BODIES: Readonly<Record<string, JsonObject>> = {
  'alert-rules.update': { critical_threshold: 1 },
  'sessions.delete': { application_id: RULE, session_ids: ['s'] },
};

function prepare(fates: readonly Fate[], operation = 'alert-rules.update') {
  const service = new ModelService(fates);
  service.rules.set(RULE, { id: RULE, name: 'Rule', critical_threshold: 0 });
  const world = new OutboxWorld(service);
  const path: Record<string, string> = operation.startsWith('alert-rules.') ? { alert_id: RULE } : {};
  const request = { operation, path, query: {}, body: BODIES[operation] ?? null };
  const { entryId } = world.outbox.put({ request, base: service.rules.get(RULE) ?? null }, null);
  const sent = () => fates.length - service.fates.length;
  return { service, world, entryId, sent };
}

test('a change answered with 503 is sent again only after the wait that the service asked for', async () => {
  const { service, world, entryId, sent } = prepare(['busy', 'ok']);
  using _world = world;
  service.retryAfterMs = 120_000;
  world.outbox.send(entryId);
  await world.pass(SHORT_MS);
  expect(sent()).toBe(1);
  expect(world.outbox.get(entryId)).toMatchObject({ state: 'waiting', error: { details: { status: 503 } } });
  // The wall clock is read every minute.
  await world.pass(60_000);
  expect(sent()).toBe(1);
  await world.pass(60_000);
  await world.pass(1);
  expect(world.outbox.get(entryId)).toMatchObject({ state: 'done', result: { how: 'sent' } });
});

test.each<[string, Fate, string]>([
  ['503', 'busy', 'SERVICE_UNAVAILABLE'],
  ['no answer', 'lost on the way', 'TIMEOUT'],
])(
  'a change that the record shows as not done pauses with the last error after three requests: %s',
  async (_name, fate, code) => {
    const { world, entryId, sent } = prepare([fate, fate, fate, 'ok']);
    using _world = world;
    world.outbox.send(entryId);
    await world.pass(1);
    expect(sent()).toBe(1);
    for (let turn = 0; turn < 5; turn += 1) await world.pass();
    expect(sent()).toBe(3);
    expect(world.outbox.get(entryId)).toMatchObject({ state: 'paused', question: null, error: { code } });
    world.outbox.send(entryId);
    await world.pass(1);
    expect(world.outbox.get(entryId)).toMatchObject({ state: 'done', result: { how: 'sent' } });
  },
);

test('a paused change that is planned has all its requests again', async () => {
  const { world, entryId } = prepare(['busy', 'busy', 'busy', 'ok']);
  using _world = world;
  world.outbox.send(entryId);
  for (let turn = 0; turn < 5; turn += 1) await world.pass();
  expect(world.outbox.get(entryId).state).toBe('paused');
  world.outbox.schedule(entryId, world.clock.nowMs() + 10_000);
  await world.pass(10_000);
  await world.pass(1);
  expect(world.outbox.get(entryId)).toMatchObject({ state: 'done', result: { how: 'sent' } });
});

test('a lost answer is looked up at once, and a repetition waits', async () => {
  const found = prepare(['lost after']);
  using _found = found.world;
  found.world.outbox.send(found.entryId);
  await found.world.pass(1);
  expect(found.world.outbox.get(found.entryId)).toMatchObject({ state: 'done', result: { how: 'found' } });

  const lost = prepare(['lost on the way', 'ok']);
  using _lost = lost.world;
  lost.world.outbox.send(lost.entryId);
  await lost.world.pass(1);
  expect(lost.sent()).toBe(1);
  expect(lost.world.outbox.get(lost.entryId)).toMatchObject({ state: 'waiting', error: { code: 'TIMEOUT' } });
  await lost.world.pass(SHORT_MS);
  expect(lost.world.outbox.get(lost.entryId)).toMatchObject({ state: 'done', result: { how: 'sent' } });
});

test.each<[string, string, Fate]>([
  ['an edit that did not reach the service', 'alert-rules.update', 'not sent'],
  ['an edit answered with 429', 'alert-rules.update', 'limited'],
  ['a deletion answered with 429', 'alert-rules.delete', 'limited'],
])('a request without effect does not count: %s', async (_name, operation, fate) => {
  const { world, entryId } = prepare([...Array<Fate>(6).fill(fate), 'ok'], operation);
  using _world = world;
  world.outbox.send(entryId);
  await world.pass(1);
  expect(world.outbox.get(entryId)).toMatchObject({ state: 'waiting', sentAtMs: null });
  for (let turn = 0; turn < 8; turn += 1) await world.pass();
  expect(world.outbox.get(entryId)).toMatchObject({ state: 'done', result: { how: 'sent' } });
});

test('a change whose target cannot be read asks after three requests without an answer', async () => {
  const { world, entryId, sent } = prepare(['busy', 'lost on the way', 'busy'], 'sessions.delete');
  using _world = world;
  world.outbox.send(entryId);
  for (let turn = 0; turn < 5; turn += 1) await world.pass();
  expect(sent()).toBe(3);
  // The last answer was an error, and the question names it.
  expect(world.outbox.get(entryId)).toMatchObject({
    state: 'needs-decision',
    question: 'no-answer',
    reason: 'Not now. Nothing shows whether it was done.',
  });
});
