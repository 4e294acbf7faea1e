/**
 * Spans from a file: they get into a basket with their content, are reviewed, and become items of a dataset, by
 * reference or as items.
 */
import { copyFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import type { Dialect } from '../../electron/shared/dialect.ts';
import type { SpanFile } from '../../electron/shared/span-file.ts';
import { extractSpans } from '../../electron/uploads/spans/extract-spans.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { callsOf, cleanUp, isLlm, open, openRig, storedItems } from '../helpers/dataset-builds.ts';
import type { DatasetRig } from '../helpers/dataset-rig.ts';
import { exportedSpan, exportedSpans } from '../helpers/span-export.ts';

const JSONL: Dialect = {
  ...{ format: 'jsonl', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
};
const CSV: Dialect = { ...JSONL, format: 'csv' };

async function fill(rig: DatasetRig, text: string, dialect = JSONL) {
  const { builds } = rig.datasets;
  const path = rig.path('spans.txt');
  writeFileSync(path, text);
  const check = await builds.checkFile({ fileId: path, dialect });
  const buildId = await rig.newBuild('From a file');
  builds.pickAll(buildId, { kind: 'file', fileId: path, dialect, name: 'spans.txt', rows: check.rows });
  return { buildId, check, build: await builds.whenIdle(buildId) };
}

test('an export of spans that the service does not have is reviewed, and becomes items with the contents of the file', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const { buildId, check, build } = await fill(rig, exportedSpans(274));
  expect(check).toMatchObject({ rows: 274, spans: 274, repeated: 0, bare: 0, timeless: 0, badRows: 0 });
  expect(build).toMatchObject({
    counts: { picked: 274, unsent: 274, withoutRecord: 0 },
    fill: { phase: 'done', fetched: 274, added: 274, total: 274 },
    undo: { what: 'pick', spans: 274 },
    ask: { phase: 'due' },
  });
  const { entries } = await builds.suggestMapping(buildId);
  expect(entries).toContainEqual(
    expect.objectContaining({ bucket: 'inputs', field: 'question', key: 'llm_input_user' }),
  );
  await rig.target(buildId, 'Answers', [
    { bucket: 'inputs', field: 'question', key: 'llm_input_user' },
    { bucket: 'expected_outputs', field: 'answer', key: 'llm_output' },
    { bucket: 'metadata', field: 'model', key: 'model_name' },
  ]);
  const first = builds.readSpan(buildId, null, 0);
  expect(first).toMatchObject({
    row: {
      ...{ name: 'ChatModel', span_type: 'llm', isOfFile: true, isEdited: false },
      ...{ input: exportedSpan(0)['llm_input_user'], output: exportedSpan(0)['llm_output'] },
    },
    record: { input: exportedSpan(0)['llm_input_user'], output: exportedSpan(0)['llm_output'] },
    expected: exportedSpan(0)['llm_output'],
  });
  // Empty columns of a flat table do not become attributes.
  expect(builds.readSpan(buildId, null, 1).row.item).toEqual({
    ...{ inputs: {}, expected_outputs: {}, metadata: {}, extras: {} },
  });
  // Tools and chains are rejected, and one answer is edited.
  const rejected = Array.from({ length: 274 }, (_, at) => at).filter((at) => at % 3 !== 0);
  await builds.addReview(buildId, 0, [
    ...rejected.map((position) => ({
      ...{ type: 'mark' as const, position, patch: { verdict: 'rejected' as const }, atMs: 1 },
    })),
    { type: 'mark', position: 3, patch: { verdict: 'edited', expected: 'As it should be' }, atMs: 2 },
  ]);
  const plan = builds.plan(buildId);
  expect(plan).toMatchObject({ spans: 92, edited: 1, ofFile: 91, unasked: 92, itemCalls: 1, calls: 1 });
  expect(plan.sentence).toBe(
    '92 items in 1 request of at most 200 spans: 0 by their spans, 92 as items (91 from a file, 1 edited).',
  );
  expect(plan.requests).toContainEqual({ operation: 'spans.query', count: 10 });

  const done = await rig.commit(buildId);
  expect(done).toMatchObject({
    state: 'done',
    counts: { acknowledged: 92 },
    ask: { phase: 'done', asked: 92, known: 0 },
  });
  expect(callsOf(raw).requests ?? 0).toBe(0);
  const items = await storedItems(raw, done.datasetId ?? '');
  expect(items).toHaveLength(92);
  const bySource = new Map(items.map((item) => [String(item['source_id']), item]));
  for (const at of [0, 3, 273]) {
    const span = exportedSpan(at);
    expect(bySource.get(String(span['span_id']))).toMatchObject({
      inputs: { question: span['llm_input_user'] },
      expected_outputs: { answer: at === 3 ? 'As it should be' : span['llm_output'] },
      metadata: { model: 'gpt-4o' },
      source_name: 'span',
    });
  }
  expect(await builds.control(buildId, 'verify')).toMatchObject({
    check: { verdict: 'equal', equalItems: 92 },
  });
});

test('spans that the service has with the same values are sent by span, the others as items, and the plan shows both', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const query = await rig.openSpans(await rig.selection());
  const { rows } = await rig.library.rows(query, { limit: 400 });
  const there = rows
    .map(({ record }) => record)
    .filter(isLlm)
    .slice(0, 30);
  const question = 'system.gen_ai.llm.input.user';
  // In the form of spans.query: 28 are unchanged; one has another value, one is missing, one is repeated, and one has
  // no id.
  const changed = there.map((record, at) =>
    at === 5
      ? { ...record, span_attributes: { ...(record['span_attributes'] as object), [question]: 'Mine' } }
      : at === 6
        ? { ...record, span_id: 'f'.repeat(16) }
        : record,
  );
  const lines = [...changed, changed[0], { ...changed[1], span_id: null }];
  const { buildId, check, build } = await fill(
    rig,
    lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  );
  expect(check).toMatchObject({ rows: 32, spans: 30, repeated: 1, badRows: 1 });
  expect(check.firstBad).toMatchObject([
    { line: 32, column: 'span_id', reason: 'Expected a span id, got none.' },
  ]);
  expect(build.counts).toMatchObject({ picked: 30, withoutRecord: 0 });
  await rig.target(buildId, 'Mixed', [{ bucket: 'inputs', field: 'question', key: question }]);
  const asked = await builds.ask(buildId);
  expect(asked).toMatchObject({ state: 'editing', ask: { phase: 'done', asked: 30, known: 28 } });
  expect(builds.plan(buildId)).toMatchObject({
    ...{ spans: 30, ofFile: 2, unasked: 0, absent: 1, other: 1, calls: 2, itemCalls: 1 },
    sentence: '30 items in 2 requests of at most 200 spans: 28 by their spans, 2 as items (2 from a file).',
  });
  const done = await rig.commit(buildId);
  expect(done).toMatchObject({ state: 'done', counts: { acknowledged: 30 } });
  expect(callsOf(raw).requests).toBe(1);
  expect(await builds.control(buildId, 'verify')).toMatchObject({
    check: { verdict: 'equal', equalItems: 30 },
  });
  const items = await storedItems(raw, done.datasetId ?? '');
  expect(
    items.filter(({ inputs }) => (inputs as Record<string, unknown>)['question'] === 'Mine'),
  ).toHaveLength(1);
});

test('settings of columns change times and null words of the spans added to a basket, and nothing else', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const path = rig.path('flat.csv');
  const line = (at: number, start: string, question: string) =>
    `${'a'.repeat(32)},${String(at).repeat(16)},${start},${question},"1,5"`;
  writeFileSync(
    path,
    [
      'trace_id,span_id,start_time,question,score',
      line(1, '13/05/2026 00:30', 'Hello'),
      line(2, '14/05/2026 00:30', 'n/a'),
      line(3, '14/31/2026 00:30', 'Late'),
    ].join('\n'),
  );
  const file: SpanFile = {
    ...{ fileId: path, dialect: CSV },
    readings: [
      {
        ...{ source: 'start_time', type: 'timestamp' },
        reading: { days: 'day-first', zone: 'Europe/Berlin' },
      },
      { source: null, type: 'str', reading: { nulls: ['n/a'] } },
    ],
  };
  expect(await builds.checkFile(file)).toMatchObject({
    ...{ rows: 3, spans: 3, timeless: 1 },
    ledger: {
      changes: expect.arrayContaining([
        expect.objectContaining({ rule: 'day-first', source: 'start_time', count: 2 }),
        expect.objectContaining({ rule: 'zone', source: 'start_time', count: 2 }),
      ]),
      decisions: [{ source: 'start_time', words: expect.stringContaining('1 value cannot be read') }],
    },
  });
  const buildId = await rig.newBuild('Flat');
  builds.pickAll(buildId, { kind: 'file', ...file, name: 'flat.csv', rows: 3 });
  expect((await builds.whenIdle(buildId)).fill).toMatchObject({ phase: 'done', added: 3 });
  const read = [0, 1, 2].map((position) => builds.readSpan(buildId, null, position).record);
  expect(read.map((record) => [record?.['start_time'], record?.['span_attributes']])).toEqual([
    ['2026-05-13 00:30:00+02:00', { question: 'Hello', score: '1,5' }],
    ['2026-05-14 00:30:00+02:00', { score: '1,5' }],
    ['14/31/2026 00:30', { question: 'Late', score: '1,5' }],
  ]);
});

test('a table of ids alone: contents are read from the service, and all are sent by span', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const query = await rig.openSpans(await rig.selection());
  const { rows } = await rig.library.rows(query, { limit: 30 });
  const table = [
    'trace_id,span_id,start_time',
    ...rows.map(({ record }) => [record['trace_id'], record['span_id'], record['start_time']].join(',')),
  ].join('\n');
  const { buildId, check, build } = await fill(rig, `${table}\n`, CSV);
  expect(check).toMatchObject({ rows: 30, spans: 30, bare: 30, keys: [] });
  expect(build).toMatchObject({ counts: { picked: 30, withoutRecord: 30 }, ask: null });
  const asked = await builds.ask(buildId);
  expect(asked.counts).toMatchObject({ picked: 30, withoutRecord: 0 });
  expect(builds.readSpan(buildId, null, 0)).toMatchObject({
    row: { name: rows[0]?.record['name'], isOfFile: false },
    record: { span_id: rows[0]?.record['span_id'] },
  });
  expect(builds.plan(buildId)).toMatchObject({ spans: 30, ofFile: 0, itemCalls: 0 });
});

test('selected spans of a file are undone and redone, copied, and looked up only on demand', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const { buildId } = await fill(rig, exportedSpans(20));
  expect((await builds.step(buildId, 'undo')).counts.picked).toBe(0);
  expect((await builds.step(buildId, 'redo')).counts.picked).toBe(20);
  const { buildId: copyId } = await builds.copy(buildId);
  const { buildId: otherId } = builds.create({
    ...{ applicationId: await rig.applicationId(), applicationName: 'Support assistant', name: 'Other' },
  });
  builds.pickAll(otherId, { kind: 'basket', buildId, name: 'From a file' });
  await builds.whenIdle(otherId);
  for (const id of [copyId, otherId])
    expect(builds.plan(id)).toMatchObject({ spans: 20, ofFile: 20, unasked: 20 });
  await rig.target(buildId, 'Unasked', [{ bucket: 'inputs', field: 'question', key: 'llm_input_user' }]);
  await builds.change(buildId, { asks: false });
  const before = raw.service.report().operations['spans.query']?.requests ?? 0;
  expect(await rig.commit(buildId)).toMatchObject({ state: 'done', ask: { phase: 'off', asked: 0 } });
  expect(raw.service.report().operations['spans.query']?.requests ?? 0).toBe(before);
});

test('a missing or changed file adds nothing more, and is reported', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const { buildId } = await fill(rig, exportedSpans(3));
  builds.pickAll(buildId, {
    kind: 'file',
    fileId: rig.path('gone.jsonl'),
    dialect: JSONL,
    name: 'gone',
    rows: 3,
  });
  expect(await builds.whenIdle(buildId)).toMatchObject({
    counts: { picked: 3 },
    fill: { phase: 'failed', added: 0, error: { code: 'FILE_NOT_FOUND' } },
  });
});

test.each(['killed', 'quit'] as const)(
  'a program that is %s in the middle of a file: added spans stay and are reported, the rest continues from there, as one undo step',
  async (how) => {
    const ROWS = 900;
    const left = new DataFolder();
    cleanUp(() => left[Symbol.dispose]());
    const [reached, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { raw, rig } = await open({
      extractSpans: async (stretch) => {
        if (stretch.start !== null) {
          // The files are in the state in which a killed process would leave them.
          for (const end of ['', '-wal', '-shm'])
            copyFileSync(rig.path(`datasets.db${end}`), left.file(`datasets.db${end}`));
          reached.resolve();
          await release.promise;
        }
        return extractSpans(stretch);
      },
    });
    const path = rig.path('spans.jsonl');
    const write = (text: string, atS: number) => {
      writeFileSync(path, text);
      utimesSync(path, atS, atS);
    };
    write(exportedSpans(ROWS), 1_700_000_000);
    const buildId = await rig.newBuild('From a file');
    const file = { kind: 'file', fileId: path, dialect: JSONL, name: 'spans.jsonl', rows: ROWS } as const;
    rig.datasets.builds.pickAll(buildId, file);
    await reached.promise;
    const stopping = rig.datasets.stop(0);
    release.resolve();
    await stopping;

    const starts: (number | null)[] = [];
    const folder = dirname(path);
    const after = openRig(raw, {
      keptFolder: how === 'killed' ? left : { path: folder, file: (name) => `${folder}/${name}` },
      extractSpans: (stretch) => {
        starts.push(stretch.start?.row ?? null);
        return extractSpans(stretch);
      },
    });
    after.datasets.recover({ continues: false });
    const { builds } = after.datasets;
    const { fill, counts } = builds.get(buildId);
    expect(counts.picked).toBeGreaterThan(0);
    expect(counts.picked).toBeLessThan(ROWS);
    const came = { fetched: counts.picked, added: counts.picked, total: ROWS };
    expect(fill).toMatchObject({ phase: 'interrupted', source: file, ...came });

    write(exportedSpans(ROWS + 1), 1_700_000_001);
    builds.pickAll(buildId, file);
    const changed = await builds.whenIdle(buildId);
    expect(changed).toMatchObject({
      counts,
      fill: { ...came, phase: 'failed', error: { code: 'FILE_CHANGED' } },
    });
    expect(changed.fill?.error?.message).toMatch(/^spans\.jsonl changed since .* Put the old file back/);

    write(exportedSpans(ROWS), 1_700_000_000);
    builds.pickAll(buildId, file);
    expect(await builds.whenIdle(buildId)).toMatchObject({
      counts: { picked: ROWS },
      fill: { phase: 'done', fetched: ROWS, added: ROWS, total: ROWS },
      undo: { what: 'pick', spans: ROWS },
    });
    expect(starts.slice(0, 2)).toEqual([counts.picked + 1, counts.picked + 1]);
  },
);
