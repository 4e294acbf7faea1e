/** Whole baskets: they are filled from stored data and from another draft, removed and restored, and survive a kill. */
import { describe, expect, test } from 'vitest';
import type { PickedRows, PickSource } from '../../electron/shared/pick-source.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { open, openRig, preview } from '../helpers/dataset-builds.ts';

const WHOLE = { narrow: null, filters: [], sort: null, ranges: null, seen: null };
const stored = (rows: PickedRows): PickSource => ({ kind: 'stored', rows });

describe('stored data', () => {
  test('is selected offline: all of it, a filtered list, and rows by position, each as one undo step', async () => {
    const { raw, rig } = await open({ options: { pageRows: 300 } });
    const { builds } = rig.datasets;
    const query = await rig.openSpans({ ...(await rig.selection()), ordering: 'start_time' });
    const { rows } = await rig.library.rows(query, { limit: 200 });
    const asked = raw.service.report().operations['spans.query']?.requests ?? 0;
    rig.library.clientRig.switches.isOffline = true;
    const buildId = builds.create({
      applicationId: String(query.body?.['application_id']),
      applicationName: 'Support assistant',
      name: 'Offline',
    }).buildId;
    const fill = async (source: PickSource) => {
      builds.pickAll(buildId, source);
      const { fill: done, counts } = await builds.whenIdle(buildId);
      expect(done).toMatchObject({ phase: 'done', error: null, fetched: done?.total });
      return { picked: counts.picked, added: done?.added, total: done?.total };
    };
    const ranges = [
      { from: 2, to: 4 },
      { from: 100, to: 199 },
    ];
    expect(await fill(stored({ ...WHOLE, query, ranges }))).toEqual({ picked: 103, added: 103, total: 103 });
    const placed = [...rows.slice(2, 5), ...rows.slice(100, 200)].map(({ record }) => record['span_id']);
    expect(preview(rig, buildId).map(({ span_id: id }) => id)).toEqual(placed);

    const tools = await fill(stored({ ...WHOLE, query, narrow: 'tool' }));
    const narrowed = await rig.library.rows(query, { limit: 1, narrow: 'tool' });
    expect(tools.total).toBe(narrowed.matchingRows);
    expect(tools.picked).toBe(103 + (tools.added ?? 0));

    const all = await fill(stored({ ...WHOLE, query }));
    expect(all).toMatchObject({ picked: all.total });
    expect(all.total).toBeGreaterThan(1_000);
    expect(builds.get(buildId).counts).toMatchObject({ withoutRecord: 0 });
    expect(await builds.step(buildId, 'undo')).toMatchObject({ counts: { picked: tools.picked } });
    expect(await builds.step(buildId, 'undo')).toMatchObject({ counts: { picked: 103 } });
    expect(await builds.step(buildId, 'undo')).toMatchObject({ counts: { picked: 0 } });
    expect(raw.service.report().operations['spans.query']?.requests).toBe(asked);
  });

  test('of another application, or of a list that changed since its rows were selected, is rejected', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    const query = await rig.openSpans(await rig.selection());
    const other = { ...query, body: { ...query.body, application_id: crypto.randomUUID() } };
    expect(() => builds.pickAll(buildId, stored({ ...WHOLE, query: other }))).toThrow('another application');
    const seen = { storedRows: 3, newestMs: 5 };
    builds.pickAll(buildId, stored({ ...WHOLE, query, seen, ranges: [{ from: 0, to: 2 }] }));
    expect(await builds.whenIdle(buildId)).toMatchObject({
      fill: { phase: 'failed', error: { code: 'CONFLICT' } },
      counts: { picked: 0 },
    });
  });
});

describe('several baskets', () => {
  test('one is copied into another: existing spans stay once, excluded ones are not copied', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const [from, to] = [await rig.newBuild('From'), await rig.newBuild('To')];
    await rig.pick(from, 250);
    await rig.pick(to, 40);
    builds.exclude(from, [200, 201], true);
    const before = preview(rig, to).map(({ span_id: id }) => id);
    const source = { kind: 'basket', buildId: from, name: 'From' } as const;
    builds.pickAll(to, source);
    const copied = await builds.whenIdle(to);
    expect(copied).toMatchObject({
      fill: { phase: 'done', fetched: 248, added: 208, total: 248, hasMovedWhileRead: false },
      counts: { picked: 248, withoutRecord: 0 },
      undo: { what: 'pick', spans: 208 },
    });
    expect(builds.listKeys(to, { search: '', offset: 0, limit: 200 }).total).toBeGreaterThan(5);
    const left = preview(rig, from).filter(({ state }) => state !== 'excluded');
    expect(new Set(preview(rig, to).map(({ span_id: id }) => id))).toEqual(
      new Set(left.map(({ span_id: id }) => id)),
    );
    await builds.step(to, 'undo');
    expect(preview(rig, to).map(({ span_id: id }) => id)).toEqual(before);
    expect(() => builds.pickAll(to, { ...source, buildId: to })).toThrow('another draft');
    expect(() => builds.pickAll(to, { ...source, buildId: 'none' })).toThrow('none has the id');
  });

  test('a deleted one is restored completely until it is purged, also after a restart', async () => {
    const folder = new DataFolder();
    const { raw, rig } = await open({ keptFolder: folder });
    const kept = await rig.newBuild('Kept');
    const gone = await rig.newBuild('Gone');
    await rig.pick(kept, 30);
    await rig.pick(gone, 20);
    const rows = preview(rig, gone);
    await rig.datasets.builds.change(kept, { name: 'Renamed' });
    rig.datasets.builds.softDelete(gone);
    const empty = await rig.newBuild('Empty');
    rig.datasets.builds.softDelete(empty);
    expect(rig.datasets.builds.list().map(({ name }) => name)).toEqual(['Renamed']);
    expect(() => rig.datasets.builds.restore(empty)).toThrow('too long ago');
    await rig[Symbol.asyncDispose]();

    const next = openRig(raw, { keptFolder: folder });
    next.datasets.recover({ continues: false });
    const { builds } = next.datasets;
    expect(builds.list().map(({ name, counts }) => [name, counts.picked])).toEqual([['Renamed', 30]]);
    expect(builds.restore(gone)).toMatchObject({
      name: 'Gone',
      counts: { picked: 20 },
      undo: { spans: 20 },
    });
    expect(preview(next, gone)).toEqual(rows);
    builds.softDelete(gone);
    while (next.store.sweep(100, Date.now() + 60_000) > 0);
    expect(() => builds.restore(gone)).toThrow('too long ago');
    expect(next.store.spans.at(gone, 0)).toBeNull();
  });
});
