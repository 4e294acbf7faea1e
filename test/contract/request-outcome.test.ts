/** Whether a request was sent: `unsent` is reported only if no byte of it can have been sent. */
import { expect, test } from 'vitest';
import { clientBench, EVENTS, failure, NO_SUCH_HOST, UPLOAD, VIEW } from '../helpers/client-bench.ts';
import { type Script, sendPage } from '../helpers/scripted-server.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const { serve, connect, tcp } = clientBench();

test('refused: certainly not sent', async () => {
  const server = await serve(() => undefined);
  await server.stop();
  const rig = connect({ baseUrl: server.baseUrl });
  const error = await failure(rig.client.call('events.publish', EVENTS, UPLOAD));
  expect(error).toMatchObject({ code: 'CONNECTION_REFUSED', details: { outcome: 'unsent' } });
});

test('a host name that does not exist: certainly not sent', async () => {
  const rig = connect({ baseUrl: `https://${NO_SUCH_HOST}` });
  const error = await failure(rig.client.call('events.publish', EVENTS, UPLOAD));
  expect(error).toMatchObject({ code: 'DNS_FAILED', details: { outcome: 'unsent' } });
});

test('TLS with a server that does not speak it: certainly not sent', async () => {
  const address = await tcp((socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  const rig = connect({ baseUrl: address.replace('http:', 'https:') });
  const error = await failure(rig.client.call('events.publish', EVENTS, UPLOAD));
  expect(error).toMatchObject({ code: 'TLS_FAILED', details: { outcome: 'unsent' } });
});

test('the connection ends after the request was read: unknown', async () => {
  const server = await serve((_request, response) => response.destroy());
  const rig = connect({ baseUrl: server.baseUrl });
  const error = await failure(rig.client.call('events.publish', EVENTS, UPLOAD));
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', details: { outcome: 'unknown' } });
  expect(server.received).toHaveLength(1);
});

test('the answer ends in the middle of its body: unknown', async () => {
  const server = await serve((_request, response) => {
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write('{"api_version"', () => response.destroy());
  });
  const rig = connect({ baseUrl: server.baseUrl });
  const error = await failure(rig.client.call('events.publish', EVENTS, UPLOAD));
  expect(error).toMatchObject({ code: 'CONNECTION_LOST', details: { outcome: 'unknown' } });
});

test('no answer in time: unknown', async () => {
  const httpClock = new VirtualClock();
  const server = await serve(() => httpClock.advance(20_000));
  const rig = connect({ baseUrl: server.baseUrl, httpClock });
  const error = await failure(rig.client.call('events.publish', EVENTS, { ...UPLOAD, timeoutMs: 20_000 }));
  expect(error).toMatchObject({ code: 'TIMEOUT', details: { outcome: 'unknown' } });
});

test.each<[string, Script]>([
  ['before the answer', () => undefined],
  ['in the middle of the answer', (_request, response) => response.write('{"api_version"')],
])('a service that falls silent %s: unknown', async (_when, script) => {
  const server = await serve(script);
  const rig = connect({ baseUrl: server.baseUrl, limits: { silenceTimeoutMs: 150 } });
  const error = await failure(rig.client.call('events.publish', EVENTS, UPLOAD));
  expect(error).toMatchObject({ code: 'TIMEOUT', details: { outcome: 'unknown' } });
});

test('bytes that are not HTTP mean another service', async () => {
  const address = await tcp((socket) => {
    socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n'));
  });
  const rig = connect({ baseUrl: address });
  expect(await failure(rig.client.list('applications.list', {}, VIEW))).toMatchObject({
    code: 'NOT_THIS_SERVICE',
  });
});

test('a request cancelled in flight has an unknown outcome; one cancelled earlier was certainly not sent', async () => {
  const stop = new AbortController();
  const server = await serve(() => stop.abort());
  const rig = connect({ baseUrl: server.baseUrl });
  const flying = await failure(rig.client.call('events.publish', EVENTS, { ...UPLOAD, signal: stop.signal }));
  expect(flying.code).toBe('CANCELLED');
  expect(flying.details.outcome).not.toBe('unsent');
  const early = await failure(rig.client.call('events.publish', EVENTS, { ...UPLOAD, signal: stop.signal }));
  expect(early).toMatchObject({ code: 'CANCELLED', details: { outcome: 'unsent' } });
  expect(server.received).toHaveLength(1);
});

test('a socket that was closed while idle does not lose the next request', async () => {
  const server = await serve((request, response) => sendPage(response, [], request));
  const rig = connect({ baseUrl: server.baseUrl });
  await rig.client.list('applications.list', {}, VIEW);
  await server.stop();
  await server.listen();
  await rig.client.list('applications.list', {}, VIEW);
  expect(server.received).toHaveLength(2);
});

test('a missing proxy, and one that refuses: certainly not sent', async () => {
  const gone = await serve(() => undefined);
  await gone.stop();
  const absent = connect({ baseUrl: 'https://example.invalid', proxyUrl: gone.baseUrl });
  const first = await failure(absent.client.call('events.publish', EVENTS, UPLOAD));
  expect(first).toMatchObject({ code: 'PROXY_FAILED', details: { outcome: 'unsent' } });
  const address = await tcp((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'));
  });
  const refusing = connect({ baseUrl: 'https://example.invalid', proxyUrl: address });
  const second = await failure(refusing.client.call('events.publish', EVENTS, UPLOAD));
  expect(second).toMatchObject({ code: 'PROXY_FAILED', details: { outcome: 'unsent' } });
  expect(second.message).toContain('403');
});
