/** A service with a company's own certificate authority, reached through the company's proxy, over real sockets. */

import { createPrivateKey } from 'node:crypto';
import { on } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createSecureServer as createHttp2Server } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect as connectSocket,
  createServer as createSocketServer,
  type Socket,
} from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { createHttpClient, type HttpClient } from '../../electron/api/http-client.ts';
import { credentialsOf, type Surroundings } from '../../electron/api/http-transport.ts';
import type { Environment } from '../../electron/api/proxy-route.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { systemCertificates } from '../../electron/platform/system-certificates.ts';
import type { ConnectionSecrets } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
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

/** A service with its own certificate authority, which answers every request. */
async function startService() {
  const { key, cert } = selfSigned(HOST);
  const tokens: (string | undefined)[] = [];
  const server = createTlsServer({ key, cert }, (request, response) => {
    tokens.push(request.headers.authorization);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  return { port: await listen(server), key, cert, tokens };
}

/** A proxy that requires a password, and connects every host name to one port of this computer. */
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
    connectOnward(socket, port);
  });
  return { port: await listen(proxy), asked };
}

/** Connects a client of a proxy to a port of this computer. */
function connectOnward(socket: Duplex, port: number): void {
  const onward = connectSocket(port, '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    onward.pipe(socket).pipe(onward);
  });
  for (const end of [onward, socket]) end.on('error', () => socket.destroy());
  socket.on('close', () => onward.destroy());
}

/** A proxy that is reached over TLS, and connects every host name to one port of this computer. */
async function startTlsProxy(port: number, { key, cert }: { key: string; cert: string }) {
  const asked: string[] = [];
  const proxy = createTlsServer({ key, cert });
  proxy.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    connectOnward(socket, port);
  });
  return { port: await listen(proxy), asked };
}

interface ClientOptions {
  extraCaFile?: string;
  environment?: Environment;
  certificates?: string[];
  proxyUrl?: string;
  proxyUser?: string;
  clientCertFile?: string;
  secrets?: ConnectionSecrets;
  connectTimeoutMs?: number;
}

function client(
  address: string,
  { environment = {}, certificates = [], secrets = {}, connectTimeoutMs, ...options }: ClientOptions = {},
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
    proxyUrl: options.proxyUrl ?? null,
    extraCaFile: options.extraCaFile ?? null,
    credentials: credentialsOf(options, async (kind) => secrets[kind] ?? null),
    ...(connectTimeoutMs === undefined ? {} : { limits: { connectTimeoutMs } }),
    surroundings,
    clock: systemClock,
    userAgent: 'test',
  });
  cleanUps.push(() => http.close());
  return { http, asked: () => asked };
}

const REQUEST = { method: 'GET', target: '/v3/x', operation: 'GET /v3/x' } as const;

test('an authority that the system trusts is found at the first rejection, and read once', async () => {
  const service = await startService();
  const { http, asked } = client(`https://127.0.0.1:${service.port}`, { certificates: [service.cert] });
  // Several requests at the same time, as the first sockets of a connection are all rejected in the same way.
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

test('an untrusted one stays rejected, and no token is sent', async () => {
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

test('a proxy of the environment with its password; NO_PROXY bypasses it', async () => {
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

test('a proxy that requires another password is named, and the password is not', async () => {
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

test("the system's certificate authorities are read in a thread", async () => {
  for (const pem of await systemCertificates()) expect(pem).toMatch(/^-----BEGIN CERTIFICATE-----/);
});

/** A SOCKS 5 proxy that connects every host name to one port of this computer. `login`: `user:password`. */
async function startSocks(port: number, login: string | null) {
  const asked: string[] = [];
  const proxy = createSocketServer((socket) => {
    socket.on('error', () => socket.destroy());
    void serveSocks(socket, port, login, asked);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => proxy.close());
  return { port: (proxy.address() as AddressInfo).port, asked };
}

async function serveSocks(
  socket: Socket,
  port: number,
  login: string | null,
  asked: string[],
): Promise<void> {
  const messages = on(socket, 'data');
  const next = async (): Promise<Buffer> => ((await messages.next()).value as [Buffer])[0];
  const methods = (await next()).subarray(2);
  const wanted = login === null ? 0 : 2;
  if (!methods.includes(wanted)) {
    socket.end(Buffer.from([5, 0xff]));
    return;
  }
  socket.write(Buffer.from([5, wanted]));
  if (login !== null) {
    const given = await next();
    const userLength = given[1] ?? 0;
    const [user, password] = [given.subarray(2, 2 + userLength), given.subarray(3 + userLength)];
    const isRight = `${user.toString()}:${password.toString()}` === login;
    socket.write(Buffer.from([1, isRight ? 0 : 1]));
    if (!isRight) return;
  }
  const request = await next();
  const name = request.subarray(5, 5 + (request[4] ?? 0)).toString();
  asked.push(`${name}:${request.readUInt16BE(request.length - 2)}`);
  if (name.startsWith('forbidden')) {
    socket.end(Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]));
    return;
  }
  const onward = connectSocket(port, '127.0.0.1', async () => {
    await messages.return?.();
    // In two pieces, because a handshake may arrive in several.
    socket.write(Buffer.from([5, 0, 0, 3, 4]));
    socket.write(Buffer.from('here\0\0'));
    onward.pipe(socket).pipe(onward);
  });
  for (const end of [onward, socket]) end.on('error', () => socket.destroy());
  socket.on('close', () => onward.destroy());
}

test('the proxy of a connection receives the user name and password that were entered for it', async () => {
  const service = await startService();
  const proxy = await startProxy(service.port);
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  const login = { proxyUser: 'me', secrets: { proxy: PASSWORD } };
  const certificates = [service.cert];
  const { http } = client(`https://${HOST}`, { proxyUrl, certificates, ...login });
  expect(await http.send(REQUEST)).toMatchObject({ status: 200 });
  expect(http.reach()).toMatch(/^Through 127\.0\.0\.1:\d+: as set in the connection\. /);
  expect(http.reach()).not.toContain(PASSWORD);

  // A proxy that comes from another source does not receive the login.
  const other = client(`https://${HOST}`, { environment: { HTTPS_PROXY: proxyUrl }, certificates, ...login });
  expect(await other.http.send(REQUEST)).toMatchObject({
    error: { code: 'PROXY_FAILED', message: expect.stringContaining('407') },
  });
});

test.each(['file', 'system'] as const)(
  'the certificate of a proxy is checked against the authorities of the %s too',
  async (from) => {
    const service = await startService();
    const proxy = await startTlsProxy(service.port, service);
    const proxyUrl = `https://127.0.0.1:${proxy.port}`;
    using folder = new DataFolder();
    const extraCaFile = folder.file('company.pem');
    writeFileSync(extraCaFile, service.cert);
    const trust = from === 'file' ? { extraCaFile } : { certificates: [service.cert] };
    const { http } = client(`https://${HOST}`, { proxyUrl, ...trust });
    expect(await http.send(REQUEST)).toMatchObject({ status: 200 });
    expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:443`]));
    const distrustful = client(`https://${HOST}`, { proxyUrl });
    expect(await distrustful.http.send(REQUEST)).toMatchObject({
      ...{ kind: 'failed', outcome: 'unsent' },
      error: { message: expect.stringContaining(`of ${HOST} or the proxy 127.0.0.1:${proxy.port} is not`) },
    });
    expect(service.tokens).toEqual(['Bearer the-token']);
  },
);

test.each([
  ['without a login', null, {}],
  ['with a password', `mé:${PASSWORD}`, { proxyUser: 'mé', secrets: { proxy: PASSWORD } }],
])('a SOCKS proxy %s resolves the name, and the certificate is checked', async (_, expected, login) => {
  const service = await startService();
  const proxy = await startSocks(service.port, expected);
  const proxyUrl = `socks5://127.0.0.1:${proxy.port}`;
  const { http } = client(`https://${HOST}`, { proxyUrl, certificates: [service.cert], ...login });
  expect(await http.send(REQUEST)).toMatchObject({ status: 200 });
  expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:443`]));
  expect(service.tokens).toEqual(['Bearer the-token']);
  const distrustful = client(`https://${HOST}`, { proxyUrl, ...login });
  expect(await distrustful.http.send(REQUEST)).toMatchObject({ error: { code: 'TLS_FAILED' } });
  expect(service.tokens).toHaveLength(1);
});

test('a rejection by a SOCKS proxy is reported, and no token is sent', async () => {
  const service = await startService();
  const proxy = await startSocks(service.port, `me:${PASSWORD}`);
  const proxyUrl = `socks5h://127.0.0.1:${proxy.port}`;
  const failure = async (address: string, options: Parameters<typeof client>[1]) => {
    const answer = await client(address, { proxyUrl, certificates: [service.cert], ...options }).http.send(
      REQUEST,
    );
    expect(answer).toMatchObject({ kind: 'failed', outcome: 'unsent', error: { code: 'PROXY_FAILED' } });
    expect(JSON.stringify(answer)).not.toContain('wrong-secret');
    return answer.kind === 'failed' ? answer.error.message : '';
  };
  expect(await failure(`https://${HOST}`, {})).toMatch(/asks for a sign-in that was not given/);
  const wrong = { proxyUser: 'me', secrets: { proxy: 'wrong-secret' } };
  expect(await failure(`https://${HOST}`, wrong)).toMatch(/refused the user name or the password/);
  const right = { proxyUser: 'me', secrets: { proxy: PASSWORD } };
  expect(await failure('https://forbidden.example.com', right)).toMatch(/its rules do not allow it/);
  // Another program listens at the port, and mistakes the greeting for a request.
  const web = await startProxy(service.port);
  const taken = await failure(`https://${HOST}`, { proxyUrl: `socks5://127.0.0.1:${web.port}` });
  expect(taken).toMatch(/is not a SOCKS 5 proxy|did not connect/);
  expect(service.tokens).toEqual([]);
});

test('a SOCKS proxy that never answers is given up after the connect timeout', async () => {
  const silent = createSocketServer((socket) => cleanUps.push(() => socket.destroy()));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => silent.close());
  const proxyUrl = `socks5://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { http } = client(`https://${HOST}`, { proxyUrl, connectTimeoutMs: 50 });
  expect(await http.send(REQUEST)).toMatchObject({
    kind: 'failed',
    outcome: 'unsent',
    error: { code: 'TIMEOUT' },
  });
});

/** A service that accepts only clients with a certain certificate. */
async function startStrictService(known: string) {
  const { key, cert } = selfSigned(HOST);
  const seen: (string | undefined)[] = [];
  const server = createTlsServer(
    { key, cert, ca: [known], requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      seen.push(request.headers.authorization);
      response.setHeader('content-type', 'application/json').end('{}');
    },
  );
  return { port: await listen(server), cert, seen };
}

test('a client certificate is accepted by a service that requires one: PEM with and without a passphrase', async () => {
  const mine = selfSigned('mara');
  const service = await startStrictService(mine.cert);
  const address = `https://127.0.0.1:${service.port}`;
  const folder = new DataFolder();
  cleanUps.push(() => folder[Symbol.dispose]());
  const clientCertFile = folder.file('mara.pem');
  const certificates = [service.cert];

  writeFileSync(clientCertFile, mine.cert + mine.key);
  const open = client(address, { certificates, clientCertFile });
  expect(await open.http.send(REQUEST)).toMatchObject({ status: 200 });
  expect(open.http.reach()).toContain('The client certificate mara.pem is shown to the service if it asks.');
  expect(open.http.reach()).not.toContain(folder.path);

  const locked = createPrivateKey(mine.key).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: PASSWORD,
  });
  writeFileSync(clientCertFile, mine.cert + locked.toString());
  const sealed = client(address, { certificates, clientCertFile, secrets: { certificate: PASSWORD } });
  expect(await sealed.http.send(REQUEST)).toMatchObject({ status: 200 });

  const unusable = { kind: 'failed', outcome: 'unsent', error: { code: 'INVALID_ARGUMENT' } };
  const wrong = client(address, { certificates, clientCertFile, secrets: { certificate: 'wrong-secret' } });
  const refused = await wrong.http.send(REQUEST);
  expect(refused).toMatchObject(unusable);
  expect(JSON.stringify(refused)).not.toContain('wrong-secret');
  for (const text of ['no certificate', mine.cert]) {
    writeFileSync(clientCertFile, text);
    expect(await client(address, { certificates, clientCertFile }).http.send(REQUEST)).toMatchObject(
      unusable,
    );
  }
  const gone = client(address, { certificates, clientCertFile: folder.file('gone.p12') });
  expect(await gone.http.send(REQUEST)).toMatchObject(unusable);
  expect(service.seen).toHaveLength(2);
});

test('a service that rejects the handshake may require a client certificate: the message says so', async () => {
  // The fatal alert 40, which OpenSSL sends over TLS 1.2 to a client without a certificate.
  const alert = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);
  const server = createSocketServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(alert));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => server.close());
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await client(address).http.send(REQUEST)).toMatchObject({
    kind: 'failed',
    outcome: 'unsent',
    error: { code: 'TLS_FAILED', message: expect.stringContaining('may ask for a client certificate') },
  });
});

test('a service that speaks only HTTP/2, and one that speaks only an old TLS, are not reported as an untrusted certificate', async () => {
  const { key, cert } = selfSigned(HOST);
  const modern = createHttp2Server({ key, cert });
  const old = createTlsServer({
    key,
    cert,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0',
  });
  for (const [server, words] of [
    [modern, /does not speak HTTP\/1\.1 .*ALERT_NO_APPLICATION_PROTOCOL/],
    [old, /No encrypted connection to .+ could be agreed on .*(PROTOCOL|VERSION)/],
  ] as const) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUps.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const sent = await client(`https://127.0.0.1:${port}`, { certificates: [cert] }).http.send(REQUEST);
    expect(sent).toMatchObject({
      kind: 'failed',
      outcome: 'unsent',
      error: { code: 'TLS_FAILED', message: expect.stringMatching(words) },
    });
  }
});
