/**
 * Rows of files become items of a dataset: the items that are added, and the job during rejections, lost answers and
 * kills.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { suggestItemColumns } from '../../electron/shared/item-columns.ts';
import type { ItemColumn, ItemsPlan } from '../../electron/shared/items-model.ts';
import { itemsAsJob } from '../../electron/shared/job-kinds/items.ts';
import { progressOfJob } from '../../renderer/lib/job-labels.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { bucketsOf, storedItems } from '../helpers/dataset-builds.ts';
import { DatasetRig, type DatasetRigOptions } from '../helpers/dataset-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

let raw: RawService;
let folder: DataFolder;
let rig: DatasetRig;
let datasetId: string;

const open = (more: Partial<DatasetRigOptions> = {}) =>
  new DatasetRig({
    baseUrl: raw.service.baseUrl,
    token: TOKEN,
    keptFolder: folder,
    haste: 1_000,
    ...more,
  });

beforeEach(async () => {
  raw = await RawService.start();
  folder = new DataFolder();
  rig = open();
  const { items } = await rig.client
    .list('applications.list', {}, { priority: 'view' })
    .then(({ value }) => value);
  const body = { name: 'From files', application_id: items[0]?.['id'] };
  const { value } = await rig.client.call('datasets.create', { body }, { priority: 'view' });
  datasetId = value.id;
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
  folder[Symbol.dispose]();
});

const inputs = (source: string): ItemColumn => ({ source, place: 'inputs', field: source, type: 'str' });

function plan(name: string, text: string, changes: Partial<ItemsPlan> = {}): ItemsPlan {
  const fileId = folder.file(name);
  writeFileSync(fileId, text);
  const format = name.endsWith('.jsonl') ? 'jsonl' : name.endsWith('.json') ? 'json' : 'csv';
  return {
    ...{ datasetId, datasetName: 'From files', fileId, fileName: name },
    dialect: { format, encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
    columns: [inputs('question')],
    flattens: false,
    onBadRow: 'stop',
    itemsPerRequest: 10,
    ...changes,
  };
}

const questions = (count: number) =>
  ['question', ...Array.from({ length: count }, (_, at) => `q${at + 1}`)].join('\n');
const added = async () => (await storedItems(raw, datasetId)).map((item) => bucketsOf(item).inputs);
const questionOf = (item: unknown) => (item as { question: string }).question;
const asked = () => raw.service.report().operations['datasets.add-items']?.requests ?? 0;

async function run(given: ItemsPlan) {
  const { itemsId } = await rig.datasets.items.create(given, true, null);
  return rig.datasets.items.whenIdle(itemsId);
}

test('items that are to be added at once are never stored without being added: another process would add them too', async () => {
  const { commit } = rig.store;
  const seen: string[] = [];
  rig.store.commit = (work) => {
    const done = commit(work);
    seen.push(...rig.store.items.jobs.list().map(({ state }) => state));
    return done;
  };
  const { itemsId } = await rig.datasets.items.create(plan('q.csv', questions(5)), true, null, []);
  rig.store.commit = commit;
  expect(new Set(seen)).toEqual(new Set(['running']));
  await rig.datasets.items.whenIdle(itemsId);
  expect(await added()).toHaveLength(5);
});

test('every row is one item, in the order of the file, with its receipts', async () => {
  const job = await run(plan('q.csv', questions(25)));
  expect(job).toMatchObject({
    state: 'done',
    counts: { rows: 25, badRows: 0, added: 25, refused: 0, unknown: 0 },
  });
  expect(await added()).toEqual(Array.from({ length: 25 }, (_, at) => ({ question: `q${at + 1}` })));
  expect(asked()).toBe(3);
  expect(rig.touched).toContain(datasetId);
  const receipts = folder.file('receipts.csv');
  expect(await rig.datasets.items.writeReceipts(job.itemsId, receipts)).toEqual({ rows: 25 });
});

test('a service that rejects every size as too large pauses the addition, even after rows were accepted', async () => {
  raw.service.setFaults([
    {
      match: { operation: 'datasets.add-items' },
      after: 2,
      times: 1_000,
      action: { type: 'status', status: 413 },
    },
  ]);
  const job = await run(plan('q.csv', questions(400), { itemsPerRequest: 100 }));
  expect(job).toMatchObject({
    state: 'paused',
    reason: expect.stringMatching(/^Even a request of [\d,]+ bytes was refused as too large \(413\)/),
    counts: { added: 100, refused: 0 },
  });
  expect(asked()).toBeLessThan(10);
  raw.service.setFaults([]);
  rig.datasets.items.control(job.itemsId, 'resume', null);
  expect(await rig.datasets.items.whenIdle(job.itemsId)).toMatchObject({
    state: 'done',
    counts: { added: 400 },
  });
});

test('columns are mapped to their buckets with their types; nested keys are flattened on request; digits are kept', async () => {
  const line =
    '{"question":"a","ref":{"text":"b","by":{"name":"c"}},"cost":12345678901234567890,"span":"s1","no":null}';
  const columns: ItemColumn[] = [
    inputs('question'),
    { source: 'ref', place: 'expected_outputs', field: '', type: 'json' },
    { source: 'cost', place: 'extras', field: 'cost', type: 'int' },
    { source: 'no', place: 'metadata', field: 'no', type: 'json' },
    { source: 'span', place: 'source_id', field: '', type: 'str' },
  ];
  const given = plan('q.jsonl', line, { columns, flattens: true });
  expect(await rig.datasets.items.check(given)).toMatchObject({
    ...{ rows: 1, items: 1, badRows: 0, requests: 1 },
    fields: {
      'inputs.question': 1,
      'expected_outputs.text': 1,
      'expected_outputs.by.name': 1,
      'extras.cost': 1,
    },
  });
  expect(asked()).toBe(0);
  expect(await run(given)).toMatchObject({ state: 'done' });
  const [item] = await storedItems(raw, datasetId);
  expect(bucketsOf(item ?? {})).toMatchObject({
    inputs: { question: 'a' },
    expected_outputs: { text: 'b', 'by.name': 'c' },
    metadata: { no: null },
  });
  expect(item?.['source_id']).toBe('s1');
});

test('a file with bad rows sends nothing, unless they are to be skipped', async () => {
  const columns: ItemColumn[] = [
    inputs('question'),
    { source: 'n', place: 'extras', field: 'n', type: 'int' },
  ];
  const text = 'question,n\na,1\nb,x\nc,3';
  const stopped = await run(plan('q.csv', text, { columns }));
  expect(stopped).toMatchObject({ state: 'failed', error: { code: 'FILE_MALFORMED' } });
  expect(stopped.reason).toMatch(/line 3/);
  expect(asked()).toBe(0);
  const skipped = await run(plan('q.csv', text, { columns, onBadRow: 'skip' }));
  expect(skipped).toMatchObject({ state: 'done', counts: { rows: 3, badRows: 1, added: 2 } });
});

test('a key that two values would use is named, and nothing is sent', async () => {
  const twice = [inputs('question'), { ...inputs('other'), field: 'question' }];
  await expect(run(plan('q.csv', 'question,other\na,b', { columns: twice }))).rejects.toThrow(
    /inputs.question/,
  );
  const line = '{"question":"a","more":{"question":"b"}}';
  const columns: ItemColumn[] = [
    inputs('question'),
    { source: 'more', place: 'inputs', field: '', type: 'json' },
  ];
  const check = await rig.datasets.items.check(plan('q.jsonl', line, { columns }));
  expect(check.firstBad).toMatchObject([{ column: 'more', reason: expect.stringContaining('got two') }]);
});

test('an item that the service rejects is found by halving; the others are added once', async () => {
  await rig[Symbol.asyncDispose]();
  rig = open({
    wrapClient: (client) => ({
      ...client,
      call: (operation, input, options) => {
        const isBad = operation === 'datasets.add-items' && String(input.bodyText).includes('"q7"');
        // The service rejects the body because of its content.
        return client.call(operation, isBad ? { ...input, bodyText: '{"items":[]}' } : input, options);
      },
    }),
  });
  const job = await run(plan('q.csv', questions(20)));
  expect(job).toMatchObject({ state: 'done', counts: { added: 19, refused: 1, unknown: 0 } });
  const got = (await added()).map(questionOf);
  expect(new Set(got).size).toBe(19);
  expect(got).not.toContain('q7');
  expect(rig.datasets.items.listParts(job.itemsId, ['refused'], 0, 10).parts).toMatchObject([
    { items: 1, firstRow: 7 },
  ]);
});

test.each([
  ['the connection was lost', { type: 'drop-after' }],
  ['a proxy answered 503', { type: 'status', status: 503, isStored: true }],
  ['a page of a proxy answered 502', { type: 'html', status: 502, isStored: true }],
] as const)(
  'a request whose answer was lost after the work (%s) is found by the ids of its items, and not sent again',
  async (_how, action) => {
    raw.service.setFaults([{ match: { operation: 'datasets.add-items' }, after: 2, times: 1, action }]);
    const job = await run(plan('q.csv', questions(30)));
    expect(job).toMatchObject({ state: 'done', counts: { added: 30, unknown: 0 } });
    expect((await added()).length).toBe(30);
    expect(asked()).toBe(3);
  },
);

const dropped = (after: number, times = 1) =>
  raw.service.setFaults([
    { match: { operation: 'datasets.add-items' }, after, times, action: { type: 'drop' } },
  ]);
/** The client of a service that answers an addition with other ids than those that were sent. */
const answering =
  (idsOf: (ids: string[]) => string[]): NonNullable<DatasetRigOptions['wrapClient']> =>
  (client) => ({
    ...client,
    call: async (operation, input, options) => {
      const answer = await client.call(operation, input, options);
      // The cast is safe, because the answer of this operation is an array of ids.
      return operation === 'datasets.add-items'
        ? { ...answer, value: idsOf(answer.value as string[]) as typeof answer.value }
        : answer;
    },
  });

test.each([
  ['soon after it was sent', { options: { evidenceSettleMs: 3_600_000 } }],
  [
    'if the service gives items ids of its own',
    { wrapClient: answering((ids) => ids.map((id) => `own ${id}`)) },
  ],
])('%s, a request without an answer is not reported as not stored', async (_when, more) => {
  await rig[Symbol.asyncDispose]();
  rig = open(more);
  dropped(2);
  const { itemsId, state } = await run(plan('q.csv', questions(30)));
  expect(state).toBe('needs-decision');
  const { parts } = rig.datasets.items.listParts(itemsId, ['unknown'], 0, 9);
  expect(parts).toMatchObject([{ part: 1, evidence: null }]);
});

test('a decision that was made while other requests were looked for stays', async () => {
  dropped(2, 2);
  const { items } = rig.datasets;
  const { itemsId } = await items.create(plan('q.csv', questions(40)), false, null);
  const { parts } = rig.store.items;
  const { save } = parts;
  parts.save = (id, part) => {
    save(id, part);
    // Not within the transaction.
    if (part.part === 1 && part.evidence !== null) queueMicrotask(() => items.decide(id, 2, 'give-up'));
  };
  items.control(itemsId, 'start', null);
  const job = await items.whenIdle(itemsId);
  expect(job).toMatchObject({ state: 'needs-decision', counts: { added: 20, givenUp: 10, unknown: 10 } });
});

test('an answer without one id for each item is no receipt: nothing is sent again, and no id is invented', async () => {
  await rig[Symbol.asyncDispose]();
  const answers = [(ids: string[]) => ids.slice(1), () => [], (ids: string[]) => ids.map(() => 'same')];
  rig = open({ wrapClient: answering((ids) => (answers.shift() ?? ((all: string[]) => all))(ids)) });
  const job = await run(plan('q.csv', questions(40)));
  expect(job).toMatchObject({ state: 'done', counts: { added: 40, unknown: 0, doubtful: 30 } });
  expect(progressOfJob(itemsAsJob(job))).toBe('40 of 40 items added · 30 with a doubtful receipt');
  expect([asked(), (await added()).length]).toEqual([4, 40]);
  const { parts } = rig.datasets.items.listParts(job.itemsId, ['doubtful'], 0, 9);
  expect(parts.map(({ part, error }) => [part, error?.code])).toEqual(
    [0, 1, 2].map((part) => [part, 'RECEIPT_DOUBTFUL']),
  );
  const receipts = folder.file('receipts.csv');
  expect(await rig.datasets.items.writeReceipts(job.itemsId, receipts)).toEqual({ rows: 40 });
  const idsOfRows = readFileSync(receipts, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[1]);
  expect(idsOfRows.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => ''));
  expect(new Set(idsOfRows.slice(30)).size).toBe(10);
});

test('three lost answers in a row pause the addition', async () => {
  dropped(1, 10);
  const job = await run(plan('q.csv', questions(60)));
  expect(job).toMatchObject({ state: 'paused', counts: { added: 0, unknown: 30 } });
  expect(asked()).toBe(3);
});

test('the rest continues after a restart of the program, from the row where it stopped', async () => {
  const { itemsId } = await rig.datasets.items.create(plan('q.csv', questions(60)), true, null);
  await rig.until(() => ((rig.datasets.items.get(itemsId).counts.added ?? 0) >= 10 ? true : undefined));
  await rig[Symbol.asyncDispose]();
  rig = open();
  rig.datasets.recover({ continues: true });
  const job = await rig.datasets.items.whenIdle(itemsId);
  expect(job).toMatchObject({ state: 'done', counts: { added: 60 } });
  const got = (await added()).map(questionOf);
  expect(got).toEqual(Array.from({ length: 60 }, (_, at) => `q${at + 1}`));
});

test('a request in flight when the program was killed after a pause is decided by the items of the dataset', async () => {
  raw.service.setFaults([
    {
      match: { operation: 'datasets.add-items' },
      after: 2,
      times: 1,
      action: { type: 'hang', isStored: true },
    },
  ]);
  const { itemsId } = await rig.datasets.items.create(plan('q.csv', questions(30)), true, null);
  await expect.poll(added).toHaveLength(20);
  rig.datasets.items.control(itemsId, 'pause', null);
  const killed = { ...rig.store.items.jobs.load(itemsId) };
  const [inFlight] = rig.store.items.parts.list(itemsId, ['sending'], 0, 1);
  await rig[Symbol.asyncDispose]();
  rig = open();
  // A killed process stores no outcome.
  expect([killed.state, inFlight?.part]).toEqual(['paused', 1]);
  rig.store.commit(() => inFlight && rig.store.items.parts.save(itemsId, inFlight));
  rig.datasets.recover({ continues: true });
  expect(rig.datasets.items.listParts(itemsId, ['unknown'], 0, 9).parts).toMatchObject([{ part: 1 }]);
  expect(rig.datasets.items.get(itemsId)).toMatchObject({ state: 'paused', counts: { unknown: 10 } });
  rig.datasets.items.control(itemsId, 'resume', null);
  expect(await rig.datasets.items.whenIdle(itemsId)).toMatchObject({ state: 'done', counts: { added: 30 } });
  expect(await added()).toHaveLength(30);
});

test('a file that changed meanwhile is not continued', async () => {
  const given = plan('q.csv', questions(30));
  const { itemsId } = await rig.datasets.items.create(given, false, null);
  writeFileSync(given.fileId, questions(31));
  rig.datasets.items.control(itemsId, 'start', null);
  expect(await rig.datasets.items.whenIdle(itemsId)).toMatchObject({
    state: 'failed',
    error: { code: 'FILE_CHANGED' },
  });
  expect(asked()).toBe(0);
});

test('names propose the targets: of an export of items, of the keys of the dataset, of common names', () => {
  const columns = [
    'inputs.question',
    'answer',
    'topic',
    'latency',
    'prompt',
    'metadata',
    'id',
    'span_id',
  ].map((name) => ({
    name,
    type: name === 'metadata' ? ('json' as const) : ('str' as const),
  }));
  const placed = suggestItemColumns(columns, { metadata: ['prompt'] }).map(
    ({ place, field }) => `${place}.${field}`,
  );
  expect(placed).toEqual([
    'inputs.question',
    'expected_outputs.answer',
    'metadata.topic',
    'extras.latency',
    'metadata.prompt',
    'metadata.',
    'null.id',
    'source_id.',
  ]);
});

test('a dataset created by the job is created once, although its answer is lost and the program ends', async () => {
  const create = { operation: 'datasets.create' } as const;
  raw.service.setFaults([{ match: create, times: 1, action: { type: 'hang', isStored: true } }]);
  const { items: applications } = await raw.page(raw.path('applications.list', {}, ''));
  const newIn = { applicationId: String(applications[0]?.['id']) };
  const given = plan('q.csv', questions(25), { datasetId: '', datasetName: 'Made by the job', newIn });
  const { itemsId } = await rig.datasets.items.create(given, true, null);
  // The dataset was created, but the answer was lost.
  const named = async () =>
    (await raw.page(raw.path('datasets.list', {}, '?limit=1000'))).items.filter(
      ({ name }) => name === 'Made by the job',
    );
  await expect.poll(named).toHaveLength(1);
  await rig[Symbol.asyncDispose]();
  rig = open();
  rig.datasets.recover({ continues: false });
  rig.datasets.items.control(itemsId, 'resume', null);
  const job = await rig.datasets.items.whenIdle(itemsId);
  expect(job).toMatchObject({ state: 'done', counts: { added: 25 } });
  expect((await named()).map(({ id }) => id)).toEqual([job.plan.datasetId]);
  expect(await storedItems(raw, job.plan.datasetId)).toHaveLength(25);
  // The name exists by now, and nothing is added to a dataset of others.
  expect(await run(given)).toMatchObject({ state: 'failed', error: { code: 'CONFLICT' } });
  expect(await storedItems(raw, job.plan.datasetId)).toHaveLength(25);
  await expect(run(plan('q.csv', questions(2), { datasetId: '' }))).rejects.toThrow('Expected a dataset');
});

test('cells edited in other content of the file are not applied: the file is neither checked nor added', async () => {
  const given = plan('q.csv', questions(5));
  const { sha256 = '' } = await rig.datasets.items.check(given);
  const cells = [{ source: 'question', line: 2, byteOffset: 18, value: 'q', with: 'Edited?' }];
  const edited = { ...given, cellEdits: { sha256, cells } };
  await expect(rig.datasets.items.check(edited)).resolves.toMatchObject({ items: 5 });
  const other = { ...given, cellEdits: { sha256: 'f'.repeat(64), cells } };
  const rejection = { code: 'FILE_CHANGED', message: expect.stringContaining('Undo the edits') };
  await expect(rig.datasets.items.check(other)).rejects.toMatchObject(rejection);
  await expect(rig.datasets.items.create(other, true, null)).rejects.toMatchObject(rejection);
});

test('content that was added meanwhile is rejected until the user was informed', async () => {
  const given = plan('q.csv', questions(5));
  const before = await rig.datasets.items.check(given);
  expect(before.addedBefore).toEqual([]);
  const { itemsId } = await run(given);
  await expect(rig.datasets.items.create(given, true, null, [])).rejects.toMatchObject({
    code: 'NEEDS_DECISION',
    message: expect.stringMatching(/^These 5 rows were added to From files on .*Nothing was added now\.$/),
  });
  const again = await rig.datasets.items.create(given, true, null, [itemsId]);
  expect(await rig.datasets.items.whenIdle(again.itemsId)).toMatchObject({ counts: { added: 5 } });
});

test('an addition planned for later is shown, too', async () => {
  const given = plan('q.csv', questions(5));
  const later = await rig.datasets.items.create(given, false, Date.now() + 86_400_000);
  expect(await rig.datasets.items.addedBefore(given)).toMatchObject([{ jobId: later.itemsId, isOpen: true }]);
});
