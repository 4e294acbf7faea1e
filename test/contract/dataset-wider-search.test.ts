/**
 * Spans that a 422 names are searched in wider time ranges. They are found at another time or are really missing, and
 * nothing is added twice.
 */
import { expect, test } from 'vitest';
import { call, callsOf, expectOnce, open, sources } from '../helpers/dataset-builds.ts';
import type { DatasetRig } from '../helpers/dataset-rig.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** 55 spans that the service has three days before the time known here, and 3 that it never had. */
async function withShifted(rig: DatasetRig): Promise<{ buildId: string; shifted: string[] }> {
  const buildId = await rig.newBuild();
  const query = await rig.openSpans(await rig.selection());
  const { rows } = await rig.library.rows(query, { limit: 55 });
  const latest = Math.max(...rows.map(({ record }) => Date.parse(String(record['start_time']))));
  const refOf = (trace: unknown, span: unknown) => ({ trace_id: String(trace), span_id: String(span) });
  const startTime = new Date(latest + 3 * DAY_MS).toISOString();
  const gone = [1, 2, 3].map((n) => refOf('0'.repeat(31) + n, '0'.repeat(15) + n));
  const shifted = rows.map(({ record }) => refOf(record['trace_id'], record['span_id']));
  await rig.datasets.builds.pickGiven(
    buildId,
    [...shifted, ...gone].map((ref) => ({ ...ref, start_time: startTime, record: null })),
  );
  await rig.target(buildId, 'Answers');
  return { buildId, shifted: shifted.map(({ span_id }) => span_id) };
}

test('spans at another time are found and added once; the others are reported missing', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const { buildId, shifted } = await withShifted(rig);
  expect(await rig.commit(buildId)).toMatchObject({
    state: 'stopped',
    counts: { acknowledged: 0, unresolved: 58 },
    search: null,
  });
  await builds.settleUnresolved(buildId, 'widen', null);
  const ended = await builds.whenIdle(buildId);
  expect(ended).toMatchObject({
    state: 'stopped',
    reason:
      '3 spans were not found up to 365 days before and after their starts. The service most likely no longer has them.',
    counts: { acknowledged: 55, unresolved: 3, unsent: 0 },
    search: { end: 'widest', calls: 6, found: [{ marginMs: 7 * DAY_MS, spans: 55 }] },
  });
  // The calls are rejected for their own time, for an hour and for a day. 55 spans are found within a week, and the
  // rest is searched within 30 and 365 days.
  expect(callsOf(raw)).toEqual({ requests: 7, statuses: { 201: 1, 422: 6 } });
  const stored = await sources(raw, ended.datasetId);
  expectOnce(stored, 55);
  expect(stored.toSorted()).toEqual(shifted.toSorted());

  await builds.settleUnresolved(buildId, 'exclude', null);
  expect(await builds.whenIdle(buildId)).toMatchObject({
    state: 'done',
    counts: { acknowledged: 55, excluded: 3, unresolved: 0 },
  });
});

test('a wider search needs no user if it is requested at the start with missing spans skipped', async () => {
  const { raw, rig } = await open();
  const { buildId } = await withShifted(rig);
  await rig.datasets.builds.change(buildId, { widens: true, skipsUnresolved: true });
  expect(await rig.commit(buildId)).toMatchObject({
    state: 'done',
    counts: { acknowledged: 55, excluded: 3, unresolved: 0 },
    search: { end: 'widest' },
    check: { verdict: 'count-agrees', itemsAfter: 55 },
  });
  expect(callsOf(raw)).toEqual({ requests: 7, statuses: { 201: 1, 422: 6 } });
});

test('a service that rejects a wide range ends the search; spans not found stay missing', async () => {
  const { raw, rig } = await open();
  const { builds } = rig.datasets;
  const { buildId } = await withShifted(rig);
  raw.service.setFaults([call({ type: 'status', status: 400 }, { after: 3 })]);
  await builds.change(buildId, { widens: true });
  expect(await rig.commit(buildId)).toMatchObject({
    state: 'stopped',
    reason:
      '58 spans were not found. The service refused to search up to 1 day before and after their starts.',
    counts: { acknowledged: 0, unresolved: 58, unsent: 0 },
    search: { end: 'refused', calls: 2 },
  });
  // A wider range is searched again only if the user asks for it.
  await builds.settleUnresolved(buildId, 'widen', null);
  expect(await builds.whenIdle(buildId)).toMatchObject({ counts: { acknowledged: 55, unresolved: 3 } });
});
