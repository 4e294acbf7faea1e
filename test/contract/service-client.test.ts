/** The client with real servers: what it sends, how it reads answers, and what it never does. */
import { describe, expect, test } from 'vitest';
import { Foreground } from '../../electron/core/foreground.ts';
import { clientBench, EVENTS, failure, MODEL_ID, UPLOAD, VIEW } from '../helpers/client-bench.ts';
import { RIG_TOKEN } from '../helpers/client-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { type Script, sendError, sendJson, sendPage } from '../helpers/scripted-server.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const { serve, connect, later } = clientBench();

describe('requests to the sample service', () => {
  test('lists, reads and publishes, and writes one log row per call', async () => {
    const service = await RawService.start();
    later(() => service.service.stop());
    const rig = connect({ baseUrl: service.service.baseUrl, token: TOKEN });
    const { value, status } = await rig.client.list('applications.list', { query: { limit: 1 } }, VIEW);
    expect(status).toBe(200);
    expect(value).toMatchObject({ itemCount: 1, offset: 0, total: expect.any(Number) });
    const id = value.items[0]?.id ?? '';
    const one = await rig.client.call('applications.get', { path: { application_id: id } }, VIEW);
    expect(one.value.id).toBe(id);
    const missing = await failure(
      rig.client.call('applications.get', { path: { application_id: MODEL_ID } }, VIEW),
    );
    expect(missing).toMatchObject({ code: 'NOT_FOUND', details: { status: 404, outcome: 'answered' } });
    const lines = rig.log.map((row) => `${row.operation} ${row.status} ${row.errorCode} ${row.attempts}`);
    expect(lines).toEqual([
      'GET /v3/applications 200 null 1',
      'GET /v3/applications/{application_id} 200 null 1',
      'GET /v3/applications/{application_id} 404 NOT_FOUND 1',
    ]);
    expect(rig.log[0]).toMatchObject({ url: '/v3/applications?limit=1', priority: 'view' });
    expect(rig.log[0]?.sizeBytes).toBeGreaterThan(50);
    expect(missing.details.requestId).toBe(rig.log[2]?.id);
  });
});

describe('requests as received by the service', () => {
  test('the token is in the header, and nowhere else', async () => {
    const server = await serve((request, response) => sendPage(response, [], request));
    const rig = connect({ baseUrl: server.baseUrl });
    await rig.client.list('applications.list', {}, VIEW);
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${RIG_TOKEN}`);
    expect(server.received[0]?.url).not.toContain(RIG_TOKEN);
    expect(JSON.stringify(rig.log)).not.toContain(RIG_TOKEN);
  });

  test('a path prefix of the base URL stays in front', async () => {
    const server = await serve((request, response) => sendPage(response, [], request));
    const rig = connect({ baseUrl: `${server.baseUrl}/tenant/v3` });
    await rig.client.list('applications.list', {}, VIEW);
    expect(server.received[0]?.url).toBe('/tenant/v3/applications');
  });

  test('a body is sent as JSON, a body that is text already unchanged', async () => {
    const server = await serve((_request, response) =>
      sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: {} }),
    );
    const rig = connect({ baseUrl: server.baseUrl });
    await rig.client.call('events.publish', EVENTS, UPLOAD);
    await rig.client.call('events.publish', { bodyText: '{"as":"it is"}' }, UPLOAD);
    expect(server.received.map(({ body }) => body)).toEqual([JSON.stringify(EVENTS.body), '{"as":"it is"}']);
    expect(server.received[0]?.headers['content-type']).toBe('application/json');
  });

  test('identical reads at the same time are one request', async () => {
    const server = await serve((request, response) => sendPage(response, [{ id: 'a', name: 'A' }], request));
    const rig = connect({ baseUrl: server.baseUrl });
    const answers = await Promise.all([1, 2, 3].map(() => rig.client.list('applications.list', {}, VIEW)));
    expect(answers.map(({ value }) => value.itemCount)).toEqual([1, 1, 1]);
    expect(server.received).toHaveLength(1);
    expect(rig.log).toHaveLength(3);
  });
});

describe('requests that are not sent', () => {
  test('writes on a read-only connection, everything while offline, bodies of another form', async () => {
    const server = await serve((request, response) => sendPage(response, [], request));
    const rig = connect({ baseUrl: server.baseUrl });
    rig.switches.isReadOnly = true;
    const unsent = (code: string) => ({ code, details: { outcome: 'unsent' } });
    expect(await failure(rig.client.call('events.publish', EVENTS, UPLOAD))).toMatchObject(
      unsent('READ_ONLY'),
    );
    expect(await failure(rig.client.request({ method: 'DELETE', path: '/v3/traces' }, VIEW))).toMatchObject(
      unsent('READ_ONLY'),
    );
    rig.switches.isReadOnly = false;
    rig.switches.isOffline = true;
    expect(await failure(rig.client.list('applications.list', {}, VIEW))).toMatchObject(unsent('OFFLINE'));
    rig.switches.isOffline = false;
    const wrong = rig.client.call('events.publish', { body: { model_id: 'x' } }, UPLOAD);
    expect(await failure(wrong)).toMatchObject(unsent('INVALID_ARGUMENT'));
    expect(server.received).toEqual([]);
  });
});

describe('redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    '%i to another origin: not followed, and the token is not sent there',
    async (status) => {
      const elsewhere = await serve((request, response) => sendPage(response, [], request));
      const server = await serve((_request, response) => {
        response.writeHead(status, { Location: `${elsewhere.baseUrl}/v3/applications?leak=1` });
        response.end();
      });
      const rig = connect({ baseUrl: server.baseUrl });
      const error = await failure(rig.client.list('applications.list', {}, VIEW));
      expect(error.code).toBe('REDIRECTED');
      expect(error.message).toContain(elsewhere.baseUrl);
      expect(error.message).not.toContain('leak');
      expect(elsewhere.received).toEqual([]);
      expect(server.received).toHaveLength(1);
    },
  );
});

describe('unexpected answers', () => {
  const html: Script = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end('<!doctype html><title>Sign in</title>');
  };
  const truncated: Script = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end('{"api_version":"3.0","kind":"PAGINATED","data":{"items":[{"id":"a","na');
  };
  const otherForm: Script = (_request, response) =>
    sendJson(response, 200, {
      api_version: '3.0',
      kind: 'PAGINATED',
      data: { items: [{ id: 'a', name: 'A' }, { id: 7 }] },
    });
  const hidden: Script = (_request, response) =>
    sendJson(response, 200, { kind: 'ERROR', error: { code: 403, message: 'No' } });

  test.each([
    ['a web page', html, 'NOT_THIS_SERVICE', /web page/],
    ['JSON that breaks off', truncated, 'ANSWER_INVALID', /breaks off/],
    ['an item of another form', otherForm, 'ANSWER_INVALID', /item 2 in another form at id/],
    ['an error under status 200', hidden, 'FORBIDDEN', /403/],
  ] as const)('%s', async (_name, script, code, message) => {
    const server = await serve(script);
    const rig = connect({ baseUrl: server.baseUrl });
    const error = await failure(rig.client.list('applications.list', {}, VIEW));
    expect(error).toMatchObject({ code, details: { outcome: 'answered' } });
    expect(error.message).toMatch(message);
    expect(rig.log[0]?.errorCode).toBe(code);
  });

  test.each([
    [400, 'BAD_REQUEST'],
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [409, 'CONFLICT'],
    [418, 'HTTP_ERROR'],
    [422, 'UNPROCESSABLE'],
    [500, 'SERVICE_FAILED'],
  ])('status %i becomes %s with the message of the service', async (status, code) => {
    const server = await serve((_request, response) =>
      sendError(response, status, 'Because of this', 'SomeReason'),
    );
    const rig = connect({ baseUrl: server.baseUrl });
    const error = await failure(rig.client.call('events.publish', EVENTS, UPLOAD));
    expect(error).toMatchObject({ code, details: { status, reason: 'SomeReason', outcome: 'answered' } });
    expect(error.message).toContain('Because of this.');
  });

  test('after the last retry, the message of the service is kept', async () => {
    const server = await serve((_request, response) => sendError(response, 500, 'Database is down'));
    const rig = connect({ baseUrl: server.baseUrl, maxAttempts: 2 });
    const error = await failure(rig.client.list('applications.list', {}, VIEW));
    expect(error).toMatchObject({ code: 'SERVICE_FAILED', details: { status: 500 } });
    expect(error.message).toContain('Database is down');
    expect(server.received).toHaveLength(2);
    expect(rig.log).toEqual([
      expect.objectContaining({ attempts: 2, status: 500, errorCode: 'SERVICE_FAILED' }),
    ]);
  });

  test('a token that the answer repeats appears nowhere', async () => {
    const server = await serve((request, response) =>
      sendError(response, 400, `Bad header ${request.headers.authorization}`),
    );
    const rig = connect({ baseUrl: server.baseUrl });
    const error = await failure(rig.client.list('applications.list', {}, VIEW));
    expect(error.message).toContain('[token]');
    expect(JSON.stringify([error.toWire(), rig.log])).not.toContain(RIG_TOKEN);
  });

  test('an answer above the bound is not read to its end', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200);
      response.end('x'.repeat(3_000_000));
    });
    const rig = connect({ baseUrl: server.baseUrl, limits: { maxAnswerBytes: 1_048_576 } });
    const error = await failure(rig.client.list('applications.list', {}, VIEW));
    expect(error).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      message: expect.stringContaining('larger than 1 MB'),
    });
  });

  test('`request` resolves for every status, with the body unchanged', async () => {
    const server = await serve((request, response) =>
      request.url.endsWith('html') ? html(request, response) : sendError(response, 404, 'No'),
    );
    const rig = connect({ baseUrl: server.baseUrl });
    expect(await rig.client.request({ method: 'GET', path: '/v3/none' }, VIEW)).toMatchObject({
      status: 404,
      body: { kind: 'ERROR' },
    });
    const page = await rig.client.request({ method: 'GET', path: '/v3/none', query: { as: 'html' } }, VIEW);
    expect(page.body).toContain('Sign in');
    expect(rig.log.map(({ errorCode }) => errorCode)).toEqual(['NOT_FOUND', null]);
  });
});

test('the end of each call is reported, for the state of the network', async () => {
  const server = await serve((_request, response) => sendError(response, 401, 'Who are you'));
  const rig = connect({ baseUrl: server.baseUrl });
  // If only access keys are rejected, that says nothing about the token.
  await failure(rig.client.list('access-keys.list', {}, VIEW));
  await failure(rig.client.list('applications.list', {}, VIEW));
  const error = expect.objectContaining({ code: 'UNAUTHORIZED' });
  expect(rig.settled).toEqual([
    { error, status: 401, atMs: expect.any(Number), canRefuseToken: false },
    { error, status: 401, atMs: expect.any(Number), canRefuseToken: true },
  ]);
});

test('requests that wait for a limit end with their connection, and none is started after it', async () => {
  const server = await serve((_request, response) => {
    response.setHeader('Retry-After', '3600');
    sendError(response, 429, 'Later');
  });
  const closing = new AbortController();
  const rig = connect({ baseUrl: server.baseUrl, maxAttempts: 3, closing: closing.signal });
  const [read, change] = [
    failure(rig.client.list('applications.list', {}, VIEW)),
    failure(rig.client.call('events.publish', EVENTS, UPLOAD)),
  ];
  await expect.poll(() => server.received.length).toBe(2);
  closing.abort();
  const cancelled = expect.objectContaining({ code: 'CANCELLED' });
  expect(await Promise.all([read, change])).toEqual([cancelled, cancelled]);
  expect(await failure(rig.client.list('applications.list', {}, VIEW))).toEqual(cancelled);
  expect(server.received).toHaveLength(2);
});

describe('priorities of requests', () => {
  test('an upload waits while an answer to a view is in flight, and continues after it', async () => {
    let answerView: () => void = () => undefined;
    const server = await serve((request, response) => {
      if (request.method === 'POST')
        sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: {} });
      else if (request.url.includes('/models')) sendPage(response, [], request);
      else answerView = () => sendPage(response, [], request);
    });
    const rig = connect({ baseUrl: server.baseUrl, foreground: new Foreground(new VirtualClock()) });
    const view = rig.client.list('applications.list', {}, VIEW);
    await expect.poll(() => server.received.length).toBe(1);
    const upload = rig.client.call('events.publish', EVENTS, UPLOAD);
    // Meanwhile requests of the user are sent and answered.
    for (let clicked = 0; clicked < 3; clicked += 1)
      await rig.client.list('models.list', {}, { priority: 'click' });
    expect(server.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET']);
    answerView();
    await Promise.all([view, upload]);
    expect(server.received.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET', 'POST']);
  });

  test('a view that waits long for its service does not block an upload', async () => {
    let answerView: () => void = () => undefined;
    const server = await serve((request, response) => {
      if (request.method === 'POST')
        return sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: {} });
      answerView = () => sendPage(response, [], request);
    });
    const clock = new VirtualClock();
    const rig = connect({ baseUrl: server.baseUrl, foreground: new Foreground(clock) });
    const view = rig.client.list('applications.list', {}, VIEW);
    await expect.poll(() => server.received.length).toBe(1);
    clock.advance(1_000);
    await rig.client.call('events.publish', EVENTS, UPLOAD);
    answerView();
    await view;
  });
});
