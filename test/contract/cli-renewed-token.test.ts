/**
 * A token becomes invalid during some work: the message names the connection, and the work continues there with a new
 * token.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { churnCsv } from '../helpers/make-files.ts';
import { type CliResult, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const NEW = 'new-token-9876543210';
const DATASET = 'Claims triage, edge cases';

let raw: RawService;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  raw = await RawService.start({ token: TOKEN, tokens: [{ token: NEW, role: 'read-write' }] });
  folder = temporaryFolder('renewed-token');
});
afterEach(async () => {
  const report = raw.service.report();
  await raw.service.stop();
  folder.remove();
  expect(report).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const run = (token: string, ...args: string[]) =>
  runHere([...args, '--json'], { token, dataDir: folder.path });
const withOld = (...args: string[]) => run(TOKEN, ...args, '--base-url', raw.service.baseUrl);
/** Continues the connection with the new token, as the message about the rejected one says. */
function renewed({ code, stderr }: CliResult): (...args: string[]) => Promise<CliResult> {
  expect(code).toBe(6);
  const [, id = ''] = /by --connection ([0-9a-f-]{36}) instead of --base-url\./.exec(stderr) ?? [];
  expect(stderr).toMatch(/^error UNAUTHORIZED: /m);
  expect(id).not.toBe('');
  return (...args) => run(NEW, ...args, '--connection', id);
}
const refuse = (
  operation: 'events.publish' | 'spans.query' | 'datasets.add-spans' | 'datasets.list' | 'datasets.update',
  after = 1,
) => raw.service.setFaults([{ match: { operation }, after, action: { type: 'status', status: 401 } }]);
const parsed = ({ stdout }: CliResult) => JSON.parse(stdout);

test('a refused token leaves no connection of its own behind', async () => {
  await withOld('datasets');
  const names = () => readdirSync(join(folder.path, 'connections'));
  const before = names();
  refuse('datasets.list');
  const refused = await run(NEW, 'datasets', '--base-url', raw.service.baseUrl);
  expect(refused).toMatchObject({ code: 6 });
  expect(names()).toEqual(before);
  // The old token was accepted before, so everything stored remains readable.
  expect(await withOld('datasets')).toMatchObject({ code: 6 });
  expect(names()).toEqual(before);
});

test('a refused token keeps a connection that had an accepted request', async () => {
  refuse('spans.query');
  // The command first looks up the application by its name.
  const refused = await withOld('spans', '--application', 'Support assistant', '--since', '30d');
  expect(refused).toMatchObject({ code: 6 });
  expect(readdirSync(join(folder.path, 'connections'))).toHaveLength(1);
});

test('an upload: the new token sends the rest, each row once', async () => {
  const file = join(folder.path, 'churn.csv');
  writeFileSync(file, churnCsv(60));
  refuse('events.publish', 2);
  const stopped = await withOld('upload', file, '--model', 'Bank churn', '--batch-rows', '20');
  const again = renewed(stopped);
  raw.service.setFaults([]);
  const [job] = parsed(await again('uploads')).items;
  expect(job).toMatchObject({ state: 'paused' });
  expect(parsed(await again('uploads', 'resume', job.id))).toMatchObject({
    acknowledged: 60,
    unknown: 0,
    unsent: 0,
  });
});

test('an export reads its remaining rows with the new token', async () => {
  refuse('datasets.list');
  const file = join(folder.path, 'datasets.jsonl');
  const again = renewed(await withOld('export', 'datasets', '--output', file));
  raw.service.setFaults([]);
  const { items } = parsed(await again('jobs'));
  const mine = items.find(({ kind }: { kind: string }) => kind === 'export');
  expect(mine).toBeDefined();
  expect((await again('export', 'datasets', '--output', file)).code).toBe(0);
});

test('a change of the outbox: the new token sends it once', async () => {
  const { items } = await raw.page(raw.path('datasets.list'));
  const id = String(items.find(({ name }) => name === DATASET)?.['id']);
  await withOld('update', 'datasets', id, '--body', '{"description": "once"}', '--outbox');
  const [entry] = parsed(await withOld('outbox')).items;
  refuse('datasets.update');
  const again = renewed(await withOld('outbox', 'send', entry.entryId));
  raw.service.setFaults([]);
  expect((await again('outbox', 'send', entry.entryId)).code).toBe(0);
  expect(raw.service.report().operations['datasets.update']?.requests).toBe(2);
  expect(parsed(await again('outbox')).items).toMatchObject([{ state: 'done' }]);
});

test('a build from spans: the new token writes the rest, each span once', async () => {
  const of = ['--application', 'Support assistant'];
  const { items } = parsed(await withOld('spans', ...of, '--since', '30d', '--limit', '250'));
  const spans = join(folder.path, 'spans.jsonl');
  writeFileSync(spans, items.map((span: unknown) => JSON.stringify(span)).join('\n'));
  refuse('datasets.add-spans', 2);
  const mapping = '{"inputs": {"question": "gen_ai.llm.output"}}';
  const begun = ['from-spans', 'Answers', ...of, '--spans', spans, '--mapping', mapping, '--create'];
  const again = renewed(await withOld(...begun));
  raw.service.setFaults([]);
  const [build] = parsed(await again('builds')).items;
  const done = parsed(await again('builds', 'resume', build.buildId));
  expect(done).toMatchObject({ state: 'done', written: items.length, unknown: 0, unsent: 0 });
  const written = await raw.page(raw.path('datasets.items', { dataset_id: done.datasetId }, '?limit=1000'));
  expect(written.items).toHaveLength(items.length);
});
