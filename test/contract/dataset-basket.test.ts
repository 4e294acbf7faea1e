import { describe, expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import {
  bucketsOf,
  callsOf,
  cleanUp,
  isLlm,
  open,
  openRig,
  preview,
  storedItems,
} from '../helpers/dataset-builds.ts';
import { MAPPING } from '../helpers/dataset-rig.ts';

describe('the basket', () => {
  test('selects every span of a query, page by page, and reports the result', async () => {
    const { raw, rig } = await open({ options: { pageRows: 300 } });
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    const selection = await rig.selection();
    await rig.pick(buildId, 10);
    expect(builds.pickAll(buildId, { kind: 'service', selection })).toMatchObject({
      fill: { phase: 'running' },
    });
    await expect(builds.control(buildId, 'commit')).rejects.toMatchObject({ code: 'CONFLICT' });
    const build = await builds.whenIdle(buildId);
    const total = build.fill?.total ?? 0;
    expect(total).toBeGreaterThan(1_000);
    expect(build).toMatchObject({
      fill: { phase: 'done', fetched: total, added: total - 10, hasMovedWhileRead: false },
      counts: { picked: total, unsent: total, withoutRecord: 0 },
    });
    const pages = raw.service.report().operations['spans.query']?.requests ?? 0;
    expect(pages).toBeGreaterThanOrEqual(Math.ceil(total / 300));
    expect(rig.builds.length).toBeGreaterThan(1);
  });

  test('reports that the list moved while it was read, and can be stopped midway', async () => {
    const { raw, rig } = await open({ options: { pageRows: 100 } });
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    const selection = { ...(await rig.selection()), ordering: 'start_time' };
    const query = await rig.openSpans(selection);
    const { rows } = await rig.library.rows(query, { offset: 0, limit: 1 });
    builds.pickAll(buildId, { kind: 'service', selection });
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

  test('says so if another process picks the spans that are to be stopped, which continue there', async () => {
    const keptFolder = new DataFolder();
    cleanUp(() => keptFolder[Symbol.dispose]());
    const { raw, rig } = await open({ keptFolder, options: { pageRows: 300 } });
    const other = openRig(raw, { keptFolder, processId: process.pid + 1 });
    const buildId = await rig.newBuild();
    const selection = await rig.selection();
    const slow = { type: 'delay' as const, delayMs: 100 };
    raw.service.setFaults([{ match: { operation: 'spans.query' }, times: 100, action: slow }]);
    rig.datasets.builds.pickAll(buildId, { kind: 'service', selection });
    expect(() => other.datasets.builds.stopPicking(buildId)).toThrow(/another/i);
    expect(await rig.datasets.builds.whenIdle(buildId)).toMatchObject({ fill: { phase: 'done' } });
  });

  test('survives filters and pages; a span selected twice is in it once', async () => {
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
    expect(() => builds.get(buildId)).toThrow('none has the id');
  });

  test('spans that are selected while the draft is copied are not in the copy, which can get further ones', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    const given = (id: string) => ({ trace_id: 't', span_id: id, start_time: null, record: null });
    await builds.pickGiven(buildId, [given('first'), given('second')]);
    const copying = builds.copy(buildId);
    await builds.pickGiven(buildId, [given('third')]);
    const copy = await copying;
    expect([builds.get(buildId).counts.picked, copy.counts.picked]).toEqual([3, 2]);
    await builds.pickGiven(copy.buildId, [given('fourth')]);
    expect(preview(rig, copy.buildId).map(({ span_id: id }) => id)).toEqual(['first', 'second', 'fourth']);
  });

  test('every action is undone and redone exactly, selecting and clearing all of many too', async () => {
    const { raw, rig } = await open({ options: { pageRows: 300 } });
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    const look = () => {
      const { counts, undo, redo, spanRange } = builds.get(buildId);
      const page = { mapping: null, show: 'all', offset: 0, limit: 50 } as const;
      const rows = [builds.readPlaces(buildId, 0), builds.readRows(buildId, page).rows];
      return { counts, undo, redo, spanRange, rows };
    };
    expect(look()).toMatchObject({ undo: null, redo: null });
    await expect(builds.step(buildId, 'undo')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const states = [look()];
    await rig.pick(buildId, 10, isLlm);
    states.push(look());
    builds.pickAll(buildId, { kind: 'service', selection: await rig.selection() });
    const { counts } = await builds.whenIdle(buildId);
    expect(builds.get(buildId).undo).toEqual({ what: 'pick', spans: counts.picked - 10 });
    states.push(look());
    const refs = preview(rig, buildId).map(({ trace_id, span_id }) => ({ trace_id, span_id }));
    await builds.unpick(buildId, [...refs.slice(3, 9), ...refs.slice(20, 240), ...refs.slice(3, 4)]);
    await builds.unpick(buildId, refs.slice(250, 260), true);
    expect(builds.get(buildId).undo).toEqual({ what: 'unpick', spans: 236 });
    states.push(look());
    await builds.unpick(buildId, 'all');
    states.push(look());
    for (const direction of ['undo', 'redo', 'undo'] as const) {
      const others = direction === 'undo' ? states.toReversed() : states;
      for (const [index, state] of others.entries()) {
        if (index > 0) await builds.step(buildId, direction);
        const { undo: _undo, redo: _redo, ...now } = look();
        expect(now).toEqual({ counts: state.counts, spanRange: state.spanRange, rows: state.rows });
      }
    }
    expect(look()).toMatchObject({ undo: null, redo: { what: 'pick', spans: 10 } });
    await builds.step(buildId, 'redo');
    const copy = await builds.copy(buildId);
    expect(copy).toMatchObject({ undo: null, redo: null, counts: { picked: 10 } });
    // An action that was undone cannot be redone after another action.
    await rig.pick(buildId, 12, isLlm);
    expect(look()).toMatchObject({ undo: { what: 'pick', spans: 2 }, redo: null, counts: { picked: 12 } });
    await builds.step(buildId, 'undo');
    await builds.step(buildId, 'undo');
    expect(look()).toMatchObject({ undo: null, redo: { what: 'pick', spans: 10 }, counts: { picked: 0 } });
    expect(raw.service.report()).toMatchObject({ violations: 0 });
  });

  test('a span added to the dataset while it was out of the basket is skipped when it is restored', async () => {
    const { rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await rig.pick(buildId, 5, isLlm);
    await builds.unpick(buildId, 'all');
    const other = await rig.newBuild();
    await rig.pick(other, 3, isLlm);
    await rig.target(other, 'Answers');
    const { datasetId } = await rig.commit(other);
    if (datasetId === null) throw new Error('Nothing was sent.');
    await builds.change(buildId, { target: { kind: 'existing', datasetId, name: 'Answers' } });
    expect(await builds.step(buildId, 'undo')).toMatchObject({
      counts: { picked: 5, added: 3, unsent: 2 },
      redo: { what: 'unpick', spans: 5 },
    });
    expect(builds.get(other)).toMatchObject({ state: 'done', undo: null, redo: null });
    await expect(builds.step(other, 'undo')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('a span that has moved away is missing, and not replaced by another one', async () => {
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

  test('spans already in the dataset are excluded, and added on demand', async () => {
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

describe('the mapping of a basket', () => {
  test('shows keys with their coverage, missing values, and a first suggestion', async () => {
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
      spansWithoutInputs: 0,
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

  test('an invalid one is rejected with a message, and nothing is sent', async () => {
    const { raw, rig } = await open();
    const { builds } = rig.datasets;
    const buildId = await rig.newBuild();
    await expect(builds.control(buildId, 'commit')).rejects.toMatchObject({
      message:
        'Nothing was sent. Select at least one span. Map at least one key to inputs. Choose a dataset or name a new one.',
    });
    await rig.pick(buildId, 1);
    await rig.target(buildId, ' ', [{ bucket: 'extras', field: '', key: '' }]);
    expect(builds.get(buildId).problems).toEqual([
      'Map at least one key to inputs.',
      'A field of extras has no name.',
      'A field of extras has no key.',
      'Name the new dataset.',
    ]);
    expect(callsOf(raw).requests).toBe(0);
  });

  test('is saved by name for the application, and for one of its datasets', async () => {
    const { rig } = await open();
    const { presets } = rig.datasets;
    const applicationId = await rig.applicationId();
    const owner = { kind: 'spans', applicationId } as const;
    presets.save(owner, 'Answers', MAPPING);
    const again = presets.save(owner, 'Answers', MAPPING.slice(0, 1));
    expect(presets.list(owner)).toEqual([again]);
    expect(presets.list({ kind: 'upload' })).toEqual([]);
    const ofDataset = { ...owner, datasetId: 'd-1' };
    const own = presets.save(ofDataset, 'Answers', MAPPING);
    expect(presets.list(ofDataset)).toEqual([own]);
    expect(presets.list({ ...owner, datasetId: 'd-2' })).toEqual([]);
    presets.remove(owner, 'Answers');
    expect(presets.list(owner)).toEqual([]);
    expect(presets.list(ofDataset)).toEqual([own]);
  });

  test('keys without an origin are found in the way of the service', async () => {
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
