/** Undocumented forms of answers that the service is known to send (SERVICE.md F12). */
import { describe, expect, test } from 'vitest';
import { endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { clientBench, failure, UPLOAD, VIEW } from '../helpers/client-bench.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const { serve, connect, later, tcp } = clientBench();

const DATASET = { path: { dataset_id: '5f0c7c1e-3c3b-4e57-9a3b-0d5f5a1f2b3c' } };
const ITEMS = { ...DATASET, body: { items: [{ inputs: { question: 'Where is it' } }] } };

/** A client of a service that answers every request with this text. */
async function answering(status: number, text: string) {
  const server = await serve((_request, response) => {
    response.writeHead(status);
    response.end(text);
  });
  return connect({ baseUrl: server.baseUrl }).client;
}

describe('identifiers of added items (no. 1)', () => {
  test.each([
    ['a bare array', 201, '["a","b"]'],
    ['data.ids of the envelope', 201, '{"api_version":"3.0","kind":"NORMAL","data":{"ids":["a","b"]}}'],
    ['another success status', 200, '["a","b"]'],
    ['data that is the array', 201, '{"api_version":"3.0","kind":"NORMAL","data":["a","b"]}'],
  ])('%s', async (_name, status, text) => {
    const client = await answering(status, text);
    const answer = await client.call('datasets.add-items', ITEMS, UPLOAD);
    const ids: string[] = answer.value;
    expect(ids).toEqual(['a', 'b']);
  });

  test.each(['[1]', '{"api_version":"3.0","kind":"NORMAL","data":{"id":"a"}}', '', '[["a"]]'])(
    '%s is not a list of identifiers, and the items may have been added',
    async (text) => {
      const client = await answering(201, text);
      expect(await failure(client.call('datasets.add-items', ITEMS, UPLOAD))).toMatchObject({
        code: 'ANSWER_INVALID',
        details: { status: 201, outcome: 'answered' },
      });
    },
  );

  test('of the sample service are those of its items', async () => {
    const service = await RawService.start();
    later(() => service.service.stop());
    const { client } = connect({ baseUrl: service.service.baseUrl, token: TOKEN });
    const application_id = await service.idOf('applications.list', 'Support assistant');
    const body = { name: 'Added', application_id };
    const { id: dataset_id } = (await client.call('datasets.create', { body }, UPLOAD)).value;
    const input = { path: { dataset_id }, body: { items: [{ inputs: { n: 1 } }, { inputs: { n: 2 } }] } };
    const { value: ids } = await client.call('datasets.add-items', input, UPLOAD);
    const { value: page } = await client.list('datasets.items', { path: { dataset_id } }, VIEW);
    expect(page.items.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });
});

describe('items of a dataset (no. 2)', () => {
  const item = { id: 'a', inputs: {}, later: true };
  test.each([
    ['the envelope', { kind: 'PAGINATED', data: { items: [item], total: 9, page_size: 1, offset: 3 } }, 9],
    ['bare items', { items: [item] }, null],
    ['bare items with their total', { items: [item], total: 9, offset: 3 }, 9],
    ['a bare array', [item], null],
    ['a NORMAL record', { kind: 'NORMAL', data: { items: [item], total: 9 } }, 9],
  ])('in %s', async (_name, body, total) => {
    const client = await answering(200, JSON.stringify(body));
    const input = { ...DATASET, paging: { limit: 1, offset: 3 } };
    const { value } = await client.list('datasets.items', input, VIEW);
    expect(value).toMatchObject({ items: [item], itemCount: 1, total, offset: 3 });
  });
});

describe('success (no. 3)', () => {
  const dataset = '{"api_version":"3.0","kind":"NORMAL","data":{"id":"a","name":"A"}}';
  const body = { name: 'A', application_id: DATASET.path.dataset_id };

  test.each([200, 201, 202, 203])('of a creation may be status %i too', async (status) => {
    const client = await answering(status, dataset);
    const answer = await client.call('datasets.create', { body }, UPLOAD);
    expect(answer).toMatchObject({ status, value: { id: 'a', name: 'A' } });
  });

  test('without the promised record is an invalid answer', async () => {
    const client = await answering(204, '');
    expect(await failure(client.call('datasets.create', { body }, UPLOAD))).toMatchObject({
      code: 'ANSWER_INVALID',
      details: { status: 204, outcome: 'answered' },
    });
  });

  const PROMISE_NOTHING = OPERATION_IDS.filter((operation) => endpoint(operation).item.safeParse(7).success);
  const input = (operation: OperationId) => ({
    path: Object.fromEntries(
      [...endpoint(operation).path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'x']),
    ),
    bodyText: '{}',
  });

  test.each([
    [204, ''],
    [200, ''],
    [202, '{"api_version":"3.0","kind":"NORMAL"}'],
    [200, '{"api_version":"3.0","kind":"NORMAL","data":{}}'],
    [200, '{"api_version":"3.0","kind":"NORMAL","data":null}'],
  ])('without a promised record is %i with %j', async (status, text) => {
    expect(PROMISE_NOTHING.length).toBeGreaterThan(4);
    const client = await answering(status, text);
    for (const operation of PROMISE_NOTHING)
      expect(await client.call(operation, input(operation), UPLOAD)).toMatchObject({ status, value: {} });
  });

  test.each([
    ['<html><body>Sign in</body></html>', 'NOT_THIS_SERVICE'],
    ['{"status":"ok"}', 'NOT_THIS_SERVICE'],
    ['{"kind":"ERROR","error":{"code":403,"message":"No"}}', 'FORBIDDEN'],
  ])('is not assumed if something else answers: %s', async (text, code) => {
    const client = await answering(200, text);
    for (const operation of PROMISE_NOTHING)
      expect(await failure(client.call(operation, input(operation), UPLOAD))).toMatchObject({ code });
  });
});

describe('answers that caused trouble', () => {
  const list = (client: Awaited<ReturnType<typeof answering>>) => client.list('applications.list', {}, VIEW);

  test('a switch to another protocol without a request', async () => {
    const address = await tcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 101 Words\r\nUpgrade: soon\r\n\r\n{}'));
    });
    const error = await failure(list(connect({ baseUrl: address }).client));
    expect(error).toMatchObject({ code: 'NOT_THIS_SERVICE', details: { outcome: 'unknown' } });
  });

  test('a header with a control character is named without an empty code', async () => {
    const address = await tcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nX-Any: \u0001\r\n\r\n{}'));
    });
    const error = await failure(list(connect({ baseUrl: address }).client));
    expect(error.code).toBe('NOT_THIS_SERVICE');
    expect(error.message).not.toContain('undefined');
  });

  test('a compressed answer is reported as compressed', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' });
      response.end(Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]));
    });
    const error = await failure(list(connect({ baseUrl: server.baseUrl }).client));
    expect(error.code).toBe('ANSWER_INVALID');
    expect(error.message).toContain('in the encoding gzip');
  });

  test('a record that is nested too deeply to be stored', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const page = (levels: number) =>
      `{"kind":"PAGINATED","data":{"items":[{"id":"a","name":"A","x":${deep(levels)}}]}}`;
    const error = await failure(list(await answering(200, page(100_000))));
    expect(error).toMatchObject({ code: 'ANSWER_TOO_LARGE' });
    expect(error.message).toContain('more than 500 levels');
    expect((await list(await answering(200, page(400)))).value.itemCount).toBe(1);
    const raw = await (await answering(200, page(50_000))).request({ method: 'GET', path: '/v3/jobs' }, VIEW);
    expect(raw.body).toBeTypeOf('string');
  });

  test('a field name longer than the message limit', async () => {
    const body = { kind: 'NORMAL', data: { total_items: 1, inputs: { ['x'.repeat(50_000)]: 7 } } };
    const client = await answering(200, JSON.stringify(body));
    const { value } = await client.call('datasets.schema', DATASET, VIEW);
    expect(value).toEqual({ total_items: 1, inputs: null });
    const wrong = await answering(
      200,
      JSON.stringify({ kind: 'NORMAL', data: { ...body.data, total_items: {} } }),
    );
    const error = await failure(wrong.call('datasets.schema', DATASET, VIEW));
    expect(error.code).toBe('ANSWER_INVALID');
    expect(error.message.length).toBeLessThan(600);
  });

  test.each([
    ['as it is', (token: string) => JSON.stringify(token).slice(1, -1)],
    ['with slashes escaped', (token: string) => JSON.stringify(token).slice(1, -1).replaceAll('/', '\\/')],
    ['in numbers', (token: string) => [...token].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
    ['for an address', (token: string) => encodeURIComponent(token)],
  ])('the token in a message, %s', async (_name, written) => {
    const token = 'ab/+="quo<ted>\\&41,;$^*(x)[y]{z}?.|~';
    const server = await serve((_request, response) => {
      response.writeHead(400);
      response.end(`{"kind":"ERROR","error":{"code":400,"message":"Bad ${written(token)} here"}}`);
    });
    const rig = connect({ baseUrl: server.baseUrl, token });
    const error = await failure(rig.client.list('applications.list', {}, VIEW));
    expect(error.message).toContain('Bad [token] here.');
  });
});

describe('NaN and Infinity in an answer', () => {
  const page = (items: string) =>
    `{"api_version":"3.0","kind":"PAGINATED","data":{"items":[${items}],"total":2,"offset":0,"page_size":2}}`;
  const model = (id: string, rest: string) => `{"id":"${id}","name":"Model ${id}",${rest}}`;
  const ID = '5f0c7c1e-3c3b-4e57-9a3b-0d5f5a1f2b3c';

  test('are missing values, reported by their record; the rest of the list is read', async () => {
    const long = 'x'.repeat(200_000);
    // Small answers are read on the main thread, large ones in another thread.
    for (const text of ['short', long]) {
      const items = [model(ID, `"score":NaN,"note":"${text}"`), model(ID.replace('5', '6'), '"score":0.5')];
      const client = await answering(200, page(items.join(',')));
      const { items: read } = (await client.list('models.list', {}, VIEW)).value;
      expect(read).toMatchObject([{ score: null, not_finite: 'score: NaN', note: text }, { score: 0.5 }]);
      expect(read[1]).not.toHaveProperty('not_finite');
    }
  });

  test('replace a number that a record requires, and nothing else', async () => {
    const schema = (total: string, id: string) =>
      `{"api_version":"3.0","kind":"NORMAL","data":{"dataset_id":${id},"fields":[],"total_items":${total}}}`;
    const client = await answering(200, schema('NaN', `"${ID}"`));
    const { value } = await client.call('datasets.schema', DATASET, VIEW);
    expect(value).toMatchObject({ total_items: null, not_finite: 'total_items: NaN' });
    const other = await answering(200, schema('"many"', '{"n":NaN}'));
    expect(await failure(other.call('datasets.schema', DATASET, VIEW))).toMatchObject({
      code: 'ANSWER_INVALID',
    });
  });
});

test('replaces bytes that are not UTF-8 by �, and reports it once for each operation', async () => {
  // Small answers are read on the main thread, large ones in another thread.
  for (const rest of ['', 'x'.repeat(200_000)]) {
    const item = { id: '5f0c7c1e-3c3b-4e57-9a3b-0d5f5a1f2b3c', name: `Café €${rest}` };
    const text = JSON.stringify({ kind: 'PAGINATED', data: { items: [item], total: 1 } });
    let encoding: BufferEncoding = 'utf8';
    const server = await serve((_request, response) => response.end(Buffer.from(text, encoding)));
    const { client, differences } = connect({ baseUrl: server.baseUrl });
    const names = async () =>
      (await client.list('models.list', {}, VIEW)).value.items.map(({ name }) => name);
    expect([await names(), differences.texts]).toEqual([[item.name], []]);
    encoding = 'latin1';
    await names();
    expect((await names())[0]).toContain('Caf� ');
    expect(differences.texts).toEqual([
      'GET /v3/models: an answer has bytes that are not UTF-8, and text in UTF-8 was expected. Each of these bytes is shown and stored as �, everything else as it came.',
    ]);
    // A request with any path, as a user types it.
    const raw = await client.request({ method: 'GET', path: '/v3/unknown' }, VIEW);
    expect(JSON.stringify(raw.body)).toContain('Caf� ');
    expect(differences.texts[1]).toMatch(/^GET \/v3\/unknown: an answer has bytes that are not UTF-8/);
  }
});
