/**
 * A list with missing rows is marked everywhere: in the answer, the exit code, the manifest, and the offline entry. It
 * does not become a version.
 */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CliResult, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { ScriptedServer } from '../helpers/scripted-server.ts';

const DATASET = 'Claims triage, edge cases';
/** Number of rows that the pages of a capped list contain. */
const REACHED = 100;

let raw: RawService;
let between: ScriptedServer;
/** Changes that a proxy makes to the items of a dataset, by page. */
let view: (items: readonly unknown[], page: number) => readonly unknown[] = (items) => items;
let pages = 0;
let folder: ReturnType<typeof temporaryFolder>;

beforeAll(async () => {
  raw = await RawService.start();
  between = await ScriptedServer.start(async (request, response) => {
    const url = new URL(request.url, raw.service.baseUrl);
    const isItems = request.method === 'GET' && url.pathname.endsWith('/items');
    const [offset, limit] = [Number(url.searchParams.get('offset')), Number(url.searchParams.get('limit'))];
    if (isItems) {
      url.searchParams.set('offset', '0');
      url.searchParams.set('limit', '1000');
    }
    const answer = await fetch(url, {
      method: request.method ?? 'GET',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      ...(request.body.length === 0 ? {} : { body: request.body }),
    });
    const text = await answer.text();
    if (!isItems) {
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(text);
      return;
    }
    const { data } = JSON.parse(text);
    pages += 1;
    const items = view(data.items, pages).slice(offset, offset + limit);
    const answered = { api_version: '3.0', kind: 'PAGINATED', data: { ...data, items, offset } };
    response.writeHead(200, { 'content-type': 'application/json' });
    // NaN as Python writes it in JSON.
    response.end(JSON.stringify(answered).replaceAll(/"@(NaN|-?Infinity)"/g, '$1'));
  });
});
afterAll(async () => {
  await between[Symbol.asyncDispose]();
  await raw.service.stop();
});
beforeEach(() => {
  folder = temporaryFolder('incomplete-lists');
  pages = 0;
});
afterEach(() => folder.remove());

const cli = (...args: string[]): Promise<CliResult> =>
  runHere([...args, '--base-url', between.baseUrl], { token: TOKEN, dataDir: folder.path });
const capped = (items: readonly unknown[]) => items.slice(0, REACHED);

/** The same rows in another order on each page, so that rows with the same time change their positions. */
const turned = (items: readonly unknown[], page: number) => {
  const at = (page * 61) % items.length;
  return [...items.slice(at), ...items.slice(0, at)];
};

test('the command line returns the available rows, and ends with an exit code of its own', async () => {
  view = capped;
  const { code, stdout, stderr } = await cli('items', DATASET, '--all', '--json');
  const { items, total, complete } = JSON.parse(stdout);
  expect(complete).toBe(false);
  expect(items).toHaveLength(REACHED);
  expect(total).toBeGreaterThan(REACHED);
  expect(stderr).toContain(`error INCOMPLETE: ${total - REACHED} rows are missing`);
  expect(code).toBe(7);
  const few = await cli('items', DATASET, '--limit', '10', '--json');
  expect(few.code, 'ten were asked for').toBe(0);
  expect((await cli('snapshots', DATASET, '--json')).stdout, 'no version').not.toContain('takenAt');
});

test('a file states it in its manifest', async () => {
  view = capped;
  const file = `${folder.path}/items.csv`;
  const { code, stderr } = await cli('export', 'datasets.items', DATASET, '--output', file, '--json');
  const manifest = JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8'));
  expect(manifest).toMatchObject({
    rows: REACHED,
    complete: false,
    missingRows: manifest.totalRows - REACHED,
  });
  expect(stderr).toContain('rows are missing');
  expect(code).toBe(7);
  const [job] = JSON.parse((await cli('jobs', '--json')).stdout).items;
  const shown = JSON.parse((await cli('jobs', 'show', job.id, '--json')).stdout);
  expect(shown.own).toMatchObject({ rows: REACHED, missingRows: manifest.totalRows - REACHED });
});

test('a dataset kept offline names it', async () => {
  view = capped;
  const { code, stdout, stderr } = await cli('keep', 'dataset', DATASET, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ failed: 1, incomplete: 1 });
  expect(stderr).toContain(`lists of ${DATASET} are missing; "kept test" names them.`);
  expect(code).toBe(7);
  const tested = await cli('kept', 'test', '--json');
  expect(JSON.parse(tested.stdout).gaps).toMatchObject([
    { reason: expect.stringMatching(/^\d+ rows are missing: the service states/) },
  ]);
});

test('rows of one time in another order at each page are all read in the end', async () => {
  view = turned;
  await cli('settings', 'set', 'pageRows', '50');
  const { code, stdout } = await cli('items', DATASET, '--all', '--json');
  const { items, total, complete } = JSON.parse(stdout);
  expect({ code, complete }).toEqual({ code: 0, complete: true });
  expect(new Set(items.map(({ id }: { id: string }) => id)).size).toBe(total);
  expect((await cli('snapshots', DATASET, '--json')).stdout, 'a version').toContain('takenAt');
});

test('NaN and Infinity in an answer are missing values, and each record names its own', async () => {
  view = (items) =>
    items.slice(0, 3).map((item, at) => {
      const odd = [{ score: '@NaN', range: [1, '@-Infinity'] }, { score: 0.5 }, { score: '@Infinity' }][at];
      return { ...(item as object), metadata: odd };
    });
  const { stdout } = await cli('items', DATASET, '--all', '--json');
  expect(JSON.parse(stdout).items).toMatchObject([
    {
      metadata: { score: null, range: [1, null] },
      not_finite: 'metadata.score: NaN, metadata.range.1: -Infinity',
    },
    { metadata: { score: 0.5 } },
    { metadata: { score: null }, not_finite: 'metadata.score: Infinity' },
  ]);
  expect(JSON.parse(stdout).items[1]).not.toHaveProperty('not_finite');
  const listed = await cli('items', DATASET);
  expect(listed.stderr).toContain(
    '2 records with NaN or Infinity, which JSON does not have, read as no value: metadata.score: NaN, metadata.range.1: -Infinity',
  );
  const file = `${folder.path}/odd.csv`;
  await cli('export', 'datasets.items', DATASET, '--output', file, '--json');
  expect(readFileSync(file, 'utf8')).toMatch(/metadata\.score: NaN/);
});
