/** From selected spans to items of a dataset at the sample service: calls, missing spans, missing permissions. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  arrived,
  bucketsOf,
  callsOf,
  isLlm,
  open,
  prepared,
  preview,
  storedItems,
  withTwoGone,
} from '../helpers/dataset-builds.ts';
import { READ_ONLY_TOKEN } from '../helpers/sample-service.ts';

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

  test('two of them missing at the service: shown in place, excluded, nothing sent twice', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const { buildId, gone } = await withTwoGone(raw, rig);
    await rig.target(buildId, 'Answers');
    const stopped = await rig.commit(buildId);
    expect(stopped).toMatchObject({
      state: 'stopped',
      reason: 'The service could not find 2 spans. Nothing of their request was written.',
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
    // 200 are written, 200 rejected because of the two missing ones, then 200 and 50 written.
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

  test('the decision about missing spans is accepted while the dataset is being checked', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const { buildId } = await withTwoGone(raw, rig);
    await rig.target(buildId, 'Answers');
    await rig.commit(buildId);
    raw.service.setFaults([
      { match: { operation: 'datasets.items' }, times: 1, action: { type: 'delay', delayMs: 300 } },
    ]);
    const check = builds.control(buildId, 'verify');
    await arrived(raw);
    await expect(builds.control(buildId, 'verify')).rejects.toMatchObject({
      code: 'CONFLICT',
      message: 'Something else is being done with this build. Try again when that has ended.',
    });
    expect(await builds.change(buildId, { name: 'Answers of May', marginMs: 1 })).toMatchObject({
      name: 'Answers of May',
    });
    await builds.settleUnresolved(buildId, 'exclude', null);
    await check;
    expect(await builds.whenIdle(buildId)).toMatchObject({
      state: 'done',
      counts: { acknowledged: 450, excluded: 2, unresolved: 0 },
    });
  });

  test('spans that cannot be found are skipped without a question on demand', async () => {
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

  test('between the receipt of a call and the next call other work runs', async () => {
    const turns: boolean[] = [];
    let hadTurn = true;
    const { rig } = await open({
      wrapClient: (client) => ({
        ...client,
        call: async (operation, input, options) => {
          if (operation !== 'datasets.add-spans') return client.call(operation, input, options);
          turns.push(hadTurn);
          const answer = await client.call(operation, input, options);
          hadTurn = false;
          // Scheduled behind the work that the answer causes.
          setImmediate(() => setImmediate(() => (hadTurn = true)));
          return answer;
        },
      }),
    });
    expect(await rig.commit(await prepared(rig))).toMatchObject({ state: 'done' });
    expect(turns).toEqual([true, true, true]);
  });
});

describe('limits of a connection', () => {
  test('read-only: rejected before anything is sent', async () => {
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

  test('offline: selected, mapped, previewed; sent once the service is back', async () => {
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
