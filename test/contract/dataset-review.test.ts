/** Reviews as they are kept with their build: event by event, once each, through copies and kills. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatasetStore } from '../../electron/db/build-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { countReview, type ReviewEvent } from '../../electron/shared/review-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { cleanUp, open } from '../helpers/dataset-builds.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { runHere } from '../helpers/run-here.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const lives = new Lives('review-child.ts');
afterEach(() => lives.killAll());

type Patch = Extract<ReviewEvent, { type: 'mark' }>['patch'];
const mark = (position: number, patch: Patch): ReviewEvent => ({
  type: 'mark',
  position,
  patch,
  atMs: Date.UTC(2026, 0, 1),
});
const accept = (position: number) => mark(position, { verdict: 'accepted' });

describe('a kept review', () => {
  test('is the same after a restart; events that come twice are there once, those of another are refused', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 3);
    builds.addReview(buildId, 0, [accept(0), mark(1, { verdict: 'rejected', note: 'too long' })]);
    builds.addReview(buildId, 0, [accept(0), mark(1, { verdict: 'rejected', note: 'too long' })]);
    expect(() => builds.addReview(buildId, 1, [accept(1)])).toThrow(/changed in another window or program/);
    expect(() => builds.addReview(buildId, 3, [accept(2)])).toThrow(/changed in another window or program/);
    expect(builds.readReview(buildId, 1)).toMatchObject({ total: 2, events: [{ position: 1 }] });
    expect(countReview(builds.review(buildId))).toMatchObject({ accepted: 1, rejected: 1, freeNotes: 1 });

    const { buildId: copyId } = await builds.copy(buildId);
    builds.addReview(copyId, 2, [{ type: 'undo', atMs: 1 }]);
    expect(countReview(builds.review(copyId))).toMatchObject({ accepted: 1, rejected: 0 });
    expect(countReview(builds.review(buildId))).toMatchObject({ accepted: 1, rejected: 1 });

    builds.forget(buildId);
    await expect.poll(() => rig.store.reviews.count(buildId)).toBe(0);
    expect(rig.store.reviews.count(copyId)).toBe(3);
  });

  test('a page of events stays below what a message carries, and the rest is asked for', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    for (let seq = 0; seq < 4; seq += 1)
      builds.addReview(buildId, seq, [mark(seq, { verdict: 'edited', expected: 'x'.repeat(40_000) })]);
    const first = builds.readReview(buildId, 0);
    expect([first.events.length, first.total]).toEqual([2, 4]);
    expect(builds.readReview(buildId, 2).events).toHaveLength(2);
  });

  test('kill -9 loses at most the decision that was just made', async () => {
    const raw = await RawService.start();
    const folder = new DataFolder();
    cleanUp(() => raw.service.stop());
    const rigOf = () => new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, keptFolder: folder });
    const rig = rigOf();
    const buildId = await rig.newBuild();
    await rig[Symbol.asyncDispose]();
    const args = {
      url: raw.service.baseUrl,
      token: TOKEN,
      folder: folder.path,
      build: buildId,
      most: '2000',
    };
    let kept = 0;
    for (const killAfter of [5, 23]) {
      const said = Number(await lives.live(args, killAfter)) + 1;
      const after = rigOf();
      const { total } = after.datasets.builds.readReview(buildId, 0);
      expect(total).toBeGreaterThanOrEqual(said);
      expect(total).toBeLessThanOrEqual(said + 1);
      expect(said).toBeGreaterThan(kept);
      expect(countReview(after.datasets.builds.review(buildId)).accepted).toBe(total);
      kept = total;
      await after[Symbol.asyncDispose]();
    }
    folder[Symbol.dispose]();
  });
});

test('review export writes what was said of each span as CSV and JSON Lines, or a part of it', async () => {
  const raw = await RawService.start();
  const folder = new DataFolder();
  cleanUp(async () => {
    await raw.service.stop();
    folder[Symbol.dispose]();
  });
  const cli = (...args: string[]) =>
    runHere([...args, '--base-url', raw.service.baseUrl], { token: TOKEN, dataDir: folder.path });
  expect(await cli('review')).toMatchObject({ code: 0, stdout: expect.stringContaining('No review yet.') });

  const { items } = await raw.page(raw.path('applications.list'));
  const answer = await raw.call('POST', raw.path('spans.query'), {
    body: {
      application_id: String(items[0]?.['id']),
      ...{ start_time: '2020-01-01T00:00:00Z', end_time: '2040-01-01T00:00:00Z', page_size: 3 },
    },
  });
  const spans = folder.file('spans.json');
  writeFileSync(spans, JSON.stringify(answer.envelope.data?.['items']));
  const made = await cli(
    ...['from-spans', '--application', String(items[0]?.['name']), '--spans', spans, '--create', 'Reviewed'],
    ...['--mapping', '{"inputs": {"question": "user.intent"}}', '--json'],
  );
  expect(made, made.stderr).toMatchObject({ code: 0 });
  const { buildId } = JSON.parse(made.stdout);
  const [connection = ''] = readdirSync(folder.file('connections'));
  const store = openDatasetStore({
    file: join(folder.path, 'connections', connection, 'datasets.db'),
    clock: systemClock,
    logger: silentLogger,
  });
  store.reviews.append(buildId, 0, [
    accept(0),
    mark(1, { verdict: 'rejected', note: 'Counts the voucher, "as money"', labels: ['hard', 'voucher'] }),
    { type: 'group', kindId: 'k1', name: 'Wrong refund amount', positions: [1], atMs: 1 },
  ]);
  store.close();

  expect(JSON.parse((await cli('review', '--json')).stdout)).toMatchObject({
    items: [{ id: buildId, spans: 3, accepted: 1, rejected: 1, notes: 1, kinds: 1 }],
  });
  const csv = folder.file('review.csv');
  expect(JSON.parse((await cli('review', 'export', '--output', csv, '--json')).stdout)).toMatchObject({
    rows: 2,
  });
  const [head, first, second] = readFileSync(csv, 'utf8').split('\n');
  expect(head).toContain('verdict,failure_kind,labels,note,expected_output,decided_at');
  expect(first).toContain(',accepted,,');
  expect(second).toContain('rejected,Wrong refund amount');
  expect(second).toContain('"Counts the voucher, ""as money"""');
  const lines = folder.file('rejected.jsonl');
  await cli('review', 'export', buildId, '--verdict', 'rejected', '--output', lines);
  expect(
    readFileSync(lines, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { verdict: 'rejected', failure_kind: 'Wrong refund amount', labels: ['hard', 'voucher'] },
  ]);
  expect((await cli('review', 'export', '--failure-kind', 'Rude', '--output', lines)).stderr).toContain(
    'There is no failure kind “Rude”. There are: Wrong refund amount.',
  );
  expect((await cli('review', 'export', '--verdict', 'good', '--output', lines)).code).toBe(2);
  expect((await cli('review', 'export', '--output', folder.file('review.xlsx'))).stderr).toContain(
    '.csv or .jsonl',
  );
  expect(raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});
