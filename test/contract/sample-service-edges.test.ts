/**
 * Requests that are no operation, not JSON or not HTTP are always answered with an envelope, and are counted in the
 * report.
 */
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

let raw: RawService;
beforeEach(async () => {
  raw = await RawService.start({ isEmpty: true, settings: { maxBodyBytes: 2_000 } });
});
afterEach(() => raw.service.stop());

/** Sends bytes unchanged, and returns all bytes that are received. */
function exchangeBytes(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => {
      received += part;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

describe('routes', () => {
  it('unknown paths are 404, known paths with another method 405 with Allow', async () => {
    const unknown = await raw.call('GET', '/v3/planets');
    expect(unknown.status).toBe(404);
    const wrong = await raw.call('PATCH', '/v3/projects', { body: {} });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET, POST');
    expect((await raw.call('PUT', '/v3/events', { body: {} })).headers.get('allow')).toBe(
      'POST, PATCH, DELETE',
    );
    expect((await raw.call('GET', '/')).status).toBe(404);
    expect((await raw.call('GET', '/v3/projects/')).status).toBe(404);
    expect(raw.service.report().unknownRoutes).toBe(5);
  });

  it('strange paths are answered, never crash', async () => {
    for (const path of [
      '/v3/%zz',
      '/v3//projects',
      '/v3/applications/%00',
      '/v3/../v3/x',
      '/v3/models/%F0%9F',
    ]) {
      const answer = await raw.call('GET', path);
      expect([400, 404]).toContain(answer.status);
    }
  });
});

describe('request bodies', () => {
  const send = (text: string, headers: Record<string, string> = {}) =>
    raw.call('POST', '/v3/events', { text, headers });

  it.each(['{', '', 'null', '[]', '"text"', '{"model_id": 7}', '{"model_id":"x","env_type":"PRODUCTION"}'])(
    'reject %j with the reason',
    async (text) => {
      const answer = await send(text);
      expect(answer.status).toBe(400);
      expect(raw.service.report().malformedRequests).toBe(1);
    },
  );

  it('names every invalid field', async () => {
    const answer = await send(
      JSON.stringify({ model_id: 'x', env_type: 3, source: { type: 'EVENTS', events: [1] } }),
    );
    const messages = answer.envelope.error?.errors.map((issue) => issue.message) ?? [];
    expect(messages.some((message) => message.startsWith('model_id:'))).toBe(true);
    expect(messages.some((message) => message.startsWith('env_type:'))).toBe(true);
    expect(messages.some((message) => message.startsWith('source.events[0]:'))).toBe(true);
  });

  it('must be JSON in UTF-8, and say so', async () => {
    expect((await send('{}', { 'Content-Type': 'text/plain' })).envelope.error?.message).toContain(
      'application/json',
    );
    const bytes = await fetch(`${raw.service.baseUrl}/v3/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect(bytes.status).toBe(400);
    expect(await bytes.json()).toMatchObject({ kind: 'ERROR', error: { code: 400 } });
  });

  it('above the limit are 413, announced or in chunks', async () => {
    expect((await send(JSON.stringify({ text: 'x'.repeat(3_000) }))).status).toBe(413);
    const parts = new ReadableStream({
      start(controller) {
        for (let part = 0; part < 4; part += 1)
          controller.enqueue(new TextEncoder().encode(' '.repeat(1_000)));
        controller.close();
      },
    });
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      body: parts,
      duplex: 'half',
    };
    const chunked = await fetch(`${raw.service.baseUrl}/v3/events`, init);
    expect(chunked.status).toBe(413);
    expect(await chunked.json()).toMatchObject({ kind: 'ERROR', error: { code: 413 } });
  });
});

describe('invalid HTTP', () => {
  it('is answered in the envelope', async () => {
    const received = await exchangeBytes(raw.service.port, 'HELLO\r\n\r\n');
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain('"kind":"ERROR"');
    const noHost = await exchangeBytes(
      raw.service.port,
      'GET /v3/projects HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n',
    );
    expect(noHost).toContain('"kind":"ERROR"');
  });

  it('headers that are too large', async () => {
    const received = await exchangeBytes(
      raw.service.port,
      `GET /v3/projects HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 431 /);
    expect(received).toContain('"code":431');
  });
});

describe('the report endpoint', () => {
  it('reads and clears the report without a token', async () => {
    await raw.call('GET', '/v3/projects', { token: null });
    await raw.call('GET', '/v3/projects?colour=red');
    const report = JSON.parse((await raw.raw('GET', '/__sample/report', { token: null })).text);
    expect(report).toMatchObject({
      requests: 2,
      violations: 1,
      missingCredentials: 1,
      unknownParameters: 1,
      peakConcurrency: 1,
      operations: { 'projects.list': { requests: 1, statuses: { 200: 1 } } },
    });
    expect(report.latest[0]).toMatchObject({ kind: 'missingCredentials', endpoint: 'GET /v3/projects' });
    await raw.raw('POST', '/__sample/clear-report', { token: null });
    expect(raw.service.report()).toMatchObject({ requests: 0, violations: 0, latest: [] });
  });

  it('never contains a token', async () => {
    await raw.call('GET', '/v3/projects', { token: 'some-secret-word' });
    const text = (await raw.raw('GET', '/__sample/report')).text;
    expect(text).not.toContain('some-secret-word');
    expect(text).not.toContain(TOKEN);
  });

  it('rejects web pages and other host names', async () => {
    const page = await raw.raw('GET', '/__sample/report', { headers: { Origin: 'https://example.invalid' } });
    expect(page.status).toBe(403);
    const rebound = await exchangeBytes(
      raw.service.port,
      'GET /__sample/report HTTP/1.1\r\nHost: example.invalid\r\nConnection: close\r\n\r\n',
    );
    expect(rebound).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('the empty workspace has one project and nothing else', async () => {
    expect((await raw.page('/v3/projects')).total).toBe(1);
    for (const path of ['applications', 'models', 'environments', 'attributes', 'evals/datasets']) {
      expect((await raw.page(`/v3/${path}`)).total).toBe(0);
    }
  });
});
