/** Reviews are stored with their build, each event once, even with copies and kills. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatasetStore } from '../../electron/db/build-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { countReview } from '../../electron/shared/review-fold.ts';
import type { ReviewEvent } from '../../electron/shared/review-model.ts';
import { NO_FILTER } from '../../electron/shared/run-comparison.ts';
import type { ScoreInput } from '../../electron/shared/score-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import {
  bucketsOf,
  callsOf,
  cleanUp,
  expectOnce,
  isLlm,
  open,
  preview,
  storedItems,
} from '../helpers/dataset-builds.ts';
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

test('skipped spans stay out of the dataset until the user includes them, and an undo excludes them again', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 4);
  const skip = (position: number) => mark(position, { verdict: 'skipped' });
  await builds.addReview(buildId, 0, [accept(0), mark(1, { verdict: 'rejected' }), skip(2), skip(3)]);
  expect(builds.get(buildId).counts).toMatchObject({ unsent: 1, excluded: 3 });
  await builds.addReview(buildId, 4, [{ type: 'take-skipped', takes: true, atMs: 1 }]);
  expect(builds.get(buildId).counts).toMatchObject({ unsent: 3, excluded: 1 });
  await builds.addReview(buildId, 5, [{ type: 'undo', atMs: 1 }]);
  expect(builds.get(buildId).counts).toMatchObject({ unsent: 1, excluded: 3 });
  // A span that is accepted after all is then sent.
  await builds.addReview(buildId, 6, [accept(2)]);
  expect(builds.get(buildId).counts).toMatchObject({ unsent: 2, excluded: 2 });
});

describe('a stored review', () => {
  test('is the same after a restart; repeated events are stored once, events of another review are rejected', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 3);
    await builds.addReview(buildId, 0, [accept(0), mark(1, { verdict: 'rejected', note: 'too long' })]);
    await builds.addReview(buildId, 0, [accept(0), mark(1, { verdict: 'rejected', note: 'too long' })]);
    await expect(builds.addReview(buildId, 1, [accept(1)])).rejects.toThrow(
      /changed in another window or program/,
    );
    await expect(builds.addReview(buildId, 3, [accept(2)])).rejects.toThrow(
      /changed in another window or program/,
    );
    expect(builds.readReview(buildId, 1)).toMatchObject({ total: 2, events: [{ position: 1 }] });
    expect(countReview(await builds.review(buildId))).toMatchObject({
      accepted: 1,
      rejected: 1,
      freeNotes: 1,
    });

    const { buildId: copyId } = await builds.copy(buildId);
    await builds.addReview(copyId, 2, [{ type: 'undo', atMs: 1 }]);
    expect(countReview(await builds.review(copyId))).toMatchObject({ accepted: 1, rejected: 0 });
    expect(countReview(await builds.review(buildId))).toMatchObject({ accepted: 1, rejected: 1 });

    builds.forget(buildId);
    await expect.poll(() => rig.store.reviews.count(buildId)).toBe(0);
    expect(rig.store.reviews.count(copyId)).toBe(3);
  });

  test('a page of events stays below the message limit, and the rest is read separately', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    for (let seq = 0; seq < 4; seq += 1)
      await builds.addReview(buildId, seq, [mark(seq, { verdict: 'edited', expected: 'x'.repeat(40_000) })]);
    const first = builds.readReview(buildId, 0);
    expect([first.events.length, first.total]).toEqual([2, 4]);
    expect(builds.readReview(buildId, 2).events).toHaveLength(2);
  });

  test('kill -9 loses at most the last decision', async () => {
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
      expect(countReview(await after.datasets.builds.review(buildId)).accepted).toBe(total);
      kept = total;
      await after[Symbol.asyncDispose]();
    }
    folder[Symbol.dispose]();
  });
});

describe('the decisions are applied to the dataset', () => {
  const edit = (position: number, expected: string) => mark(position, { verdict: 'edited', expected });

  test('edited spans are sent as items, the rest by their spans, rejected ones not at all: one plan, one list of receipts', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 430, isLlm);
    await rig.target(buildId, 'Reviewed');
    await builds.addReview(buildId, 0, [
      ...Array.from({ length: 210 }, (_, at) => edit(at, `Answer ${at}: 89 € by card.`)).slice(0, 150),
      mark(400, { verdict: 'rejected' }),
    ]);
    await builds.addReview(buildId, 151, [
      ...Array.from({ length: 60 }, (_, at) => edit(150 + at, `Answer ${150 + at}`)),
      // The edit is undone, so the span is sent unchanged.
      edit(300, 'Not this'),
      { type: 'undo', atMs: 1 },
    ]);
    expect(builds.plan(buildId)).toMatchObject({ spans: 429, edited: 210, calls: 4, itemCalls: 2 });
    expect(builds.plan(buildId).requests).toContainEqual({ operation: 'datasets.add-items', count: 2 });

    const done = await rig.commit(buildId);
    expect(done).toMatchObject({
      state: 'done',
      counts: { acknowledged: 429, excluded: 1 },
      check: { verdict: 'count-agrees', itemsAfter: 429 },
    });
    expect(callsOf(raw)).toEqual({ requests: 2, statuses: { 201: 2 } });
    expect(raw.service.report().operations['datasets.add-items']).toMatchObject({ requests: 2 });
    const rows = preview(rig, buildId).filter(({ state }) => state === 'acknowledged');
    const items = await storedItems(raw, done.datasetId ?? '');
    const byId = new Map(items.map((item) => [item['id'], item]));
    expect(rows.map(({ itemId }) => bucketsOf(byId.get(itemId) ?? {}))).toEqual(rows.map(({ item }) => item));
    expect(rows[7]?.item?.expected_outputs).toEqual({ answer: 'Answer 7: 89 € by card.' });
    expectOnce(
      items.map((item) => String(item['source_id'])),
      429,
    );
    expect(await builds.control(buildId, 'verify')).toMatchObject({
      check: { verdict: 'equal', comparedItems: 429, equalItems: 429 },
    });
    expect(await builds.writeFile(buildId, 'receipts', rig.path('receipts.csv'))).toEqual({ rows: 429 });
  });

  test('a lost answer to edited items is resolved by their ids, also among spans of the same source', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 12, isLlm);
    await rig.target(buildId, 'Reviewed');
    await builds.addReview(buildId, 0, [edit(3, 'Edited'), edit(4, 'Edited')]);
    raw.service.setFaults([
      { match: { operation: 'datasets.add-items' }, times: 1, action: { type: 'drop-after' } },
      { match: { operation: 'datasets.add-spans' }, times: 1, action: { type: 'drop-after' } },
    ]);
    const done = await rig.commit(buildId);
    expect(done, done.reason).toMatchObject({ state: 'done', counts: { acknowledged: 12, unknown: 0 } });
    expectOnce(
      (await storedItems(raw, done.datasetId ?? '')).map((item) => String(item['source_id'])),
      12,
    );
    expect(await builds.control(buildId, 'verify')).toMatchObject({ check: { verdict: 'equal' } });
  });

  test('a copy has the edits and the rejections; an edit requires a record; a sent build stays unchanged', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 3, isLlm);
    await builds.pickGiven(buildId, [
      { trace_id: 't', span_id: 'known by id', start_time: '2026-01-01T00:00:00Z', record: null },
    ]);
    await rig.target(buildId, 'Reviewed');
    await builds.addReview(buildId, 0, [edit(0, 'Edited'), mark(1, { verdict: 'rejected' })]);
    await expect(builds.addReview(buildId, 2, [edit(3, 'Blind')])).rejects.toThrow(/Only the id of the span/);
    const copy = await builds.copy(buildId);
    const answers = (id: string) => preview(rig, id).map(({ item }) => item?.expected_outputs['answer']);
    expect(answers(copy.buildId)).toEqual(answers(buildId));
    expect(answers(copy.buildId)[0]).toBe('Edited');
    expect(builds.get(copy.buildId).counts).toMatchObject({ excluded: 1, unsent: 3 });
    const other = await rig.newBuild('Other');
    builds.pickAll(other, { kind: 'basket', buildId, name: 'Reviewed' });
    await builds.whenIdle(other);
    await rig.target(other, 'Reviewed elsewhere');
    expect(answers(other)[0]).toBe('Edited');
    // Undone only in the copy.
    await builds.addReview(copy.buildId, 2, [
      { type: 'undo', atMs: 1 },
      { type: 'undo', atMs: 1 },
    ]);
    expect(builds.get(copy.buildId).counts).toMatchObject({ excluded: 0, unsent: 4 });
    expect(answers(copy.buildId)[0]).not.toBe('Edited');
    expect(answers(buildId)[0]).toBe('Edited');
    expect(builds.readSpan(buildId, null, 0)).toMatchObject({
      row: { isEdited: true, item: { expected_outputs: { answer: 'Edited' } } },
      expected: answers(copy.buildId)[0],
    });

    await builds.unpick(copy.buildId, 'all');
    expect(builds.readPlaces(copy.buildId, 0)).toEqual([]);
    const [first] = preview(rig, buildId);
    await builds.unpick(buildId, [{ trace_id: first?.trace_id ?? '', span_id: first?.span_id ?? '' }]);
    expect(builds.readPlaces(buildId, 0)).toEqual([1, 2, 3]);
    expect(builds.readPlaces(buildId, 2)).toEqual([2, 3]);
  });
});

describe('failure kinds, notes and files of a review', () => {
  test('a span and its edits are added to another draft together, or neither is', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const [from, to] = [await rig.newBuild('Reviewed'), await rig.newBuild('Added')];
    await rig.pick(from, 1, isLlm);
    await rig.target(from, 'Answers');
    await builds.addReview(from, 0, [mark(0, { verdict: 'edited', expected: 'As it should be' })]);
    const { edit } = rig.store.spans;
    // At this point the program ends, or the disk is full.
    Object.assign(rig.store.spans, {
      edit: () => {
        throw new AppError('DISK_FULL', 'The disk is full.');
      },
    });
    await expect(builds.pickOf(to, from, [0])).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(builds.get(to).counts.picked).toBe(0);
    Object.assign(rig.store.spans, { edit });
    expect((await builds.pickOf(to, from, [0])).counts.picked).toBe(1);
    expect(rig.store.spans.edits(to, [0]).get(0)).toBe('As it should be');
  });

  test('a span is added to another draft with its edits, even a rejected one, as one undo step, and is sent once', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const [from, to] = [await rig.newBuild('Reviewed'), await rig.newBuild('Added')];
    await rig.pick(from, 4, isLlm);
    await rig.target(from, 'Answers');
    await builds.addReview(from, 0, [
      mark(1, { verdict: 'rejected' }),
      mark(2, { verdict: 'edited', expected: 'As it should be' }),
    ]);
    const spans = preview(rig, from);
    expect(await builds.pickOf(to, from, [1, 2, 99])).toMatchObject({
      counts: { picked: 2, unsent: 2, withoutRecord: 0 },
      undo: { what: 'pick', spans: 2 },
    });
    // The items are added again with the current edits, and existing items stay.
    await builds.addReview(from, 2, [mark(2, { verdict: 'edited', expected: 'Later' })]);
    expect((await builds.pickOf(to, from, [2, 3])).counts.picked).toBe(3);
    await rig.target(to, 'Answers');
    expect(preview(rig, to).map(({ span_id: id, item }) => [id, item?.expected_outputs['answer']])).toEqual([
      [spans[1]?.span_id, spans[1]?.item?.expected_outputs['answer']],
      [spans[2]?.span_id, 'As it should be'],
      [spans[3]?.span_id, spans[3]?.item?.expected_outputs['answer']],
    ]);
    const { datasetId } = await rig.commit(to);
    if (datasetId === null) throw new Error('Nothing was sent.');
    // The review continues with the same dataset, and existing items are not added again.
    await builds.change(from, { target: { kind: 'existing', datasetId, name: 'Answers' } });
    await rig.commit(from);
    const items = await storedItems(raw, datasetId);
    expectOnce(
      items.map((item) => String(item['source_id'])),
      4,
    );
    expect(raw.service.report()).toMatchObject({ violations: 0 });
  });

  test('its failure kinds count the items of its spans when two score runs are compared', async () => {
    const { rig } = await open();
    const { builds, scores } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 6, isLlm);
    await rig.target(buildId, 'Scored');
    await builds.addReview(buildId, 0, [
      // One span is sent as an item, two by reference, and one not at all.
      mark(0, { verdict: 'edited', expected: 'Yes.' }),
      mark(3, { verdict: 'rejected' }),
      { type: 'group', kindId: 'k', name: 'Too long', positions: [0, 1], atMs: 1 },
      { type: 'group', kindId: 'l', name: 'Wrong tone', positions: [2, 3], atMs: 1 },
    ]);
    const { datasetId } = await rig.commit(buildId);
    const run = async (input: ScoreInput) => {
      const plan = { evaluator: 'conciseness', parameters: {}, inputs: [input], itemIds: null };
      const { runId } = scores.start({ ...plan, datasetId: datasetId ?? '', datasetName: 'Scored' });
      return (await scores.whenIdle(runId)).runId;
    };
    const before = await run({ input: 'response', from: { kind: 'text', text: 'Yes.' } });
    const after = await run({ input: 'response', from: { kind: 'text', text: 'word '.repeat(80) } });
    const { comparisons } = rig.datasets;
    const question = {
      runs: [before, after].map((id) => ({ kind: 'scores' as const, id })),
      ...{ baseline: 0, score: null, lowerIsBetter: false, filter: NO_FILTER },
      ...{ hasShape: true, offset: 0, limit: 100 },
    };
    const compared = await comparisons.compare(question);
    expect(compared.shape?.failureKinds.map(({ name, counts }) => [name, counts.worse])).toEqual([
      ['Too long', 2],
      ['Wrong tone', 1],
    ]);
    expect(compared.rows.filter(({ failureKind }) => failureKind === null)).toHaveLength(2);
    const tooLong = { ...NO_FILTER, kind: 'Too long' };
    expect((await comparisons.compare({ ...question, filter: tooLong })).total).toBe(2);
    // If a kind is renamed, it is renamed in the copy too.
    await builds.addReview(buildId, 4, [{ type: 'rename-kind', kindId: 'k', name: 'Rambling', atMs: 2 }]);
    expect((await comparisons.compare({ ...question, filter: tooLong })).total).toBe(0);
    expect((await comparisons.compare(question)).shape?.failureKinds.map(({ name }) => name)).toEqual([
      'Rambling',
      'Wrong tone',
    ]);
  });

  test('spans of another application are rejected', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const from = await rig.newBuild();
    await rig.pick(from, 1);
    const other = { applicationId: crypto.randomUUID(), applicationName: 'Other', name: 'Other' };
    const { buildId } = builds.create(other);
    await expect(builds.pickOf(buildId, from, [0])).rejects.toThrow(/another draft of the same application/);
  });

  test('a review is saved from the window as a table, or as lines if the file name says so', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 3);
    await builds.addReview(buildId, 0, [
      mark(0, { verdict: 'rejected', note: '=1+1', labels: ['hard'] }),
      { type: 'group', kindId: 'k', name: 'Too long', positions: [0], atMs: 1 },
      mark(2, { note: 'look again' }),
    ]);
    const csv = rig.path('review.csv');
    expect(await builds.writeFile(buildId, 'review', csv)).toEqual({ rows: 2 });
    const [head, first] = readFileSync(csv, 'utf8').split('\n');
    expect(head).toMatch(/,verdict,failure_kind,labels,note,expected_output,decided_at$/);
    expect(first).toContain(`,rejected,Too long,"[""hard""]",'=1+1,,`);
    const lines = rig.path('review.jsonl');
    await builds.writeFile(buildId, 'review', lines);
    expect(JSON.parse(readFileSync(lines, 'utf8').split('\n')[1] ?? '')).toMatchObject({
      ...{ verdict: null, failure_kind: null, labels: [], note: 'look again', expected_output: null },
    });
  });
});

test('review export writes the decisions of each span as CSV and JSON Lines, or a part of them', async () => {
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
  // The items were sent.
  expect((await cli('review', 'take-skipped', buildId)).stderr).toContain(
    'The items of this build were sent',
  );
  expect((await cli('review', 'export', '--verdict', 'good', '--output', lines)).code).toBe(2);
  expect((await cli('review', 'export', '--output', folder.file('review.xlsx'))).stderr).toContain(
    '.csv or .jsonl',
  );
  expect(raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});
