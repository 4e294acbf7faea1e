/** Answers in other forms than the interface states, as the service is known to send them (API_FACTS 12). */
import { describe, expect, test } from 'vitest';
import { endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { clientBench, failure, UPLOAD, VIEW } from '../helpers/client-bench.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const { serve, connect, later } = clientBench();

const DATASET = { path: { dataset_id: '5f0c7c1e-3c3b-4e57-9a3b-0d5f5a1f2b3c' } };
const ITEMS = { ...DATASET, body: { items: [{ inputs: { question: 'Where is it' } }] } };

/** A client whose service answers everything with this. */
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
    '%s is no list of identifiers, and the items may be there',
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

  test.each([200, 201, 202, 203])('of a creation is status %i as well', async (status) => {
    const client = await answering(status, dataset);
    const answer = await client.call('datasets.create', { body }, UPLOAD);
    expect(answer).toMatchObject({ status, value: { id: 'a', name: 'A' } });
  });

  test('without the record that was promised is no answer to go on with', async () => {
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
  ])('that promises nothing is %i with %j', async (status, text) => {
    expect(PROMISE_NOTHING.length).toBeGreaterThan(4);
    const client = await answering(status, text);
    for (const operation of PROMISE_NOTHING)
      expect(await client.call(operation, input(operation), UPLOAD)).toMatchObject({ status, value: {} });
  });

  test.each([
    ['<html><body>Sign in</body></html>', 'NOT_THIS_SERVICE'],
    ['{"status":"ok"}', 'NOT_THIS_SERVICE'],
    ['{"kind":"ERROR","error":{"code":403,"message":"No"}}', 'FORBIDDEN'],
  ])('is not what something else answers in its place: %s', async (text, code) => {
    const client = await answering(200, text);
    for (const operation of PROMISE_NOTHING)
      expect(await failure(client.call(operation, input(operation), UPLOAD))).toMatchObject({ code });
  });
});
