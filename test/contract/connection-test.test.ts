/** Every problem that a connection can have is named, with a next step. */

import { writeFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type ConnectionTestInput, testConnection } from '../../electron/api/connection-test.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import type { RequestScheduler } from '../../electron/scheduler/types.ts';
import { ERROR_CODES, type ErrorCode } from '../../electron/shared/errors.ts';
import type { ConnectionTest } from '../../electron/shared/model.ts';
import { NO_SUCH_HOST } from '../helpers/client-bench.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { MemoryBudget } from '../helpers/memory-budget.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { type Script, ScriptedServer, sendError, sendJson, sendPage } from '../helpers/scripted-server.ts';
import { selfSigned } from '../helpers/self-signed.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  await scheduler?.stop();
  scheduler = null;
});

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await ScriptedServer.start(script);
  cleanUps.push(() => server[Symbol.asyncDispose]());
  return server;
}

function run(baseUrl: string, input: Partial<ConnectionTestInput> = {}): Promise<ConnectionTest> {
  const defaults = { token: TOKEN, proxyUrl: null, extraCaFile: null, allowsPlainHttp: false };
  const token = input.token ?? TOKEN;
  return testConnection(
    { clock: systemClock, scheduler: laneScheduler(), tokenId: `id of ${token}` },
    { ...defaults, baseUrl, ...input },
  );
}

let scheduler: RequestScheduler | null = null;
function laneScheduler(): RequestScheduler {
  scheduler ??= createScheduler({
    clock: systemClock,
    random: systemRandom,
    budget: new MemoryBudget(() => systemClock.monotonicMs()).open(),
    logger: silentLogger,
  });
  return scheduler;
}

function expectFailure(result: ConnectionTest, code: ErrorCode): void {
  expect(result).toMatchObject({ isOk: false, code, title: ERROR_CODES[code].title });
  expect(result.message.length).toBeGreaterThan(20);
  expect(result.nextStep.length).toBeGreaterThan(10);
  expect(JSON.stringify(result)).not.toContain(TOKEN);
}

const envelope = (data: unknown, version = '3.0') => ({ api_version: version, kind: 'NORMAL', data });

test('the sample service is accepted, with its server information', async () => {
  const service = await RawService.start();
  cleanUps.push(() => service.service.stop());
  const result = await run(service.service.baseUrl);
  expect(result).toMatchObject({ isOk: true, code: null, title: 'Connected', apiVersion: '3.0' });
  expect(result.serverVersion).not.toBeNull();
  expectFailure(await run(service.service.baseUrl, { token: 'another-token' }), 'UNAUTHORIZED');
});

test('without server information, the list of applications decides', async () => {
  const server = await serve((request, response) =>
    request.url.startsWith('/v3/server-info')
      ? sendError(response, 404, 'No such path')
      : sendPage(response, [], request),
  );
  expect(await run(server.baseUrl)).toMatchObject({ isOk: true, serverVersion: null, apiVersion: '3.0' });
  expect(server.received.map(({ url }) => url)).toEqual(['/v3/server-info', '/v3/applications?limit=1']);
});

test('another interface version is accepted with a warning', async () => {
  const server = await serve((_request, response) =>
    sendJson(response, 200, envelope({ server_version: '24.19' }, '2.0')),
  );
  const result = await run(server.baseUrl);
  expect(result).toMatchObject({
    isOk: true,
    apiVersion: '2.0',
    title: 'Connected, other interface version',
  });
  expect(result.message).toContain('2.0');
});

test.each<[string, Script, ErrorCode]>([
  [
    'a web page',
    (_q, response) => void response.writeHead(200).end('<html>Welcome</html>'),
    'NOT_THIS_SERVICE',
  ],
  ['another JSON', (_q, response) => sendJson(response, 200, { status: 'UP' }), 'NOT_THIS_SERVICE'],
  [
    'another JSON with data',
    (_q, response) => sendJson(response, 200, { data: { id: 1 } }),
    'NOT_THIS_SERVICE',
  ],
  [
    'a web server without the path',
    (_q, response) => void response.writeHead(404).end('<h1>404</h1>'),
    'NOT_THIS_SERVICE',
  ],
  ...[200, 400, 404, 405, 501].map((status): [string, Script, ErrorCode] => [
    `plain text with status ${status}`,
    (_q, response) => void response.writeHead(status, { 'Content-Type': 'text/plain' }).end('{nothing here'),
    'NOT_THIS_SERVICE',
  ]),
  [
    'truncated JSON',
    (_q, response) => void response.writeHead(200).end('{"api_version":"3.0","da'),
    'ANSWER_INVALID',
  ],
  ['401', (_q, response) => sendError(response, 401, 'Invalid token'), 'UNAUTHORIZED'],
  ['403 everywhere', (_q, response) => sendError(response, 403, 'Not allowed'), 'FORBIDDEN'],
  ['429', (_q, response) => sendError(response, 429, 'Slow down'), 'RATE_LIMITED'],
  ['503', (_q, response) => sendError(response, 503, 'Maintenance'), 'SERVICE_UNAVAILABLE'],
  [
    'a redirect',
    (_q, response) => void response.writeHead(302, { Location: 'https://login.example/' }).end(),
    'REDIRECTED',
  ],
])('%s', async (_name, script, code) => {
  const server = await serve(script);
  expectFailure(await run(server.baseUrl), code);
});

test('the token is sent to the typed address alone: a redirect target is not requested', async () => {
  const other = await serve((_q, response) => sendJson(response, 200, envelope({ server_version: '1' })));
  for (const status of [301, 302, 307, 308]) {
    const location = `${other.baseUrl}/v3/server-info`;
    const server = await serve(
      (_q, response) => void response.writeHead(status, { Location: location }).end(),
    );
    expectFailure(await run(server.baseUrl), 'REDIRECTED');
  }
  expect(other.received).toEqual([]);
});

test('reports that nothing listens, that no such host exists, plain http to another computer, and an invalid address', async () => {
  const server = await serve(() => undefined);
  await server.stop();
  expectFailure(await run(server.baseUrl), 'CONNECTION_REFUSED');
  expectFailure(await run(`https://${NO_SUCH_HOST}`), 'DNS_FAILED');
  expectFailure(await run('http://monitoring.example.com'), 'INSECURE_URL');
  expectFailure(await run('https://'), 'INVALID_ARGUMENT');
  expectFailure(await run('https://no-such-host.invalid', { proxyUrl: server.baseUrl }), 'PROXY_FAILED');
  expectFailure(await run('https://localhost', { extraCaFile: '/nowhere/ca.pem' }), 'INVALID_ARGUMENT');
});

test('no time is shown if nothing answered, and advice is given once', async () => {
  const server = await serve((_request, response) => sendJson(response, 200, { status: 'UP' }));
  const insecure = await run('http://monitoring.example.com');
  expect(insecure).toMatchObject({ elapsedMs: null, nextStep: expect.stringContaining('allow plain http') });
  expect(insecure.message).not.toMatch(/allow plain http|Use https/);
  const other = await run(server.baseUrl);
  expect(other.elapsedMs).toEqual(expect.any(Number));
  expect(other.nextStep).toMatch(/^Another service answers/);
  await server.stop();
  expect(await run(server.baseUrl)).toMatchObject({ code: 'CONNECTION_REFUSED', elapsedMs: null });
});

test('a right-to-left name leaves the rest of the sentence in order', async () => {
  const server = await serve((_request, response) =>
    sendJson(
      response,
      200,
      envelope({ server_version: '1\u202e\u2067evil', organization: { id: '1', name: 'חברה' } }),
    ),
  );
  const { message } = await run(server.baseUrl);
  expect(message).toMatch(
    /^The service of \u2068חברה\u2069 answers at \S+, version 1\ufffd\ufffdevil, and the token/,
  );
});

test('an answer for a cache and an answer that is too large cause no advice to retry', async () => {
  const cached = await serve((_request, response) => void response.writeHead(304).end());
  const answer = await run(cached.baseUrl);
  expectFailure(answer, 'HTTP_ERROR');
  expect(answer.nextStep).toMatch(/cache/);
  const long = await serve((_request, response) =>
    sendJson(response, 200, envelope({ server_version: '1', more: 'x'.repeat(9 * 1_048_576) })),
  );
  const large = await run(long.baseUrl);
  expectFailure(large, 'ANSWER_TOO_LARGE');
  expect(large.nextStep).toMatch(/base URL/);
  expect(large.message).toMatch(/ KB/);
  const endless = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    const piece = 'x'.repeat(1_048_576);
    response.write('{"data":"');
    const more = () => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  const most = await run(endless.baseUrl);
  expect(most.nextStep).toMatch(/base URL/);
  expect(`${most.message} ${most.nextStep}`).not.toMatch(/smaller page|Try again/);
});

/** A service whose certificate is from its own authority, together with the file of that authority. */
async function startTls(valid?: { from: string; to: string }) {
  const folder = new DataFolder();
  cleanUps.push(() => folder[Symbol.dispose]());
  const { key, cert } = selfSigned('localhost', valid);
  const server = createTlsServer({ key, cert }, (_request, response) =>
    sendJson(response, 200, envelope({ server_version: '1' })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  const extraCaFile = folder.file('ca.pem');
  writeFileSync(extraCaFile, cert);
  return { address: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, extraCaFile };
}

test.each([
  ['has expired', { from: '200101000000Z', to: '210101000000Z' }, /date of this computer.+renew/],
  ['is not valid yet', { from: '480101000000Z', to: '490101000000Z' }, /clock.+set date and time/],
])('a certificate that %s: what to do', async (reason, valid, nextStep) => {
  const { address, extraCaFile } = await startTls(valid);
  const result = await run(address, { extraCaFile });
  expectFailure(result, 'TLS_FAILED');
  expect(result.message).toContain(reason);
  expect(result.nextStep).toMatch(nextStep);
  expect(result.nextStep).not.toContain('PEM');
});

test('a network that requires a sign-in is reported: by 511, by a redirect, by a certificate of its own', async () => {
  const portal = await serve((_request, response) => {
    response.writeHead(511, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
  });
  const asked = await run(portal.baseUrl);
  expect(asked).toMatchObject({ isOk: false, code: 'NOT_THIS_SERVICE' });
  const moved = await serve((_request, response) => {
    response.writeHead(302, { location: 'http://login.train.example/' }).end();
  });
  const { address } = await startTls();
  const others = [await run(moved.baseUrl), await run(address)];
  for (const { nextStep } of [asked, ...others]) expect(nextStep).toMatch(/sign-in page.+browser/);
});

test('a certificate of an unknown authority is rejected, and accepted once its authority is given', async () => {
  const { address, extraCaFile } = await startTls();
  expectFailure(await run(address), 'TLS_FAILED');
  expect(await run(address, { extraCaFile })).toMatchObject({ isOk: true, serverVersion: '1' });
});
