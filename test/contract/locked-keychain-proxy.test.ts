/** The password of a proxy is in a keychain that a person has not unlocked. */
import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { createHttpClient } from '../../electron/api/http-client.ts';
import { createServiceClient } from '../../electron/api/service-client.ts';
import { Foreground } from '../../electron/core/foreground.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { openClient, RIG_TOKEN } from '../helpers/client-rig.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';

const done = { api_version: '3.0', kind: 'NORMAL', data: {} };
const REQUESTS = 8;

test('it is asked once for each request, and the service does not count as down', async () => {
  await using server = await ScriptedServer.start((_, response) => sendJson(response, 200, done));
  await using rig = openClient({ baseUrl: server.baseUrl, maxAttempts: 4, haste: 20 });
  const baseUrl = parseBaseUrl(server.baseUrl, { allowsPlainHttp: false });
  let asked = 0;
  const http = createHttpClient({
    ...{ baseUrl, token: () => RIG_TOKEN, proxyUrl: 'http://127.0.0.1:1', extraCaFile: null },
    credentials: {
      ...{ proxyUser: 'me', clientCertFile: null },
      secret: async () => {
        asked += 1;
        throw new AppError('KEYCHAIN_FAILED', 'The keychain is locked.');
      },
    },
    ...{ clock: systemClock, userAgent: 'test' },
  });
  const client = createServiceClient({
    ...{ baseUrl, http, tokenId: 'rig', isReadOnly: () => false, isOffline: () => false },
    ...{ scheduler: rig.scheduler, foreground: new Foreground(systemClock) },
    ...{ clock: systemClock, random: systemRandom, writeLog: () => undefined },
  });
  for (let count = 0; count < REQUESTS; count += 1)
    await expect(
      client.call('server-info.get', { query: { page: `${count}` } }, { priority: 'upload' }),
    ).rejects.toMatchObject({ code: 'KEYCHAIN_FAILED', details: { outcome: 'unsent' } });
  expect(asked).toBe(REQUESTS);
  // Once it is unlocked, nothing has to wait.
  expect(rig.scheduler.status()[0]?.wait.reason).toBe('ready');
  await rig.client.call('server-info.get', {}, { priority: 'view' });
  await http.close();
});
