/** The log of requests to real servers contains every attempt, and no private data. */
import { describe, expect, test } from 'vitest';
import { withoutToken } from '../../electron/api/call-trace.ts';
import { clientBench, EVENTS, failure, MODEL_ID, UPLOAD, VIEW } from '../helpers/client-bench.ts';
import { RIG_TOKEN } from '../helpers/client-rig.ts';
import { sendError, sendJson, sendPage } from '../helpers/scripted-server.ts';

const { serve, connect } = clientBench();
const OK = { api_version: '3.0', kind: 'NORMAL', data: {} };

describe('attempts in the request log', () => {
  test('lists each with its status, its rate headers unchanged, and the reason for a retry', async () => {
    const server = await serve((request, response) => {
      const count = server.received.length;
      if (count === 2) {
        sendError(response, 500, 'Down');
        return;
      }
      response.setHeader('X-RateLimit-Limit', '30 per 1 second; 1000 per 1 minute');
      response.setHeader('X-RateLimit-Remaining', String(30 - count));
      response.setHeader('X-RateLimit-Reset', '1777636800');
      if (count > 1) {
        sendPage(response, [], request);
        return;
      }
      response.setHeader('Retry-After', '0.01');
      sendError(response, 429, 'Too many');
    });
    const rig = connect({ baseUrl: server.baseUrl, maxAttempts: 3 });
    await rig.client.list('applications.list', {}, { priority: 'upload', group: 'a group' });
    const [row] = rig.log;
    expect(row).toMatchObject({
      operation: 'GET /v3/applications',
      origin: server.baseUrl,
      attempts: 3,
      status: 200,
      group: 'a group',
      priority: 'upload',
      isShared: false,
      body: null,
      bodyKept: 'none',
      error: null,
    });
    const limit = '30 per 1 second; 1000 per 1 minute';
    expect(row?.tries).toMatchObject([
      { status: 429, rate: { limit, remaining: '29', reset: '1777636800', retryAfter: '0.01' } },
      { status: 500, rate: { limit: null, remaining: null }, outcome: 'answered' },
      { status: 200, rate: { remaining: '27', retryAfter: null }, retriedFor: null },
    ]);
    expect(row?.tries[0]?.retriedFor).toContain('429');
    expect(row?.tries[1]?.retriedFor).toContain('500');
    const [first, second, third] = row?.tries ?? [];
    expect(row?.startedAtMs).toBeLessThanOrEqual(first?.sentAtMs ?? 0);
    expect(second?.sentAtMs).toBeGreaterThanOrEqual((first?.sentAtMs ?? 0) + 10);
    expect(row?.atMs).toBeGreaterThanOrEqual(third?.sentAtMs ?? Number.POSITIVE_INFINITY);
  });

  test('one that was cancelled in flight is listed, its outcome unknown', async () => {
    const abort = new AbortController();
    const server = await serve(() => abort.abort());
    const rig = connect({ baseUrl: server.baseUrl });
    await failure(rig.client.list('applications.list', {}, { ...VIEW, signal: abort.signal }));
    expect(rig.log[0]).toMatchObject({
      status: null,
      errorCode: 'CANCELLED',
      attempts: 1,
      tries: [{ outcome: 'unknown', errorCode: 'CANCELLED', status: null }],
    });
  });

  test('a caller that shares the answer of an identical read sent nothing', async () => {
    const server = await serve((request, response) => sendPage(response, [], request));
    const rig = connect({ baseUrl: server.baseUrl });
    await Promise.all([1, 2].map(() => rig.client.list('applications.list', {}, VIEW)));
    expect(server.received).toHaveLength(1);
    expect(rig.log.map(({ isShared, tries }) => [isShared, tries.length]).sort()).toEqual([
      [false, 1],
      [true, 0],
    ]);
  });
});

describe('bodies in the request log', () => {
  test('a small request is stored as sent; events, secrets and long bodies are not', async () => {
    const server = await serve((_request, response) => sendJson(response, 200, OK));
    const rig = connect({ baseUrl: server.baseUrl });
    const post = (body: unknown) =>
      rig.client.request({ method: 'POST', path: '/v3/anything', body }, UPLOAD);
    await post({ name: 'a project' });
    await rig.client.call('events.publish', EVENTS, UPLOAD).catch(() => undefined);
    await post({ config: { apiKey: 'hunter2' } });
    await post({ text: 'x'.repeat(20_000) });
    await post({ max_tokens: 20, token_type_id: 1 });
    expect(rig.log.map(({ bodyKept, body }) => [bodyKept, body])).toEqual([
      ['whole', '{"name":"a project"}'],
      ['events', null],
      ['secret', null],
      ['too-large', null],
      ['whole', '{"max_tokens":20,"token_type_id":1}'],
    ]);
    expect(rig.log.map(({ sentBytes }) => sentBytes)).toEqual(
      server.received.map(({ bytes }) => bytes.length),
    );
  });

  test('a raw call to the events of a model stores no events either', async () => {
    const server = await serve((_request, response) => sendJson(response, 200, OK));
    const rig = connect({ baseUrl: server.baseUrl });
    const body = { model_id: MODEL_ID, source: { type: 'EVENTS', events: [{ ssn: '123' }] } };
    await rig.client.request({ method: 'PATCH', path: '/v3/events', body }, UPLOAD);
    expect(JSON.stringify(rig.log)).not.toContain('ssn');
  });

  test('the token is masked wherever it was typed', () => {
    const token = 'abc"def\\0123456789';
    const row = { url: `/v3/x?t=${encodeURIComponent(token)}`, body: JSON.stringify({ note: token }) };
    const masked = withoutToken(row, token);
    expect(masked).toEqual({ url: '/v3/x?t=[token]', body: '{"note":"[token]"}' });
    expect(withoutToken(row, null)).toBe(row);
    expect(RIG_TOKEN.length).toBeGreaterThan(8);
  });
});
