/**
 * Ids in answers that cannot be a receipt for the sent rows: they are reported with evidence, and the rows count
 * neither as done nor are sent again.
 */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { OperationId } from '../../electron/api/endpoints.ts';
import type { FaultRule } from '../../electron/sample-service/faults.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { open as openBuilds, prepared } from '../helpers/dataset-builds.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { ResourcesRig } from '../helpers/resources-rig.ts';
import { runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';

const later = cleanUpAfterEach();
let raw: RawService;
let rig: UploadRig;
beforeEach(async () => {
  raw = await RawService.start();
  rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 100 });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
});

/** Answers one request of the operation with `data`, as a success. */
const answers = (operation: OperationId, data: z.core.util.JSONType, times = 1): FaultRule => ({
  match: { operation },
  times,
  action: { type: 'not-envelope', status: 200, body: { api_version: '3.0', kind: 'NORMAL', data } },
});
const published = (ids: readonly string[] | null): FaultRule =>
  answers('events.publish', ids === null ? {} : { source_type: 'EVENTS', event_ids: [...ids] });
const sent = (operation: OperationId) => raw.service.report().operations[operation]?.requests ?? 0;

const ANSWERS: [string, readonly string[] | null, string][] = [
  ['missing', null, 'got none'],
  ['too few', ['a', 'b'], 'got 2'],
  ['too many', ['a', 'b', 'c', 'd'], 'got 4'],
  ['blank', ['a', '', 'c'], '1 blank'],
  ['duplicate', ['a', 'b', 'a'], '1 repeated'],
];

describe('event ids', () => {
  test.each(ANSWERS)(
    '%s: acknowledged, in doubt, sent once, with the received ids',
    async (reason, ids, came) => {
      raw.service.setFaults([published(ids)]);
      const job = await rig.send(rig.write('churn.csv', churnCsv(3)), 'Bank churn');
      expect(job).toMatchObject({
        state: 'done',
        counts: { acknowledged: 3, unknown: 0, unsent: 0 },
        doubtful: { batches: 1, rows: 3 },
      });
      expect(sent('events.publish')).toBe(1);
      const { batches } = rig.uploads.listBatches({
        jobId: job.jobId,
        states: ['doubtful'],
        offset: 0,
        limit: 10,
      });
      expect(batches).toMatchObject([
        {
          state: 'acknowledged',
          error: { code: 'RECEIPT_DOUBTFUL', message: expect.stringContaining(came), details: { reason } },
        },
      ]);
      await rig.uploads.writeFile(job.jobId, 'receipts', rig.path('receipts.csv'));
      const lines = readFileSync(rig.path('receipts.csv'), 'utf8').trimEnd().split('\n').slice(1);
      // Received ids are stored, with their row or without one.
      for (const id of ids ?? []) expect(lines.some((line) => line.endsWith(`,${id}`))).toBe(true);
    },
  );

  test('an answer repeated for other rows is not a receipt for them', async () => {
    const again = published(['a', 'b']);
    raw.service.setFaults([{ ...again, times: 2 }]);
    const job = await rig.send(rig.write('churn.csv', churnCsv(6)), 'Bank churn', { batchRows: 2 });
    expect(job).toMatchObject({ state: 'done', doubtful: { batches: 1, rows: 2 } });
  });

  test('the same id twice in the file is not a fault of the answer, published or updated', async () => {
    const row = 't-1,2025-01-01 00:00:00,false\n';
    const path = rig.write('ids.csv', `transaction_id,processed_at,is_fraud\n${row}${row}`);
    expect(await rig.send(path, 'Card fraud')).toMatchObject({ state: 'done', doubtful: { batches: 0 } });
    const labels = rig.write('labels.csv', 'transaction_id,is_fraud\nt-1,true\nt-1,false\n');
    const update = await rig.send(labels, 'Card fraud', { mode: 'update' });
    expect(update).toMatchObject({ state: 'done', doubtful: { batches: 0 } });
  });

  test.each(ANSWERS)('%s: the command line ends with an exit code of its own', async (_reason, ids, came) => {
    raw.service.setFaults([published(ids)]);
    const folder = temporaryFolder('receipts');
    later(() => folder.remove());
    const file = rig.write('churn.csv', churnCsv(3));
    const args = ['upload', file, '--model', 'Bank churn', '--base-url', raw.service.baseUrl, '--json'];
    const { code, stdout, stderr } = await runCli(args, { token: TOKEN, dataDir: folder.path });
    expect(stderr).toContain('error RECEIPT_DOUBTFUL: ');
    expect(stderr).toContain(came);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ state: 'done', acknowledged: 3, doubtful: 3 });
  });
});

describe('a raw file', () => {
  const send = async (partBytes: number) => {
    const path = rig.write('churn.csv', churnCsv(60));
    const request = {
      modelId: await rig.modelId('Bank churn'),
      envType: 'PRODUCTION',
      envName: null,
      publishes: true,
    };
    const { id } = await rig.uploads.wholeFiles.sendPath({ path, name: 'churn.csv' }, request, partBytes);
    return rig.uploads.wholeFiles.whenSettled(id);
  };

  test.each<[string, z.core.util.JSONType]>([
    ['no job', { source_type: 'FILE' }],
    ['a job without an id', { source_type: 'FILE', job: { id: ' ', name: 'Publish' } }],
  ])('published with %s in the answer: unknown, requested once', async (_name, data) => {
    raw.service.setFaults([answers('events.publish', data)]);
    expect(await send(1_000_000)).toMatchObject({
      state: 'unknown',
      again: null,
      error: { code: 'RECEIPT_DOUBTFUL' },
    });
    expect(sent('events.publish')).toBe(1);
  });

  test.each([['same'], ['']])(
    'parts whose ids are all “%s” are not combined into a file',
    async (part_id) => {
      raw.service.setFaults([answers('files.multipart-upload', { part_id }, 2)]);
      expect(await send(1_000)).toMatchObject({ state: 'failed', error: { code: 'ANSWER_INVALID' } });
      expect(sent('files.multipart-complete')).toBe(0);
    },
  );
});

test('a deletion without a job is unknown, and is not sent again', async () => {
  raw.service.setFaults([answers('events.delete', { job: { id: '', name: 'Delete' } })]);
  const modelId = await rig.modelId('Bank churn');
  const request = { modelId, eventIds: ['a'], timeRange: null, updateMetrics: false };
  expect(await rig.uploads.deleteEvents(request)).toMatchObject({
    status: 'unknown',
    error: { code: 'RECEIPT_DOUBTFUL' },
  });
  await rig.uploads.recover({ continues: true });
  expect(sent('events.delete')).toBe(1);
});

const items = z.array(z.looseObject({ item_id: z.string(), span_id: z.string() }));

describe('item ids', () => {
  test.each<[string, (given: z.infer<typeof items>) => unknown[]]>([
    ['too few', (given) => given.slice(1)],
    ['too many', (given) => [...given, { item_id: 'more', span_id: 'none' }]],
    ['blank', (given) => given.map((item, index) => (index === 3 ? { ...item, item_id: '' } : item))],
    ['duplicate', (given) => given.map((item) => ({ ...item, item_id: given[0]?.item_id }))],
    ['missing', () => []],
    ['other spans', (given) => given.map((item) => ({ ...item, span_id: `not-${item.span_id}` }))],
  ])('of spans, %s: the build is done, in doubt, and nothing is sent again', async (reason, change) => {
    let calls = 0;
    const { rig: builds } = await openBuilds({
      wrapClient: (client) => ({
        ...client,
        call: async (operation, input, options) => {
          const answer = await client.call(operation, input, options);
          if (operation !== 'datasets.add-spans') return answer;
          calls += 1;
          if (calls !== 1) return answer;
          const value = z.looseObject({ items }).parse(answer.value);
          Object.assign(answer.value ?? {}, { items: change(value.items) });
          return answer;
        },
      }),
    });
    const build = await builds.commit(await prepared(builds, 250));
    expect(build).toMatchObject({
      state: 'done',
      counts: { acknowledged: 250 },
      batches: { total: 2, doubtful: 1 },
      doubt: { code: 'RECEIPT_DOUBTFUL', details: { reason } },
    });
    expect(calls).toBe(2);
  });

  test.each<[string, string[]]>([
    ['missing', []],
    ['too few', ['a']],
    ['too many', ['a', 'b', 'c']],
    ['blank', ['a', '']],
    ['duplicate', ['a', 'a']],
  ])('of items added by hand, %s: reported, and not sent again', async (reason, ids) => {
    raw.service.setFaults([
      {
        match: { operation: 'datasets.add-items' },
        times: 1,
        action: { type: 'not-envelope', status: 201, body: ids },
      },
    ]);
    const resources = new ResourcesRig(raw.service.baseUrl, { token: TOKEN });
    later(() => resources[Symbol.asyncDispose]());
    const [dataset] = (await raw.page(raw.path('datasets.list'))).items;
    const request = {
      operation: 'datasets.add-items',
      path: { dataset_id: String(dataset?.['id']) },
      query: {},
      body: { items: [{ inputs: { q: '1' } }, { inputs: { q: '2' } }] },
    };
    await expect(resources.resources.act(request)).rejects.toMatchObject({
      code: 'RECEIPT_DOUBTFUL',
      details: { reason },
    });
    expect(sent('datasets.add-items')).toBe(1);
  });
});
