/** A service that accepts a request and then stays silent is reported after seconds, and not only at the timeout. */

import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { waitLimits } from '../../electron/api/http-agent.ts';
import { createServiceClient } from '../../electron/api/service-client.ts';
import { saySilence } from '../../electron/cli/context.ts';
import { Foreground } from '../../electron/core/foreground.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type { Silence } from '../../electron/shared/model.ts';
import { openClient } from '../helpers/client-rig.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';

test('a request without an answer is reported as pending until its answer arrives', async () => {
  let answer: () => void = () => undefined;
  await using server = await ScriptedServer.start((_request, response) => {
    answer = () => sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: {} });
  });
  const timers: { callback: () => void; delayMs: number }[] = [];
  const clock: Clock = {
    ...systemClock,
    setTimer: (callback, delayMs) => {
      timers.push({ callback, delayMs });
      return () => undefined;
    },
  };
  const said: (Silence | 'ended')[] = [];
  await using rig = openClient({ baseUrl: server.baseUrl });
  const client = createServiceClient({
    baseUrl: parseBaseUrl(server.baseUrl, { allowsPlainHttp: false }),
    tokenId: 'rig',
    isReadOnly: () => false,
    isOffline: () => false,
    http: rig.http,
    scheduler: rig.scheduler,
    foreground: new Foreground(systemClock),
    clock,
    random: systemRandom,
    writeLog: () => undefined,
    onSilence: (silence) => {
      said.push(silence);
      return () => said.push('ended');
    },
  });
  const call = client.call('server-info.get', {}, { priority: 'view' });
  await expect.poll(() => server.received.length).toBe(1);
  expect(said).toEqual([]);
  const [timer] = timers;
  expect(timer?.delayMs).toBeLessThanOrEqual(15_000);
  timer?.callback();
  expect(said).toEqual([{ operation: 'GET /v3/server-info', sentAtMs: expect.any(Number) }]);
  answer();
  await call;
  expect(said.at(-1)).toBe('ended');
});

test('the command line reports it once for each request', () => {
  const notes: string[] = [];
  const hear = saySilence((text) => notes.push(text));
  const state = (silence: Silence | null) =>
    hear('connections:network-changed', {
      connectionId: 'c',
      state: 'online',
      sinceMs: 0,
      error: null,
      lastAnswerMs: null,
      silence,
    });
  for (const sentAtMs of [5, 5, 9]) state({ operation: 'GET /v3/a', sentAtMs });
  state(null);
  expect(notes).toHaveLength(2);
  expect(notes[0]).toContain('No answer to GET /v3/a');
});

test('the timeout that was set for a connection applies to its requests', async () => {
  await using server = await ScriptedServer.start(() => undefined);
  const limits = waitLimits(5);
  expect(waitLimits(undefined)).toEqual({});
  const timers: { callback: () => void; delayMs: number }[] = [];
  const httpClock: Clock = {
    ...systemClock,
    setTimer: (callback, delayMs) => {
      timers.push({ callback, delayMs });
      return () => undefined;
    },
  };
  await using rig = openClient({ baseUrl: server.baseUrl, limits, httpClock });
  const call = rig.client
    .call('server-info.get', {}, { priority: 'view' })
    .catch((thrown: unknown) => thrown);
  await expect.poll(() => server.received.length).toBe(1);
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([5_000]);
  timers[0]?.callback();
  expect(await call).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('5 seconds') });
});
