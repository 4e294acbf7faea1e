/** A person switches to offline, or to read-only, while requests wait for their limits or for a retry. */
import { expect, test } from 'vitest';
import type { AppError } from '../../electron/shared/errors.ts';
import { type ClientRig, openClient } from '../helpers/client-rig.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';

const done = { api_version: '3.0', kind: 'NORMAL', data: {} };
const failing = { api_version: '3.0', kind: 'ERROR', error: { code: 503, message: 'busy', errors: [] } };
const MODEL = 'a1111111-1111-4111-8111-111111111111';

const read = ({ client }: ClientRig, query: Record<string, string> = {}) =>
  client.call('server-info.get', { query }, { priority: 'upload' });

const failure = (asked: Promise<unknown>): Promise<AppError> =>
  asked.then(
    () => {
      throw new Error('It was answered.');
    },
    (thrown: AppError) => thrown,
  );

test('requests that wait for their lane are not sent after the switch, and the service does not count as down', async () => {
  await using server = await ScriptedServer.start((_, response) => sendJson(response, 200, done));
  await using rig = openClient({ baseUrl: server.baseUrl, maxAttempts: 4 });
  const token = { origin: server.baseUrl, tokenId: 'rig' };
  rig.scheduler.pauseLanes(token, null);
  const waiting = Array.from({ length: 12 }, (_, at) => failure(read(rig, { page: `${at}` })));
  await expect.poll(() => rig.scheduler.status()[0]?.queued).toBe(12);
  rig.switches.isOffline = true;
  rig.scheduler.resumeLanes(token, null);
  for (const error of await Promise.all(waiting))
    expect(error).toMatchObject({ code: 'OFFLINE', details: { outcome: 'unsent' } });
  expect(server.received).toEqual([]);
  rig.switches.isOffline = false;
  await read(rig);
  expect(server.received).toHaveLength(1);
  const [lane] = rig.scheduler.status();
  // Of the minute, which does not pass during the test.
  expect({ inFlight: lane?.inFlight, used: lane?.windows[1]?.used }).toEqual({ inFlight: 0, used: 1 });
});

test('a request whose first attempt failed is not sent again after the switch', async () => {
  await using server = await ScriptedServer.start(() => undefined);
  await using rig = openClient({ baseUrl: server.baseUrl, maxAttempts: 4, haste: 20 });
  server.answer((_, response) => {
    rig.switches.isOffline = true;
    sendJson(response, 503, failing);
  });
  expect(await failure(read(rig))).toMatchObject({ code: 'OFFLINE' });
  expect(server.received).toHaveLength(1);
});

test('a change that waits for its lane is not sent after the connection was made read-only', async () => {
  await using server = await ScriptedServer.start((_, response) => sendJson(response, 200, done));
  await using rig = openClient({ baseUrl: server.baseUrl });
  const token = { origin: server.baseUrl, tokenId: 'rig' };
  rig.scheduler.pauseLanes(token, null);
  const asked = failure(
    rig.client.call('baselines.delete', { path: { baseline_id: MODEL } }, { priority: 'upload' }),
  );
  await expect.poll(() => rig.scheduler.status()[0]?.queued).toBe(1);
  rig.switches.isReadOnly = true;
  rig.scheduler.resumeLanes(token, null);
  expect(await asked).toMatchObject({ code: 'READ_ONLY', details: { outcome: 'unsent' } });
  expect(server.received).toEqual([]);
});

test('a change whose answer was lost before the switch is not reported as never sent', async () => {
  await using server = await ScriptedServer.start(() => undefined);
  await using rig = openClient({ baseUrl: server.baseUrl, maxAttempts: 4, haste: 20 });
  server.answer((_, response) => {
    rig.switches.isOffline = true;
    response.destroy();
  });
  const input = { path: { baseline_id: MODEL } };
  const asked = failure(rig.client.call('baselines.delete', input, { priority: 'upload' }));
  expect(await asked).toMatchObject({
    ...{ code: 'OFFLINE', details: { isSentAgain: true } },
    message: expect.stringMatching(/got no answer, so the service may have carried it out\.$/),
  });
  expect(server.received).toHaveLength(1);
});
