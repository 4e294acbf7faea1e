/** Spans are read again before the first call: this reports exactly the changes since they were prepared. */
import { expect, test } from 'vitest';
import { callsOf, expectOnce, isLlm, open, sources, storedItems } from '../helpers/dataset-builds.ts';
import type { DatasetRig } from '../helpers/dataset-rig.ts';

const QUESTION = 'system.gen_ai.llm.input.user';

/** 60 spans with a question. When they were selected, one had other values, and the service had two more. */
async function prepared(rig: DatasetRig): Promise<{ buildId: string; spanIds: string[] }> {
  const buildId = await rig.newBuild();
  const query = await rig.openSpans(await rig.selection());
  const { rows } = await rig.library.rows(query, { limit: 400 });
  const records = rows
    .map(({ record }) => record)
    .filter(isLlm)
    .slice(0, 60);
  const given = records.map((record, at) => {
    const { span_attributes: attributes } = record;
    const before = at === 7 ? { ...(attributes as object), [QUESTION]: 'As it was asked then' } : attributes;
    return refOf({ ...record, span_attributes: before });
  });
  const gone = [1, 2].map((n) =>
    refOf({ ...records[0], trace_id: '0'.repeat(31) + n, span_id: '0'.repeat(15) + n }),
  );
  await rig.datasets.builds.pickGiven(buildId, [...given, ...gone]);
  await rig.target(buildId, 'Answers', [{ bucket: 'inputs', field: 'question', key: QUESTION }]);
  return { buildId, spanIds: records.map((record) => String(record['span_id'])) };
}

function refOf(record: Record<string, unknown>) {
  const [trace_id, span_id] = [String(record['trace_id']), String(record['span_id'])];
  return { trace_id, span_id, start_time: String(record['start_time']), record };
}

test('missing and changed spans are shown before anything is sent; then it continues with the current ones', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const { buildId, spanIds } = await prepared(rig);
  await builds.change(buildId, { rechecks: true });
  expect(builds.plan(buildId).requests).toContainEqual({ operation: 'spans.query', count: 7 });
  const stopped = await rig.commit(buildId);
  expect(stopped).toMatchObject({
    state: 'stopped',
    reason:
      'Nothing was sent yet. Of 62 spans as you prepared them: 2 spans gone, 1 span with other values. Look at what changed, then continue.',
    recheck: { phase: 'found', checked: 62, gone: 2, changed: 1 },
  });
  expect(callsOf(raw).requests ?? 0).toBe(0);
  const { differences, total } = builds.readDifferences(buildId, 0, 50);
  expect(total).toBe(3);
  expect(differences).toMatchObject([
    { spanId: spanIds[7], kind: 'changed', changes: [{ path: 'inputs.question', kind: 'changed' }] },
    { kind: 'gone', changes: [] },
    { kind: 'gone', changes: [] },
  ]);
  const removed = differences[0]?.changes[0]?.pieces.filter(({ kind }) => kind !== 'added');
  expect(removed?.map(({ text }) => text).join('')).toBe('As it was asked then');

  await builds.control(buildId, 'resume');
  const done = await builds.whenIdle(buildId);
  expect(done).toMatchObject({
    state: 'done',
    counts: { acknowledged: 60, excluded: 2 },
    recheck: { phase: 'taken' },
  });
  const stored = await sources(raw, done.datasetId);
  expectOnce(stored, 60);
  expect(await builds.control(buildId, 'verify')).toMatchObject({
    check: { verdict: 'equal', equalItems: 60 },
  });
  expect(await storedItems(raw, done.datasetId ?? '')).toHaveLength(60);
});

test('a build without changes continues automatically; without the option nothing is read again', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const queries = () => raw.service.report().operations['spans.query']?.requests ?? 0;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 30);
  await rig.target(buildId, 'Same', [{ bucket: 'inputs', field: 'intent', key: 'user.intent' }]);
  await builds.change(buildId, { rechecks: true });
  const before = queries();
  expect(await rig.commit(buildId)).toMatchObject({
    state: 'done',
    counts: { acknowledged: 30 },
    recheck: { phase: 'same', checked: 30, gone: 0, changed: 0 },
  });
  expect(queries()).toBe(before + 3);
  const other = await rig.newBuild();
  await rig.pick(other, 30);
  await rig.target(other, 'Unread', [{ bucket: 'inputs', field: 'intent', key: 'user.intent' }]);
  const then = queries();
  expect(await rig.commit(other)).toMatchObject({ state: 'done', recheck: null });
  expect(queries()).toBe(then);
});

test('a service that does not answer such a query does not block the sending', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 30);
  await rig.target(buildId, 'Refused', [{ bucket: 'inputs', field: 'intent', key: 'user.intent' }]);
  await builds.change(buildId, { rechecks: true });
  raw.service.setFaults([{ match: { operation: 'spans.query' }, action: { type: 'status', status: 400 } }]);
  expect(await rig.commit(buildId)).toMatchObject({
    state: 'done',
    counts: { acknowledged: 30 },
    recheck: { phase: 'refused' },
  });
});

test('a service that repeats its page is not asked forever', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 5);
  await rig.target(buildId, 'Repeated', [{ bucket: 'inputs', field: 'intent', key: 'user.intent' }]);
  await builds.change(buildId, { rechecks: true });
  const body = [{ trace_id: '0'.repeat(32), span_id: '0'.repeat(16) }];
  raw.service.setFaults([
    { match: { operation: 'spans.query' }, action: { type: 'not-envelope', status: 200, body } },
  ]);
  expect(await rig.commit(buildId)).toMatchObject({
    state: 'paused',
    reason: expect.stringMatching(/ 3 times/),
  });
  expect(callsOf(raw).requests ?? 0).toBe(0);
});

const DAY_MS = 86_400_000;

/** 40 spans. Some are at the service three days before the time known here. */
async function withMoved(rig: DatasetRig, moved: number, gone: number): Promise<string> {
  const buildId = await rig.newBuild();
  const query = await rig.openSpans(await rig.selection());
  const { rows } = await rig.library.rows(query, { limit: 400 });
  const records = rows
    .map(({ record }) => record)
    .filter(isLlm)
    .slice(0, 40);
  const given = records.map((record, at) => {
    const start_time = new Date(Date.parse(String(record['start_time'])) + 3 * DAY_MS).toISOString();
    return refOf(at < moved ? { ...record, start_time } : record);
  });
  const absent = Array.from({ length: gone }, (_, n) =>
    refOf({ ...records[0], trace_id: String(n).padStart(32, '0'), span_id: String(n).padStart(16, '0') }),
  );
  await rig.datasets.builds.pickGiven(buildId, [...given, ...absent]);
  await rig.target(buildId, 'Moved', [{ bucket: 'inputs', field: 'question', key: QUESTION }]);
  await rig.datasets.builds.change(buildId, { rechecks: true });
  return buildId;
}

test('a span at another time is not reported missing: it is shown with that time, and added in one call', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await withMoved(rig, 12, 2);
  expect(await rig.commit(buildId)).toMatchObject({
    state: 'stopped',
    reason:
      'Nothing was sent yet. Of 42 spans as you prepared them: 2 spans gone, 12 spans at another time. Look at what changed, then continue.',
    recheck: { phase: 'found', checked: 42, gone: 2, changed: 0, moved: 12 },
  });
  const { differences, total } = builds.readDifferences(buildId, 0, 50);
  expect(total).toBe(14);
  expect(differences.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 12 }, () => 'moved'),
    ...['gone', 'gone'],
  ]);
  const [first] = differences;
  const before = await rig.library.rows(await rig.openSpans(await rig.selection()), { limit: 400 });
  const stored = before.rows.find(({ record }) => record['span_id'] === first?.spanId);
  expect(first?.startsNow).toBe(stored?.record['start_time']);

  await builds.control(buildId, 'resume');
  const done = await builds.whenIdle(buildId);
  expect(done).toMatchObject({
    state: 'done',
    counts: { acknowledged: 40, excluded: 2, unresolved: 0 },
    recheck: { phase: 'taken', gone: 2, moved: 12 },
  });
  expect(callsOf(raw)).toEqual({ requests: 1, statuses: { 201: 1 } });
  expectOnce(await sources(raw, done.datasetId), 40);
  const lastMs = Math.max(...before.rows.map(({ record }) => Date.parse(String(record['start_time']))));
  expect(Date.parse(done.spanRange?.endTime ?? '')).toBeLessThanOrEqual(lastMs);
});

test('a build with changed times only continues automatically, even if the service rejects the widest range', async () => {
  const { raw, rig } = await open();
  const buildId = await withMoved(rig, 12, 0);
  const asked = raw.service.report().operations['spans.query']?.requests ?? 0;
  raw.service.setFaults([
    // Four queries for 40 spans. The first one in a wider range is rejected. Two spans are found together with others
    // of their time.
    { match: { operation: 'spans.query' }, after: 5, times: 1, action: { type: 'status', status: 400 } },
  ]);
  expect(await rig.commit(buildId)).toMatchObject({
    state: 'done',
    counts: { acknowledged: 40, excluded: 0 },
    recheck: { phase: 'taken', gone: 0, changed: 0, moved: 12 },
  });
  expect(callsOf(raw)).toEqual({ requests: 1, statuses: { 201: 1 } });
  expect(raw.service.report().operations['spans.query']?.requests).toBe(asked + 6);
});
