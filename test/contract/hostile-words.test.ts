/** Unusual answers at the level of HTTP: each is named correctly, and none is requested again if that cannot help. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { type ClientRig, openClient } from '../helpers/client-rig.ts';
import { type HostileAnswer, HostileServer } from '../helpers/hostile-server.ts';

let server: HostileServer;
let rig: ClientRig | null = null;
beforeAll(async () => {
  server = await HostileServer.start();
});
afterEach(async () => {
  await rig?.[Symbol.asyncDispose]();
  rig = null;
});
afterAll(() => server[Symbol.asyncDispose]());

const HONEST = '{"api_version":"3.0","kind":"NORMAL","data":{"server_version":"1"}}';

function answer(head: string, body = HONEST, end: HostileAnswer['end'] = 'end'): HostileAnswer {
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n`;
  return { pieces: [Buffer.from(`HTTP/1.1 ${head}\r\n${length}\r\n${body}`)], pace: 'at once', end };
}

/** The result of a read that is attempted up to three times. */
async function read(next: HostileAnswer): Promise<unknown> {
  server.next = next;
  server.heard = 0;
  rig = openClient({ baseUrl: server.baseUrl, maxAttempts: 3 });
  const found = await rig.client
    .call('server-info.get', {}, { priority: 'view' })
    .catch((thrown: unknown) => thrown);
  return found;
}

async function failure(next: HostileAnswer): Promise<AppError> {
  const found = await read(next);
  if (found instanceof AppError) return found;
  throw new Error(`No failure: ${JSON.stringify(found)}`);
}

test('an answer with a byte-order mark is read', async () => {
  expect(await read(answer('200 OK', `\uFEFF${HONEST}`))).toMatchObject({ value: { server_version: '1' } });
});

test('headers over the limit are not a lost connection, and are not retried', async () => {
  const many = Array.from({ length: 200 }, (_, index) => `X-Long-${index}: ${'y'.repeat(200)}\r\n`).join('');
  const error = await failure(answer(`200 OK\r\n${many}X-Last: 1`));
  expect(error).toMatchObject({ code: 'ANSWER_TOO_LARGE', details: { outcome: 'unknown' } });
  expect(error.message).toContain('headers');
  expect(server.heard).toBe(1);
});

test('304 is not a redirect', async () => {
  const error = await failure(answer('304 Not Modified\r\nLocation: https://elsewhere.invalid/', ''));
  expect(error).toMatchObject({ code: 'HTTP_ERROR', details: { status: 304 } });
  expect(error.message).toContain('not modified');
  expect(error.message).not.toContain('redirect');
});

test.each([
  ['javascript:alert(document.cookie)', 'a javascript: address'],
  ['data:text/html,<h1>x</h1>', 'a data: address'],
  ['file:///etc/passwd', 'a file: address'],
])('a redirect to %s is named correctly', async (location, words) => {
  const error = await failure(answer(`302 Found\r\nLocation: ${location}`, ''));
  expect(error.code).toBe('REDIRECTED');
  expect(error.message).toContain(words);
  expect(`${error.message} ${error.details.nextStep}`).not.toMatch(/null|base URL|cookie|passwd/);
  expect(server.heard).toBe(1);
});

test('an endless series of interim answers is ended and named', async () => {
  const interim = Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(50));
  // The answer ends at some time, so that a client that would read forever fails this test instead of blocking it.
  const error = await failure({ pieces: [interim], pace: 'at once', end: 'end' });
  expect(error).toMatchObject({ code: 'NOT_THIS_SERVICE', details: { outcome: 'unknown' } });
  expect(error.message).toContain('1xx');
  expect(server.heard).toBe(1);
});

test('a few interim answers before the final one are allowed', async () => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(5);
  const whole = answer('200 OK');
  const pieces = [Buffer.from(hints), ...whole.pieces];
  expect(await read({ ...whole, pieces })).toMatchObject({ value: { server_version: '1' } });
});

test('an unasked 100 Continue, which the HTTP client cannot skip, is named', async () => {
  const whole = answer('200 OK');
  const pieces = [Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), ...whole.pieces];
  const error = await failure({ ...whole, pieces });
  expect(error).toMatchObject({ code: 'NOT_THIS_SERVICE', details: { outcome: 'unknown' } });
  expect(error.message).toContain('“100 Continue”');
  expect(server.heard).toBe(1);
});
