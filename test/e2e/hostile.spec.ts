/** Hostile files and responses in one window, which explains each problem in plain words and continues to work. */
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import type { Page } from '@playwright/test';
import { startSampleService } from '../../electron/sample-service/start-service.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { type Received, ScriptedServer } from '../helpers/scripted-server.ts';
import { dropFiles, jobsOf, UploadPage } from '../helpers/upload-pages.ts';

const TOKEN = 'token-hostile-0123456789';
const SERVER_INFO = 'GET /v3/server-info';
const DATASETS = 'GET /v3/evals/datasets';
const ALERT_RULES = 'GET /v3/alert-rules';
/** Maximum memory in MB that a file or a response may use in the main process. */
const MAX_MB = 500;

/** Receives the response to be written, and the answer of the sample service. */
type Reply = (response: ServerResponse, honest: string) => void;

const answer =
  (body: string, headers: Record<string, string> = {}, status = 200): Reply =>
  (response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
  };
const edited =
  (edit: (honest: string) => string): Reply =>
  (response, honest) =>
    answer(edit(honest))(response, honest);
const record = (data: string) => `{"api_version":"3.0","kind":"NORMAL","data":${data}}`;
const page = (items: string) =>
  `{"api_version":"3.0","kind":"PAGINATED","data":{"total":1,"offset":0,"items":[${items}]}}`;
const many = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join();
const keys = (count: number) => `{"id":"a","name":"b",${many(count, (index) => `"key ${index}":${index}`)}}`;
const nested = (depth: number) => `{"id":"a","name":"b","deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;

/**
 * Puts a server in front of the sample service. It answers with `replies` for an operation, or for all of them (`*`).
 */
async function serve(replies: Map<string, Reply>) {
  const service = await startSampleService({ token: TOKEN });
  const pass = async ({ method, url, headers, bytes }: Received, response: ServerResponse) => {
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const honest = await fetch(`${service.baseUrl}${url}`, {
      method,
      headers: { authorization, 'content-type': type },
      ...(bytes.length === 0 ? {} : { body: bytes }),
    });
    const reply = replies.get(`${method} ${url.split('?', 1)[0]}`) ?? replies.get('*');
    const text = await honest.text();
    if (reply === undefined) answer(text, {}, honest.status)(response, text);
    else reply(response, text);
  };
  const server = await ScriptedServer.start((request, response) => void pass(request, response));
  const stop = async () => {
    await server.stop();
    await service.stop();
  };
  return { baseUrl: server.baseUrl, token: TOKEN, [Symbol.asyncDispose]: stop };
}

/** Expects that the window shows an answer of the main process. */
async function expectAtWork(window: Page): Promise<void> {
  await window.getByRole('banner').getByRole('button', { name: 'Search everything' }).click();
  const option = window.getByRole('dialog', { name: 'Search everything' }).getByRole('option').first();
  await expect(option).toBeVisible();
  await window.keyboard.press('Escape');
  await expect(option).toBeHidden();
}

test('explains hostile files and responses, and continues to work', async ({ launch }, testInfo) => {
  const replies = new Map<string, Reply>();
  await using service = await serve(replies);
  const { app, page: window, errors } = await launch();
  const after = async () => {
    expect(await app.evaluate(() => process.resourceUsage().maxRSS / 1_024)).toBeLessThan(MAX_MB);
    expect(errors).toEqual([]);
  };
  await new WelcomePage(window).connect.click();
  const form = new ConnectionPage(window);
  await form.fill({ name: 'Hostile', baseUrl: service.baseUrl, token: service.token });
  const expectFinding = async (words: RegExp) => {
    await form.test.click();
    await expect(form.result).toContainText(words);
    await after();
  };

  const answers: [string, Reply, RegExp][] = [
    ['304', answer('', {}, 304), /status 304 \(not modified\)/],
    [
      'a redirect to javascript:',
      answer('', { Location: 'javascript:alert(1)' }, 302),
      /redirected to a javascript: address.* was not opened/s,
    ],
    ['JSON 100,000 deep', answer(record(nested(100_000))), /more than 500 levels/],
    ['very many keys', answer(record(keys(300_000))), /more than 100,000 fields/],
    ['a byte-order mark', answer(`\uFEFF${record('{"server_version":"1"}')}`), /version 1, and the token/],
  ];
  for (const [name, reply, words] of answers) {
    await test.step(`the connection test receives ${name}`, async () => {
      replies.set(SERVER_INFO, reply);
      await expectFinding(words);
    });
  }
  replies.clear();

  await test.step('an extra CA file is a pipe or a device', async () => {
    await form.form.getByText('Network').click();
    const file = form.form.getByRole('textbox', { name: /^Extra certificate/ });
    const pipe = testInfo.outputPath('pipe.pem');
    const paths = process.platform === 'win32' ? [testInfo.outputDir] : [pipe, '/dev/zero'];
    if (process.platform !== 'win32') execFileSync('mkfifo', [pipe]);
    for (const path of paths) {
      await file.fill(path);
      await expectFinding(/cannot be used as a certificate file/);
    }
    await file.fill('');
  });
  await form.connect.click();
  const bench = new Workbench(window);
  await bench.leaveStart();
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();

  // From now on this request gets no answer.
  replies.set(ALERT_RULES, () => undefined);
  await bench.go('Alert rules');
  await bench.go('Datasets');
  await bench.expectAge(/live/);
  const refresh = () => bench.view.getByRole('button', { name: 'Refresh', exact: true }).first().click();
  const name = 'Evil\u0085\u009b31m\u202etxt.exe';
  const lists: [string, Reply, () => Promise<void>][] = [
    [
      'a false total',
      edited((honest) => honest.replace(/"total":\d+/, '"total":1e15')),
      async () => {
        await expect(bench.view).toContainText('3 datasets · the service states 1,000,000,000,000,000, but');
        await expect(bench.grid('Datasets')).toHaveAttribute('aria-rowcount', '4');
      },
    ],
    [
      'numbers beyond a double, controls and a change of direction',
      edited((honest) =>
        honest
          .replace('"Support answers, golden set"', JSON.stringify(name))
          .replace('"metadata":{', '"metadata":{"exact":9007199254740993,"large":1e999,'),
      ),
      async () => {
        await bench.row('Datasets', 'Evil').click();
        await bench.page.keyboard.press('Space');
        await expect(bench.inspector).toContainText('9007199254740993');
        await expect(bench.inspector).toContainText('1e999');
      },
    ],
    ...(
      [
        ['very many items', answer(page(many(2_000_000, () => '{}'))), 'more than 500,000 values'],
        ['a record of very many keys', answer(page(keys(300_000))), 'more than 100,000 fields'],
        ['a record 100,000 deep', answer(page(nested(100_000))), 'more than 500 levels'],
      ] as const
    ).map(([what, reply, words]): [string, Reply, () => Promise<void>] => [
      what,
      reply,
      async () => {
        await expect(bench.view).toContainText(
          `Could not refresh: answer too large. ${DATASETS}: the answer`,
        );
        await expect(bench.view).toContainText(words);
        await bench.expectAge(/refresh failed · as of/);
        // Content read before is still shown.
        await expect(bench.row('Datasets', 'Evil')).toBeVisible();
      },
    ]),
    [
      'a Retry-After of 30,000 years',
      answer('{}', { 'Retry-After': '1000000000000' }, 429),
      async () => {
        await expect(bench.status).toContainText('1 waiting');
        await bench.go('Requests');
        await expect(bench.view).toContainText(
          /The service asked to wait\. The next request can be sent at \d/,
        );
      },
    ],
  ];
  for (const [what, reply, expectWords] of lists) {
    await test.step(`a list receives ${what}`, async () => {
      replies.set(DATASETS, reply);
      await refresh();
      await expectWords();
      await expectAtWork(window);
      await after();
    });
  }

  await test.step('an upload receives too long names, and repeated and missing receipts', async () => {
    const [model, column] = ['m'.repeat(600), 'c'.repeat(1_500)];
    replies.set(
      '*',
      edited((honest) =>
        honest.replaceAll('"Bank churn"', `"${model}"`).replaceAll('"CreditScore"', `"${column}"`),
      ),
    );
    replies.set('POST /v3/events', answer(record('{"source_type":"EVENTS","event_ids":["a","a"]}')));
    const file = testInfo.outputPath('churn.csv');
    fs.writeFileSync(file, churnCsv(3).replace('CreditScore', column));
    await dropFiles(window, [file]);
    const upload = new UploadPage(window);
    await upload.button('Next: columns').click();
    await upload.model.click();
    await upload.model.fill('mmm');
    await window.getByRole('option', { name: 'mmm' }).click();
    await expect(upload.result).toContainText('Every row is good');
    await upload.send(3);
    await upload.expectDone();
    await expect(bench.view).toContainText('The receipts of 3 rows in 1 batch are in doubt');
    await expect(bench.view).toContainText('got 2, 1 repeated. Nothing is sent again.');
    await bench.go('Uploads');
    await expect(bench.view).toContainText('3 with a doubtful receipt');
    await expect(window.getByRole('list', { name: 'Damaged entries' })).toHaveCount(0);
    const [job] = await jobsOf(window);
    expect(job?.plan.columns[0]?.source).toHaveLength(1_500);
    await expectAtWork(window);
    await after();
  });

  await test.step('reports a silent service', async () => {
    await expect(bench.status).toContainText('no answer for');
    await bench.go('Requests');
    await expect(bench.view).toContainText('Alert rules is waiting for an answer.');
    await after();
  });
});
