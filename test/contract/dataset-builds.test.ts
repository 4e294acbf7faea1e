/** From picked spans to a dataset: basket, preview, calls, what the service then holds. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { BuildRow } from '../../electron/shared/dataset-model.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DatasetRig, type DatasetRigOptions, MAPPING } from '../helpers/dataset-rig.ts';
import { RawService, READ_ONLY_TOKEN, TOKEN } from '../helpers/sample-service.ts';

const cleanUp = cleanUpAfterEach();

async function open(options: Partial<DatasetRigOptions> = {}): Promise<{ raw: RawService; rig: DatasetRig }> {
  const raw = await RawService.start();
  const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, ...options });
  cleanUp(async () => {
    await rig[Symbol.asyncDispose]();
    expect(raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
    await raw.service.stop();
  });
  return { raw, rig };
}

const isLlm = (record: Record<string, unknown>) => record['span_type'] === 'llm';

/** Every row of the preview, window by window as a grid asks for it. */
function preview(rig: DatasetRig, buildId: string): BuildRow[] {
  const rows: BuildRow[] = [];
  for (;;) {
    const page = rig.datasets.builds.readRows(buildId, {
      mapping: null,
      show: 'all',
      offset: rows.length,
      limit: 200,
    });
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length === page.matchingRows) return rows;
  }
}

/** Items of the service as the preview writes them. */
async function storedItems(raw: RawService, datasetId: string): Promise<Record<string, unknown>[]> {
  const path = raw.path('datasets.items', { dataset_id: datasetId }, '?limit=1000');
  return (await raw.page(path)).items;
}

const bucketsOf = ({ inputs, expected_outputs, metadata, extras }: Record<string, unknown>) => ({
  inputs,
  expected_outputs,
  metadata,
  extras,
});

function callsOf(raw: RawService): { requests: number; statuses: Record<string, number> } {
  return raw.service.report().operations['datasets.add-spans'] ?? { requests: 0, statuses: {} };
}

/** 450 spans that are there, and two of a trace that is deleted at the service after they were picked. */
async function withTwoGone(raw: RawService, rig: DatasetRig): Promise<{ buildId: string; gone: string[] }> {
  const buildId = await rig.newBuild();
  const query = await rig.openSpans(await rig.selection());
  const { rows } = await rig.library.rows(query, { limit: 200 });
  const traceId = String(rows[100]?.record['trace_id']);
  const two = rows.filter(({ record }) => record['trace_id'] === traceId).slice(0, 2);
  expect(two).toHaveLength(2);
  const others = (record: Record<string, unknown>) => record['trace_id'] !== traceId;
  await rig.pick(buildId, 250, others);
  await rig.pick(buildId, 2, (record) => two.some((row) => row.record['span_id'] === record['span_id']));
  await rig.pick(buildId, 450, others);
  const applicationId = await rig.applicationId();
  await raw.raw('DELETE', raw.path('traces.delete'), {
    body: { application_id: applicationId, trace_ids: [traceId] },
  });
  return { buildId, gone: two.map(({ record }) => String(record['span_id'])) };
}

describe('450 spans', () => {
  test('become 450 items in exactly three calls, equal to the preview item for item', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 450, isLlm);
    await rig.target(buildId, 'Answers of May');
    expect(builds.plan(buildId)).toMatchObject({ calls: 3, spans: 450 });
    expect(builds.get(buildId)).toMatchObject({ state: 'editing', problems: [], counts: { picked: 450 } });

    const build = await rig.commit(buildId);
    expect(build).toMatchObject({
      state: 'done',
      counts: { acknowledged: 450, unsent: 0, unknown: 0 },
      batches: { total: 3, acknowledged: 3 },
      check: { verdict: 'count-agrees', itemsBefore: 0, itemsAfter: 450, expectedAdded: 450 },
    });
    expect(callsOf(raw)).toEqual({ requests: 3, statuses: { 201: 3 } });

    const rows = preview(rig, buildId);
    expect(rows).toHaveLength(450);
    expect(rows.every(({ missing, isCut }) => missing.length === 0 && !isCut)).toBe(true);
    const items = await storedItems(raw, build.datasetId ?? '');
    expect(items.map(bucketsOf)).toEqual(rows.map(({ item }) => item));
    expect(items.map(({ id }) => id)).toEqual(rows.map(({ itemId }) => itemId));

    expect(await builds.control(buildId, 'verify')).toMatchObject({
      check: { verdict: 'equal', comparedItems: 450, equalItems: 450, differences: [] },
    });
    expect(rig.touched).toContain(build.datasetId);
  });

  test('two of them gone at the service: shown in place, left out, nothing sent twice', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const { buildId, gone } = await withTwoGone(raw, rig);
    await rig.target(buildId, 'Answers');
    const stopped = await rig.commit(buildId);
    expect(stopped).toMatchObject({
      state: 'stopped',
      reason: 'The service could not find 2 spans. Nothing of their call was written.',
      counts: { picked: 452, acknowledged: 200, unresolved: 2, unsent: 250 },
    });
    const show = { mapping: null, show: 'unresolved', offset: 0, limit: 10 } as const;
    const { rows } = builds.readRows(buildId, show);
    expect(rows.map(({ span_id }) => span_id).sort()).toEqual(gone.toSorted());
    for (const { message, span_id } of rows) expect(message).toContain(span_id);

    await builds.settleUnresolved(buildId, 'exclude', null);
    const done = await builds.whenIdle(buildId);
    expect(done).toMatchObject({
      state: 'done',
      counts: { picked: 452, acknowledged: 450, excluded: 2, unresolved: 0 },
      check: { verdict: 'count-agrees', itemsAfter: 450 },
    });
    // 200 written, 200 refused for the two, then 200 and 50 written.
    expect(callsOf(raw)).toEqual({ requests: 4, statuses: { 201: 3, 422: 1 } });
    const kept = preview(rig, buildId).filter(({ state }) => state === 'acknowledged');
    const items = await storedItems(raw, done.datasetId ?? '');
    expect(items.map(bucketsOf)).toEqual(kept.map(({ item }) => item));

    expect(await builds.writeFile(buildId, 'receipts', rig.path('receipts.csv'))).toEqual({ rows: 450 });
    const lines = readFileSync(rig.path('receipts.csv'), 'utf8').trimEnd().split('\n');
    expect(lines[0]).toBe('trace_id,span_id,item_id,call,dataset_id');
    expect(lines.slice(1).map((line) => line.split(',')[2])).toEqual(items.map(({ id }) => id));
    expect(await builds.writeFile(buildId, 'unresolved', rig.path('gone.csv'))).toEqual({ rows: 2 });
    expect(await builds.writeFile(buildId, 'items', rig.path('items.jsonl'))).toEqual({ rows: 450 });
    const first = JSON.parse(readFileSync(rig.path('items.jsonl'), 'utf8').split('\n')[0] ?? '');
    expect(bucketsOf(first)).toEqual(kept[0]?.item);
  });

  test('spans that cannot be found are skipped without a question where that is wished', async () => {
    const { raw, rig } = await open();
    const { buildId } = await withTwoGone(raw, rig);
    await rig.target(buildId, 'Answers');
    await rig.datasets.builds.change(buildId, { skipsUnresolved: true });
    expect(await rig.commit(buildId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 450, excluded: 2 },
    });
    expect(callsOf(raw)).toEqual({ requests: 4, statuses: { 201: 3, 422: 1 } });
  });

  test('a time range that was too narrow is widened, and the same spans are found', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 5);
    await rig.target(buildId, 'Answers');
    const timeRange = { startTime: '2020-01-01T00:00:00Z', endTime: '2020-01-02T00:00:00Z' };
    await builds.change(buildId, { timeRange });
    expect(await rig.commit(buildId)).toMatchObject({ state: 'stopped', counts: { unresolved: 5 } });
    await builds.change(buildId, { timeRange: null });
    await builds.settleUnresolved(buildId, 'retry', 3_600_000);
    expect(await builds.whenIdle(buildId)).toMatchObject({ state: 'done', counts: { acknowledged: 5 } });
    expect(callsOf(raw).statuses).toEqual({ 422: 1, 201: 1 });
  });
});

describe('the basket', () => {
  test('picks every span of a query, page by page, and says what it did', async () => {
    const { raw, rig } = await open({ options: { pageRows: 300 } });
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    const selection = await rig.selection();
    await rig.pick(buildId, 10);
    expect(builds.pickAll(buildId, selection)).toMatchObject({ fill: { phase: 'running' } });
    await expect(builds.control(buildId, 'commit')).rejects.toMatchObject({ code: 'CONFLICT' });
    const build = await builds.whenIdle(buildId);
    const total = build.fill?.total ?? 0;
    expect(total).toBeGreaterThan(1_000);
    expect(build).toMatchObject({
      fill: { phase: 'done', fetched: total, added: total - 10, hasMovedWhileRead: false, isCut: false },
      counts: { picked: total, unsent: total, withoutRecord: 0 },
    });
    const pages = raw.service.report().operations['spans.query']?.requests ?? 0;
    expect(pages).toBeGreaterThanOrEqual(Math.ceil(total / 300));
    expect(rig.builds.length).toBeGreaterThan(1);
  });

  test('says that the list moved while it was read, and is stopped on the way', async () => {
    const { raw, rig } = await open({ options: { pageRows: 100 } });
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    const selection = { ...(await rig.selection()), ordering: 'start_time' };
    const query = await rig.openSpans(selection);
    const { rows } = await rig.library.rows(query, { offset: 0, limit: 1 });
    builds.pickAll(buildId, selection);
    await rig.until(() => rig.builds.find(({ fill }) => (fill?.fetched ?? 0) >= 100));
    await raw.raw('DELETE', raw.path('traces.delete'), {
      body: { application_id: selection.application_id, trace_ids: [String(rows[0]?.record['trace_id'])] },
    });
    const moved = await rig.until(() => rig.builds.find(({ fill }) => fill?.hasMovedWhileRead === true));
    expect(moved.fill?.phase).toBe('running');
    builds.stopPicking(buildId);
    const stopped = await builds.whenIdle(buildId);
    expect(stopped.fill).toMatchObject({ phase: 'stopped', hasMovedWhileRead: true });
    expect(stopped.counts.picked).toBe(stopped.fill?.added);
  });

  test('outlives filters and pages; what is picked twice is there once', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 30, isLlm);
    await rig.pick(buildId, 50, isLlm);
    await rig.pick(buildId, 20, ({ span_type: type }) => type === 'tool');
    expect(builds.get(buildId).counts).toMatchObject({ picked: 70, unsent: 70 });
    const rows = preview(rig, buildId);
    const refs = rows.slice(0, 3).map(({ trace_id, span_id }) => ({ trace_id, span_id }));
    expect(builds.findPicked(buildId, [...refs, { trace_id: 'none', span_id: 'none' }])).toEqual([
      { position: 0, state: 'unsent' },
      { position: 1, state: 'unsent' },
      { position: 2, state: 'unsent' },
      null,
    ]);
    builds.exclude(buildId, [0, 1], true);
    expect(builds.get(buildId).counts).toMatchObject({ picked: 70, unsent: 68, excluded: 2 });
    builds.exclude(buildId, [1], false);
    await builds.unpick(buildId, refs.slice(2));
    expect(builds.get(buildId).counts).toMatchObject({ picked: 69, unsent: 68, excluded: 1 });
    const copy = await builds.copy(buildId);
    expect(copy).toMatchObject({ state: 'editing', counts: { picked: 69, unsent: 68, excluded: 1 } });
    expect(preview(rig, copy.buildId).map(({ item }) => item)).toEqual(
      preview(rig, buildId).map(({ item }) => item),
    );
    await builds.unpick(buildId, 'excluded');
    expect(builds.get(buildId).counts).toMatchObject({ picked: 68, excluded: 0 });
    await builds.unpick(buildId, 'all');
    expect(builds.get(buildId)).toMatchObject({ counts: { picked: 0 }, spanRange: null });
    builds.forget(buildId);
    expect(builds.list().map((build) => build.buildId)).toEqual([copy.buildId]);
    expect(() => builds.get(buildId)).toThrow('there is none with the id');
  });

  test('a span that is not at its place any more is missing, not another one', async () => {
    const { rig } = await open();
    const buildId = await rig.newBuild();
    const query = await rig.openSpans(await rig.selection());
    const { rows } = await rig.library.rows(query, { limit: 2 });
    const [first, second] = rows.map(({ record }) => ({
      trace_id: String(record['trace_id']),
      span_id: String(record['span_id']),
    }));
    if (first === undefined || second === undefined) throw new Error('There are no spans.');
    const result = await rig.datasets.builds.pickRows(buildId, query, [
      { ...first, position: 0 },
      { ...second, position: 0 },
    ]);
    expect(result).toMatchObject({ added: 1, known: 0, missing: [second] });
    const other = { ...query, body: { ...query.body, application_id: crypto.randomUUID() } };
    await expect(
      rig.datasets.builds.pickRows(buildId, other, [{ ...first, position: 0 }]),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('spans that the dataset holds already are left out, and added where that is wished', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const first = await rig.newBuild();
    await rig.pick(first, 30, isLlm);
    await rig.target(first, 'Answers');
    const { datasetId } = await rig.commit(first);
    const second = await rig.newBuild();
    await rig.pick(second, 50, isLlm);
    const target = { kind: 'existing' as const, datasetId: datasetId ?? '', name: 'Answers' };
    expect(await builds.change(second, { target, mapping: MAPPING })).toMatchObject({
      counts: { added: 30, unsent: 20 },
    });
    expect(await builds.change(second, { skipsAdded: false })).toMatchObject({
      counts: { added: 0, unsent: 50 },
    });
    expect(await builds.change(second, { skipsAdded: true })).toMatchObject({
      counts: { added: 30, unsent: 20 },
    });
    expect(await rig.commit(second)).toMatchObject({
      state: 'done',
      counts: { added: 30, acknowledged: 20 },
      check: { verdict: 'count-agrees', itemsBefore: 30, itemsAfter: 50 },
    });
    expect(await storedItems(raw, datasetId ?? '')).toHaveLength(50);
  });
});

describe('the mapping', () => {
  test('keys with their coverage, what is missing, and a first suggestion', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 40, isLlm);
    await rig.pick(buildId, 10, ({ span_type: type }) => type === 'tool');
    const { keys, total } = builds.listKeys(buildId, { search: '', offset: 0, limit: 200 });
    expect(keys).toHaveLength(total);
    expect(keys.find(({ key }) => key === 'user.intent')).toMatchObject({
      count: 50,
      of: 50,
      types: ['string'],
    });
    expect(keys.find(({ key }) => key === 'system.gen_ai.llm.output')).toMatchObject({ count: 40, of: 50 });
    expect(builds.listKeys(buildId, { search: 'COST', offset: 0, limit: 5 }).keys).toMatchObject([
      { key: 'user.cost_usd', types: ['number'] },
    ]);
    const check = await builds.checkMapping(buildId, [...MAPPING, ...MAPPING.slice(0, 1)]);
    expect(check).toMatchObject({
      problems: ['inputs: the field question occurs more than once.'],
      spansWithMissing: 10,
    });
    expect(check.coverage[0]).toEqual({ present: 40, of: 50 });
    const missing = builds.readRows(buildId, { mapping: MAPPING, show: 'missing', offset: 0, limit: 50 });
    expect(missing.matchingRows).toBe(10);
    expect(missing.rows[0]).toMatchObject({ span_type: 'tool', item: { expected_outputs: {} } });
    expect(missing.rows[0]?.missing.map(({ field }) => field)).toEqual([
      'question',
      'answer',
      'model',
      'tokens',
    ]);

    const { entries } = await builds.suggestMapping(buildId);
    const place = (key: string) => entries.find((entry) => entry.key === key);
    expect(place('system.gen_ai.llm.input.user')).toMatchObject({ bucket: 'inputs', field: 'question' });
    expect(place('system.gen_ai.llm.output')).toMatchObject({ bucket: 'expected_outputs', field: 'answer' });
    expect(place('system.gen_ai.request.model')).toMatchObject({ bucket: 'metadata', field: 'model' });
    expect((await builds.checkMapping(buildId, entries)).problems).toEqual([]);
  });

  test('one that cannot be sent is refused in words, and nothing is sent', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await expect(builds.control(buildId, 'commit')).rejects.toMatchObject({
      message:
        'Nothing was sent. Pick at least one span. Map at least one key to inputs. Choose a dataset or name a new one.',
    });
    await rig.pick(buildId, 1);
    await rig.target(buildId, ' ', [{ bucket: 'extras', field: '', key: '' }]);
    expect(builds.get(buildId).problems).toEqual([
      'Map at least one key to inputs.',
      'A field of extras has no name.',
      'A field of extras has no key.',
      'The new dataset has no name.',
    ]);
    expect(callsOf(raw).requests).toBe(0);
  });

  test('is kept by name for the application', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const applicationId = await rig.applicationId();
    builds.savePreset({ applicationId, name: 'Answers', mapping: MAPPING });
    const again = builds.savePreset({ applicationId, name: 'Answers', mapping: MAPPING.slice(0, 1) });
    expect(builds.listPresets(applicationId)).toEqual([again]);
    builds.removePreset(again.presetId);
    expect(builds.listPresets(applicationId)).toEqual([]);
  });

  test('keys without an origin are found as the service finds them', async () => {
    const { raw, rig } = await open();
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 3, isLlm);
    await rig.target(buildId, 'Answers', [
      { bucket: 'inputs', field: 'question', key: 'gen_ai.llm.input.user' },
      { bucket: 'inputs', field: 'none', key: 'no.such.key' },
    ]);
    const { datasetId } = await rig.commit(buildId);
    const rows = preview(rig, buildId);
    expect(rows[0]?.missing).toMatchObject([{ field: 'none' }]);
    expect((await storedItems(raw, datasetId ?? '')).map(bucketsOf)).toEqual(rows.map(({ item }) => item));
  });
});

describe('what a connection may not or cannot do', () => {
  test('read-only: refused before anything is sent', async () => {
    const { raw, rig } = await open();
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 3);
    await rig.target(buildId, 'Answers');
    rig.library.clientRig.switches.isReadOnly = true;
    await expect(rig.datasets.builds.control(buildId, 'commit')).rejects.toMatchObject({ code: 'READ_ONLY' });
    expect(rig.datasets.builds.get(buildId).state).toBe('editing');
    expect(callsOf(raw).requests).toBe(0);
  });

  test('a token without permission pauses the build with the reason', async () => {
    const { raw, rig } = await open({ token: READ_ONLY_TOKEN });
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 3);
    await rig.target(buildId, 'Answers');
    expect(await rig.commit(buildId)).toMatchObject({ state: 'paused', error: { code: 'FORBIDDEN' } });
    expect(callsOf(raw).requests).toBe(0);
  });

  test('offline: picked, mapped, previewed; sent once the service is back', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    await rig.openSpans(await rig.selection());
    const buildId = await rig.newBuild();
    const { switches } = rig.library.clientRig;
    await rig.applicationId();
    const query = await rig.openSpans(await rig.selection());
    switches.isOffline = true;
    const { rows } = await rig.library.rows(query, { limit: 5 });
    const spans = rows.map(({ position, record }) => ({
      position,
      trace_id: String(record['trace_id']),
      span_id: String(record['span_id']),
    }));
    await builds.pickRows(buildId, query, spans);
    await rig.target(buildId, 'Answers');
    expect(preview(rig, buildId)).toHaveLength(5);
    await builds.control(buildId, 'commit');
    const waiting = await rig.until(() => rig.builds.find(({ state }) => state === 'waiting'));
    expect(waiting).toMatchObject({ error: { code: 'OFFLINE' }, counts: { unsent: 5 } });
    switches.isOffline = false;
    rig.datasets.wake();
    expect(await builds.whenIdle(buildId)).toMatchObject({ state: 'done', counts: { acknowledged: 5 } });
  });
});
