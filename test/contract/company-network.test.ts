/** A service behind a company's own certificate authority, and behind its proxy, over real sockets. */
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect as connectSocket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { createHttpClient, type HttpClient } from '../../electron/api/http-client.ts';
import type { Surroundings } from '../../electron/api/http-way.ts';
import type { Environment } from '../../electron/api/proxy-route.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { systemCertificates } from '../../electron/platform/system-certificates.ts';
import { selfSigned } from '../helpers/self-signed.ts';

const HOST = 'monitoring.example.com';
const PASSWORD = 'pass word%';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** A service that answers everything, with its own authority. */
async function startService() {
  const { key, cert } = selfSigned(HOST);
  const tokens: (string | undefined)[] = [];
  const server = createTlsServer({ key, cert }, (request, response) => {
    tokens.push(request.headers.authorization);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  return { port: await listen(server), cert, tokens };
}

/** A proxy that asks for a password and leads every name to one port of this computer. */
async function startProxy(port: number) {
  const asked: string[] = [];
  const expected = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`;
  const proxy = createServer();
  proxy.on('connect', (request, socket) => {
    if (request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    asked.push(request.url ?? '');
    const onward = connectSocket(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  return { port: await listen(proxy), asked };
}

function client(
  address: string,
  { environment = {}, certificates = [] }: { environment?: Environment; certificates?: string[] } = {},
): { http: HttpClient; asked: () => number } {
  let asked = 0;
  const surroundings: Surroundings = {
    environment,
    systemProxy: null,
    systemCertificates: async () => {
      asked += 1;
      return certificates;
    },
  };
  const http = createHttpClient({
    baseUrl: parseBaseUrl(address, { allowsPlainHttp: false }),
    token: () => 'the-token',
    proxyUrl: null,
    extraCaFile: null,
    surroundings,
    clock: systemClock,
    userAgent: 'test',
  });
  cleanUps.push(() => http.close());
  return { http, asked: () => asked };
}

const REQUEST = { method: 'GET', target: '/v3/x', operation: 'GET /v3/x' } as const;

test('an authority that the system trusts is found at the first refusal, and asked for once', async () => {
  const service = await startService();
  const { http, asked } = client(`https://127.0.0.1:${service.port}`, { certificates: [service.cert] });
  // Several at once: the first sockets of a connection meet the same refusal.
  const answers = await Promise.all([http.send(REQUEST), http.send(REQUEST), http.send(REQUEST)]);
  expect(answers).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
  const needed = asked();
  expect(await http.send(REQUEST)).toMatchObject({ status: 200 });
  expect(asked()).toBe(needed);
  expect(http.reach()).toBe(
    'Directly: it runs on this computer. Certificates are checked against the built-in authorities, 1 of the system.',
  );
  expect(service.tokens).toHaveLength(4);
});

test('one that nobody trusts stays refused, and no token leaves', async () => {
  const service = await startService();
  const others = client(`https://127.0.0.1:${service.port}`, { certificates: [selfSigned().cert] });
  for (let round = 0; round < 2; round += 1) {
    expect(await others.http.send(REQUEST)).toMatchObject({
      kind: 'failed',
      outcome: 'unsent',
      error: { code: 'TLS_FAILED' },
    });
  }
  expect(service.tokens).toEqual([]);
});

test('a proxy of the environment with its password; NO_PROXY goes past it', async () => {
  const service = await startService();
  const proxy = await startProxy(service.port);
  const address = `http://me:${encodeURIComponent(PASSWORD)}@127.0.0.1:${proxy.port}`;
  const certificates = [service.cert];
  const { http } = client(`https://${HOST}`, { environment: { HTTPS_PROXY: address }, certificates });
  expect(await http.send(REQUEST)).toMatchObject({ status: 200 });
  expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:443`]));
  expect(service.tokens).toEqual(['Bearer the-token']);
  expect(http.reach()).toMatch(/^Through 127\.0\.0\.1:\d+: as set in HTTPS_PROXY\. /);

  const environment = { HTTPS_PROXY: address, NO_PROXY: 'localhost.test, no-such-host.invalid' };
  const past = client('https://no-such-host.invalid', { environment });
  expect(await past.http.send(REQUEST)).toMatchObject({ kind: 'failed', error: { code: 'DNS_FAILED' } });
  expect(past.http.reach()).toMatch(/^Directly: as set in NO_PROXY/);
});

test('a proxy that asks for another password is named, and the password is not', async () => {
  const service = await startService();
  const proxy = await startProxy(service.port);
  const environment = { HTTPS_PROXY: `http://me:wrong-secret@127.0.0.1:${proxy.port}` };
  const { http } = client(`https://${HOST}`, { environment, certificates: [service.cert] });
  const answer = await http.send(REQUEST);
  expect(answer).toMatchObject({
    kind: 'failed',
    outcome: 'unsent',
    error: {
      code: 'PROXY_FAILED',
      message: `The proxy 127.0.0.1:${proxy.port} refused ${HOST} with status 407.`,
      details: { nextStep: expect.stringContaining('user name and a password') },
    },
  });
  expect(JSON.stringify([answer, http.reach()])).not.toContain('wrong-secret');
});

test("this system's authorities are read in a thread", async () => {
  for (const pem of await systemCertificates()) expect(pem).toMatch(/^-----BEGIN CERTIFICATE-----/);
});
