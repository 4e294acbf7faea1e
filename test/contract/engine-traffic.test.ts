/** Lanes, pauses, log and plans as the window and the command line receive them, with a real store and server. */
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { applicationAnswers, draft, ENGINE_TOKEN, type EngineRig, engineRig } from '../helpers/engine-rig.ts';
import { har } from '../helpers/har-schema.ts';
import { ScriptedServer } from '../helpers/scripted-server.ts';

const currentRig = engineRig();
const APPLICATIONS = 'GET /v3/applications';
const VIEW = { priority: 'view' } as const;

test('a paused lane rejects requests of visible views, and the view continues automatically after resume', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const asked = rig.server.received.length;
  const paused = rig.engine.traffic.pause(id, APPLICATIONS);
  expect(paused.isAllPaused).toBe(false);
  expect(paused.lanes.find(({ operation }) => operation === APPLICATIONS)).toMatchObject({
    isPaused: true,
    reason: 'paused',
    wait: { pausedBy: 'user', text: 'Paused.' },
  });
  expect(await rig.read(id)).toMatchObject({
    storedRows: 1,
    refresh: { phase: 'failed', error: { code: 'PAUSED', retry: 'later' } },
  });
  // The service is not the cause, so it counts as reachable.
  expect(rig.networks.at(-1)).toBe('online');
  const { client } = await rig.engine.session(id);
  await client.call('server-info.get', {}, VIEW);
  expect(rig.server.received).toHaveLength(asked + 1);
  rig.engine.traffic.resume(id, APPLICATIONS);
  await expect.poll(() => rig.server.received.length).toBe(asked + 2);
  expect((await rig.read(id)).refresh).toEqual({ phase: 'idle' });
});

test('resuming requests wakes all waiting work, as the return of the network does', async () => {
  const { id } = await currentRig().readOnce();
  const { engine } = currentRig();
  const { library, resources, uploads, datasets, bulk } = await engine.session(id);
  const wakes = [library, resources, uploads, datasets, bulk].map((part) => vi.spyOn(part, 'wake'));
  engine.traffic.pause(id, null);
  engine.traffic.resume(id, null);
  for (const wake of wakes) await expect.poll(() => wake.mock.calls.length).toBe(1);
});

test('a pause of everything keeps requests that can wait, in order, until it is resumed', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { client } = await rig.engine.session(id);
  expect(rig.engine.traffic.pause(id, null).isAllPaused).toBe(true);
  const asked = rig.server.received.length;
  const waiting = [1, 2, 3].map((offset) =>
    client.list('applications.list', { paging: { limit: 1, offset } }, { priority: 'prefetch' }),
  );
  await expect(client.call('server-info.get', {}, VIEW)).rejects.toMatchObject({ code: 'PAUSED' });
  // Testing the connection uses its lane, because the request would not be counted otherwise.
  expect(await rig.engine.testConnection(draft(rig.server.baseUrl, id), null)).toMatchObject({
    isOk: false,
    code: 'PAUSED',
  });
  const lane = rig.engine.traffic.lanes(id).lanes.find(({ operation }) => operation === APPLICATIONS);
  expect(lane).toMatchObject({ queued: 3, queuedBy: { prefetch: 3, view: 0 }, isPaused: true });
  expect(rig.server.received).toHaveLength(asked);
  expect(rig.engine.traffic.resume(id, null).isAllPaused).toBe(false);
  await Promise.all(waiting);
  const offsets = rig.server.received
    .slice(asked)
    .map(({ url }) => new URL(url, 'http://x').searchParams.get('offset'));
  expect(offsets).toEqual(['1', '2', '3']);
});

test('waiting requests are listed with their cause, and are sent first once the user says so', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { client } = await rig.engine.session(id);
  rig.engine.traffic.pause(id, null);
  const asked = rig.server.received.length;
  const ask = (offset: number, group: string) =>
    client.list('applications.list', { paging: { limit: 1, offset } }, { priority: 'upload', group });
  const all = [ask(1, 'upload a'), ask(2, 'upload a'), ask(3, 'upload b')];
  const queued = () => rig.engine.traffic.lanes(id).waiting.map((group) => group.queued);
  await expect.poll(queued).toEqual([2, 1]);
  expect(rig.engine.traffic.lanes(id).waiting).toMatchObject([
    { operation: APPLICATIONS, group: 'upload a', priority: 'upload', queued: 2, isChosen: false, ahead: 0 },
    { operation: APPLICATIONS, group: 'upload b', priority: 'upload', queued: 1 },
  ]);
  const { waiting: chosen } = rig.engine.traffic.choosePriority(id, 'upload b', 'outbox');
  expect(chosen).toMatchObject([
    { group: 'upload b', priority: 'outbox', isChosen: true, ahead: 0 },
    { group: 'upload a', priority: 'upload', ahead: 1 },
  ]);
  // The priority also applies to later requests with the same cause.
  all.push(ask(4, 'upload b'));
  await expect.poll(queued).toEqual([2, 2]);
  rig.engine.traffic.resume(id, null);
  await Promise.all(all);
  const offsets = rig.server.received
    .slice(asked)
    .map(({ url }) => new URL(url, 'http://x').searchParams.get('offset'));
  expect(offsets).toEqual(['3', '4', '1', '2']);
  expect(rig.engine.traffic.lanes(id).waiting).toEqual([]);
});

test('uploads are sent in the order that the user set, an unnamed one after them', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { client } = await rig.engine.session(id);
  const { traffic } = rig.engine;
  traffic.pause(id, null);
  const asked = rig.server.received.length;
  const ask = (offset: number, group: string) =>
    client.list('applications.list', { paging: { limit: 1, offset } }, { priority: 'upload', group });
  const all = [ask(1, 'upload c'), ask(2, 'upload a'), ask(3, 'upload b'), ask(4, 'upload a')];
  await expect.poll(() => traffic.lanes(id).waiting.length).toBe(3);
  expect(traffic.orderUploads(id, ['a', 'b']).uploadOrder).toEqual(['a', 'b']);
  expect(traffic.orderUploads(id, ['b', 'a']).uploadOrder).toEqual(['b', 'a']);
  traffic.resume(id, null);
  await Promise.all(all);
  const offsets = rig.server.received
    .slice(asked)
    .map(({ url }) => new URL(url, 'http://x').searchParams.get('offset'));
  expect(offsets).toEqual(['3', '2', '4', '1']);
  expect(traffic.orderUploads(id, null).uploadOrder).toBeNull();
});

test('while a service keeps answering, the window receives the time of its last answer', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const before = Number(rig.answers.at(-1));
  rig.aheadMs = 11_000;
  await rig.read(id);
  expect(rig.networks.at(-1)).toBe('online');
  expect(rig.answers.at(-1)).toBeGreaterThanOrEqual(before + 11_000);
});

test('the log is cleared, and an unused lane has no limits to delete', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { requestLog } = await rig.engine.session(id);
  const [row] = requestLog.list({ limit: 1, beforeSeq: null }).rows;
  expect(requestLog.request(row?.id ?? '').tries[0]?.headers).toMatchObject({
    'content-type': expect.stringContaining('json'),
  });
  expect(requestLog.clear()).toBe(1);
  expect(requestLog.list({ limit: 1, beforeSeq: null })).toMatchObject({ rows: [], storedRows: 0 });
  expect(() => requestLog.request(row?.id ?? '')).toThrow(AppError);
  expect(() => rig.engine.traffic.forget(id, 'GET /v3/nothing')).toThrow(/Expected a lane that was used/);
  // The window of a second may have passed by now, but not that of a minute.
  expect(rig.engine.traffic.forget(id, APPLICATIONS).lanes[0]).toMatchObject({
    windows: [{ lengthMs: 1_000 }, { lengthMs: 60_000, used: 1 }],
  });
});

test('a pause of everything shows the lanes that were used, not every operation', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const shown = () => rig.engine.traffic.lanes(id).lanes.map(({ operation }) => operation);
  const before = shown();
  expect(before).toContain(APPLICATIONS);
  rig.engine.traffic.pause(id, null);
  expect(shown()).toEqual(before);
  rig.engine.traffic.resume(id, null);
});

test('the log lists finished requests, offline too; as curl and as an archive it contains no token', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { network, requestLog } = await rig.engine.session(id);
  network.setOffline(true);
  const { rows, matchingRows, operations } = requestLog.list({ limit: 10, beforeSeq: null });
  expect({ matchingRows, operations }).toEqual({ matchingRows: 1, operations: [APPLICATIONS] });
  const details = requestLog.request(rows[0]?.id ?? '');
  expect(details).toMatchObject({ status: 200, tries: [{ status: 200, outcome: 'answered' }] });
  const { command } = requestLog.curl(details.id, 'posix');
  expect(command).toContain('$SPANDECK_TOKEN');
  const file = rig.folder.file('log.har');
  expect(await requestLog.writeHar(file, {})).toEqual({ entries: 1 });
  const text = readFileSync(file, 'utf8');
  har.parse(JSON.parse(text));
  expect(`${command}${text}${JSON.stringify(details)}`).not.toContain(ENGINE_TOKEN);
});

test('work offline applies to every connection and after a restart, until it is switched off', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const other = await rig.engine.connections.save(draft(rig.server.baseUrl), ENGINE_TOKEN);
  await rig.engine.session(other.id);
  await rig.engine.setOffline(true);
  const sent = rig.server.received.length;
  await rig.engine.stop();
  rig.start();
  for (const connectionId of [id, other.id]) {
    const { network, client } = await rig.engine.session(connectionId);
    expect(network.state().state).toBe('switched-off');
    await expect(client.call('server-info.get', {}, VIEW)).rejects.toMatchObject({ code: 'OFFLINE' });
  }
  expect(await rig.read(id)).toMatchObject({ storedRows: 1, refresh: { error: { code: 'OFFLINE' } } });
  expect(rig.server.received).toHaveLength(sent);
  await rig.engine.setOffline(false);
  expect((await rig.read(id)).refresh).toEqual({ phase: 'idle' });
  expect(rig.server.received.length).toBeGreaterThan(sent);
  await rig.engine.stop();
  rig.start();
  expect((await rig.engine.session(id)).network.state().state).toBe('unknown');
});

test('a plan shows requests, budgets and the end before anything is sent; for a day and for later too', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const sent = rig.server.received.length;
  const plan = rig.engine.traffic.plan(id, [{ operation: 'applications.list', count: 2_000 }], null);
  expect(plan).toMatchObject({
    requests: 2_000,
    leftToday: null,
    bindingWindow: { count: 1_000, lengthMs: 60_000, operation: APPLICATIONS },
    budgets: [{ operation: APPLICATIONS, title: 'Applications', requests: 2_000 }],
  });
  // One request was sent just before, so 999 fit, then 1,000, then 1.
  expect(plan.finishAtMs - plan.startAtMs).toBeGreaterThan(115_000);
  expect(plan.finishAtMs - plan.startAtMs).toBeLessThan(130_000);
  const startAtMs = Date.now() + 3_600_000;
  const later = rig.engine.traffic.plan(id, [{ operation: 'events.delete', count: 31 }], startAtMs);
  expect(later).toMatchObject({ leftToday: 30, bindingWindow: { count: 30 } });
  expect(Math.abs(later.startAtMs - startAtMs)).toBeLessThan(1_000);
  expect(later.finishAtMs - later.startAtMs).toBeGreaterThan(86_400_000);
  expect(() => rig.engine.traffic.plan(id, [{ operation: 'no.such', count: 1 }], null)).toThrow(AppError);
  expect(rig.server.received).toHaveLength(sent);
});

test('a pause of everything and the pause of a lane stay after another token, and after another address', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await using elsewhere = await ScriptedServer.start(applicationAnswers);
  rig.engine.traffic.pause(id, null);
  const expectPaused = async () => {
    expect(rig.engine.traffic.lanes(id).isAllPaused).toBe(true);
    const { client } = await rig.engine.session(id);
    await expect(client.call('server-info.get', {}, VIEW)).rejects.toMatchObject({ code: 'PAUSED' });
  };
  const before = rig.server.received.length;
  await rig.engine.saveConnection(draft(rig.server.baseUrl, id), 'another-token-0123456789');
  await expectPaused();
  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), 'another-token-0123456789');
  await expectPaused();
  expect([rig.server.received.length, elsewhere.received.length]).toEqual([before, 0]);

  rig.engine.traffic.resume(id, null);
  rig.engine.traffic.pause(id, APPLICATIONS);
  await rig.engine.saveConnection(draft(elsewhere.baseUrl, id), ENGINE_TOKEN);
  const { client } = await rig.engine.session(id);
  await client.call('server-info.get', {}, VIEW);
  await expect(client.list('applications.list', {}, VIEW)).rejects.toMatchObject({ code: 'PAUSED' });
});

test('the order of uploads and a chosen priority stay after another token', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const { traffic } = rig.engine;
  traffic.pause(id, null);
  traffic.orderUploads(id, ['second', 'first']);
  traffic.choosePriority(id, 'kept', 'outbox');
  await rig.engine.saveConnection(draft(rig.server.baseUrl, id), 'another-token-0123456789');
  expect(traffic.lanes(id).uploadOrder).toEqual(['second', 'first']);
  const { client } = await rig.engine.session(id);
  const asked = client.list('applications.list', {}, { priority: 'prefetch', group: 'kept' });
  await expect.poll(() => traffic.lanes(id).waiting).toMatchObject([{ group: 'kept', priority: 'outbox' }]);
  traffic.resume(id, null);
  await asked;
});

describe('choices made while the token is unknown', () => {
  /** Starts the program again, with a keychain that refuses to say the token. */
  async function locked(): Promise<EngineRig> {
    const rig = currentRig();
    await rig.engine.stop();
    rig.isLocked = true;
    rig.start();
    return rig;
  }

  test('stay with the next token, and hold back its requests', async () => {
    const rig = currentRig();
    const unsaved = { ...draft(rig.server.baseUrl), tokenStorage: 'memory' as const };
    const { id } = await rig.engine.connections.save(unsaved, ENGINE_TOKEN);
    await rig.read(id);
    await rig.engine.stop();
    rig.start();
    expect(rig.engine.traffic.pause(id, null).isAllPaused).toBe(true);
    rig.engine.traffic.orderUploads(id, ['second', 'first']);
    const before = rig.server.received.length;
    await rig.engine.saveConnection({ ...unsaved, id }, 'another-token-0123456789');
    expect(rig.engine.traffic.lanes(id)).toMatchObject({
      isAllPaused: true,
      uploadOrder: ['second', 'first'],
    });
    const { client } = await rig.engine.session(id);
    await expect(client.call('server-info.get', {}, VIEW)).rejects.toMatchObject({ code: 'PAUSED' });
    expect(rig.server.received).toHaveLength(before);
  });

  test('are shown for a service that was never used, and stay with its first token', async () => {
    const { id } = await currentRig().engine.connections.save(
      draft(currentRig().server.baseUrl),
      ENGINE_TOKEN,
    );
    const rig = await locked();
    expect(rig.engine.traffic.pause(id, null).isAllPaused).toBe(true);
    // The keychain says the token now.
    rig.isLocked = false;
    const { client } = await rig.engine.session(id);
    await expect(client.call('server-info.get', {}, VIEW)).rejects.toMatchObject({ code: 'PAUSED' });
    expect(rig.engine.traffic.lanes(id).isAllPaused).toBe(true);
    expect(rig.server.received).toEqual([]);
  });

  test('do not bring along the pauses of another connection to the same service', async () => {
    const rig = currentRig();
    const { id } = await rig.readOnce();
    const other = await rig.engine.connections.save({ ...draft(rig.server.baseUrl), name: 'Other' }, null);
    rig.engine.traffic.pause(id, null);
    await rig.engine.saveConnection(
      { ...draft(rig.server.baseUrl, other.id), name: 'Other' },
      'another-token-0123456789',
    );
    expect(rig.engine.traffic.lanes(other.id).isAllPaused).toBe(false);
    expect(rig.engine.traffic.lanes(id).isAllPaused).toBe(true);
  });
});
