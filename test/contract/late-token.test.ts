/** The token of a connection becomes known while a request already waits in the queue. */
import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { createServiceClient } from '../../electron/api/service-client.ts';
import { Foreground } from '../../electron/core/foreground.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { openClient } from '../helpers/client-rig.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';

const done = { api_version: '3.0', kind: 'NORMAL', data: {} };

test('the request is counted for the token with which it is sent, and obeys its pauses', async () => {
  await using server = await ScriptedServer.start((_, response) => sendJson(response, 200, done));
  await using rig = openClient({ baseUrl: server.baseUrl });
  const { scheduler } = rig;
  let tokenId = 'none';
  const client = createServiceClient({
    ...{ baseUrl: parseBaseUrl(server.baseUrl, { allowsPlainHttp: false }), http: rig.http, scheduler },
    get tokenId() {
      return tokenId;
    },
    ...{ isReadOnly: () => false, isOffline: () => false, foreground: new Foreground(systemClock) },
    ...{ clock: systemClock, random: systemRandom, writeLog: () => undefined },
  });
  const [unknown, known] = ['none', 'known'].map((each) => ({ origin: server.baseUrl, tokenId: each }));
  if (unknown === undefined || known === undefined) throw new Error('Expected two tokens.');
  scheduler.pauseLanes(unknown, null);
  scheduler.pauseLanes(known, null);
  const asked = client.call('server-info.get', {}, { priority: 'upload' });
  const laneOf = (id: string) => scheduler.status().find((lane) => lane.tokenId === id);
  await expect.poll(() => laneOf('none')?.queued).toBe(1);
  tokenId = 'known';
  scheduler.resumeLanes(unknown, null);
  await expect.poll(() => laneOf('known')?.queued).toBe(1);
  expect(server.received).toEqual([]);
  scheduler.resumeLanes(known, null);
  await asked;
  // Of the minute, which does not pass during the test.
  expect(laneOf('known')?.windows[1]?.used).toBe(1);
  expect(laneOf('none')?.windows[1]?.used).toBe(0);
});
