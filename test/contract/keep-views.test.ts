/** Offline data includes everything that the views request, even days later. A relative range moves with the date. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { rangeQuery } from '../../electron/shared/alert-record.ts';
import { readRule } from '../../electron/shared/alert-rule.ts';
import { entityTypeOf } from '../../electron/shared/catalog-entity.ts';
import { goneAtOf } from '../../electron/shared/gone-field.ts';
import { textOf } from '../../electron/shared/json-fields.ts';
import { boardBody, rangeUpToDay } from '../../electron/shared/keep-model.ts';
import { ANY_COLUMN, readMetrics } from '../../electron/shared/metrics.ts';
import type { ListQuery, TimeRange } from '../../electron/shared/model.ts';
import { rangeOfQuery } from '../../electron/shared/query-range.ts';
import { addQuery, newBody } from '../../renderer/lib/monitoring/chart-body.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import {
  type OfflineReader,
  readAlertRule,
  readApplication,
  readChart,
  readDataset,
  readModel,
} from '../helpers/view-reads.ts';

const DAY = 86_400_000;
let raw: RawService;
let folder: DataFolder;
let rig: KeepRig;

beforeEach(async () => {
  raw = await RawService.start();
  folder = new DataFolder();
  rig = new KeepRig({ baseUrl: raw.service.baseUrl, token: TOKEN, folder });
  rig.library.settings.pageRows = 1_000;
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
  folder[Symbol.dispose]();
});

const nowMs = () => Date.now() + rig.library.aheadMs;

async function records(operation: OperationId, path = {}): Promise<Record<string, unknown>[]> {
  return (await raw.page(raw.path(operation, path, '?limit=1000'))).items;
}
async function idOf(operation: OperationId, name: string): Promise<string> {
  return String((await records(operation)).find((each) => each['name'] === name)?.['id']);
}

/** A reader without the service, and the data that it did not find. */
function offline(): { reader: OfflineReader; gaps: string[]; reads: () => number } {
  const { library, clientRig } = rig.library;
  clientRig.switches.isOffline = true;
  const gaps: string[] = [];
  let reads = 0;
  const note = ({ operation, path, query }: ListQuery, source: string) => {
    reads += 1;
    if (source === 'none') gaps.push(JSON.stringify([operation, path, query]));
  };
  const reader: OfflineReader = {
    nowMs: nowMs(),
    list: async (query) => {
      note(query, (await rig.library.read(query)).source);
      const { rows } = await rig.library.rows(query);
      return rows.map(({ record }) => record);
    },
    record: async (query) => {
      const { record, freshness } = await library.openRecord(
        { viewId: 'view', query, refresh: 'if-stale' },
        'whole',
      );
      note(query, freshness.source);
      return record;
    },
    profile: async (query, fields) => {
      const found = await library.profile({ query, narrow: null, fields, filters: [] });
      note(query, found === null || found.columns.length < fields.length ? 'none' : 'stored');
    },
    rangeOf: async (query, own) => {
      const isRecord = query.operation === 'alert-rules.history';
      const { source, storedRange } = isRecord
        ? (await library.openRecord({ viewId: 'view', query, refresh: 'never' })).freshness
        : await rig.library.read(query, 'never');
      return source === 'none' ? (storedRange ?? own) : own;
    },
  };
  return { reader, gaps, reads: () => reads };
}

describe('a view of offline data finds everything without the service, days later', () => {
  const LATER = 3 * DAY;

  test('application', async () => {
    const id = await idOf('applications.list', 'Claims triage agent');
    const range = rangeUpToDay(30 * DAY, nowMs());
    const all = await records('catalog.list', { application_id: id });
    const entities = all
      .slice(0, 5)
      .map((each) => ({ name: String(each['name']), type: entityTypeOf(each, '') }));
    await rig.kept(planFor({ kind: 'application', id, withValues: true, entities, range }));
    rig.library.aheadMs = LATER;
    const { reader, gaps, reads } = offline();
    await readApplication(reader, id, entities.length);
    expect(gaps).toEqual([]);
    expect(reads()).toBeGreaterThan(20);
  });

  test('dataset and model', async () => {
    const [dataset] = await records('datasets.list');
    const [model] = await records('models.list');
    await rig.kept(planFor({ kind: 'dataset', id: String(dataset?.['id']) }));
    await rig.kept(planFor({ kind: 'model', id: String(model?.['id']) }));
    rig.library.aheadMs = LATER;
    const { reader, gaps } = offline();
    await readDataset(reader, String(dataset?.['id']));
    await readModel(reader, String(model?.['id']));
    expect(gaps).toEqual([]);
  });

  test('alert rules: list, timeline, records, recipients, thresholds, column by column', async () => {
    // One rule for each bin size, and one about all columns.
    const all = await records('alert-rules.list');
    const kindOf = (rule: Record<string, unknown>) =>
      `${rule['bin_size']} ${readRule(rule).features.includes(ANY_COLUMN)}`;
    const rules = [...new Map(all.map((rule) => [kindOf(rule), rule])).values()];
    expect(rules.length).toBeGreaterThan(2);
    const range = rangeUpToDay(30 * DAY, nowMs());
    for (const { id } of rules) {
      const { counts } = await rig.kept(planFor({ kind: 'alert-rule', id: String(id), range }));
      expect(counts.read).toBeGreaterThan(5);
    }
    rig.library.aheadMs = LATER;
    const { reader, gaps, reads } = offline();
    for (const { id } of rules) await readAlertRule(reader, String(id));
    expect(gaps).toEqual([]);
    expect(reads()).toBeGreaterThan(rules.length * 12);
  });

  test('chart of the last days', async () => {
    const [model] = await records('models.list');
    const modelId = String(model?.['id']);
    const { envelope } = await raw.call('GET', raw.path('models.metrics', { model_id: modelId }));
    const metric = readMetrics(envelope.data).find(
      (each) => each.columns.length === 0 && !each.requiresBaseline,
    );
    if (metric === undefined) throw new Error('no metric');
    const subject = { kind: 'model' as const, projectId: textOf(model?.['project'], 'id'), modelId };
    const body = addQuery(newBody(subject), 'q1', subject, metric);
    expect(await rig.kept(planFor({ kind: 'chart', id: 'c', body }))).toMatchObject({
      state: 'done',
      counts: { failed: 0 },
    });
    rig.library.aheadMs = LATER;
    const { reader, gaps } = offline();
    await readChart(reader, body, modelId);
    expect(gaps).toEqual([]);
  });

  test('board: the values of its charts, the lists that make it, and the firings of its rules', async () => {
    const [rule] = (await records('alert-rules.list')).map(readRule).filter(({ isChange }) => !isChange);
    if (rule === undefined) throw new Error('no rule');
    const { modelId } = rule;
    const metrics = readMetrics(
      (await raw.call('GET', raw.path('models.metrics', { model_id: modelId }))).envelope.data,
    );
    const metric = metrics.find((each) => each.columns.length === 0 && !each.requiresBaseline);
    if (metric === undefined) throw new Error('no metric');
    const model = (await records('models.list')).find(({ id }) => id === modelId);
    const subject = { kind: 'model' as const, projectId: textOf(model?.['project'], 'id'), modelId };
    const queries = ['q1', 'q2'].map((key) => addQuery(newBody(subject), key, subject, metric));
    const range = rangeUpToDay(31 * DAY, nowMs());
    const body = boardBody(queries, [rule.id], { about: 'Card fraud', time: '30d' });
    const { state, reason, counts } = await rig.kept(
      planFor({ kind: 'board', id: `model:${modelId}`, body, range }),
    );
    expect({ state, reason, failed: counts.failed }).toEqual({ state: 'done', reason: '', failed: 0 });
    rig.library.aheadMs = LATER;
    const { reader, gaps } = offline();
    for (const query of queries) await readChart(reader, query, modelId);
    // Days later, the view shows the firings of the stored range.
    const history = { operation: 'alert-rules.history', path: { alert_id: rule.id } };
    const own = rangeUpToDay(31 * DAY, nowMs());
    const stored = await reader.rangeOf({ ...history, query: rangeQuery(own) }, own);
    await reader.record({ ...history, query: rangeQuery(stored) });
    expect(gaps).toEqual([]);
  });
});

describe('the last days', () => {
  const ranges = () => {
    const { lists } = rig.library.store;
    return lists.queriesOf('spans.query').map((query) => rangeOfQuery(query)?.endMs);
  };
  const keptRanges = () =>
    rig.library.store.kept
      .ofOperations(rig.keep.list()[0]?.keptId ?? '', ['spans.query', 'spans.fields'])
      .map(({ query, state }) => `${query.operation} ${state} ${rangeOfQuery(query)?.endMs ?? 0}`)
      .toSorted();
  const both = (...endsMs: (number | undefined)[]) =>
    ['spans.fields', 'spans.query'].flatMap((operation) =>
      endsMs.map((endMs) => `${operation} read ${endMs ?? 0}`),
    );

  test('move with the day: a refresh reads the current range, and keeps the previous data until it is complete', async () => {
    const id = await idOf('applications.list', 'Support assistant');
    const range = rangeUpToDay(7 * DAY, nowMs());
    const { keptId } = await rig.kept(planFor({ kind: 'application', id, range }));
    expect(keptRanges()).toEqual(both(range.endMs));

    rig.library.aheadMs = DAY;
    raw.service.setFaults([{ match: { operation: 'spans.query' }, action: { type: 'status', status: 500 } }]);
    rig.keep.control(keptId, 'refresh');
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ counts: { failed: 1 } });
    expect(keptRanges()).toEqual(
      [
        ...both(range.endMs),
        `spans.fields read ${range.endMs + DAY}`,
        `spans.query failed ${range.endMs + DAY}`,
      ].toSorted(),
    );

    rig.library.aheadMs = 2 * DAY;
    raw.service.setFaults([]);
    rig.keep.control(keptId, 'refresh');
    const moved = { ...range, startMs: range.startMs + 2 * DAY, endMs: range.endMs + 2 * DAY };
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({
      state: 'done',
      counts: { failed: 0 },
      plan: { range: moved },
    });
    expect(keptRanges()).toEqual(both(moved.endMs));
    expect(ranges()).toContain(moved.endMs);

    // If it is kept again, it is the same entry; with another length it is another entry.
    expect(
      (await rig.kept(planFor({ kind: 'application', id, range: rangeUpToDay(7 * DAY, nowMs()) }))).keptId,
    ).toBe(keptId);
    expect(
      (await rig.kept(planFor({ kind: 'application', id, range: rangeUpToDay(DAY, nowMs()) }))).keptId,
    ).not.toBe(keptId);
  });

  test('keep the spans that the service deleted meanwhile, marked, as long as the days have them', async () => {
    const id = await idOf('applications.list', 'Support assistant');
    const range = rangeUpToDay(7 * DAY, nowMs());
    const { keptId } = await rig.kept(planFor({ kind: 'application', id, range }));
    const queryUpTo = (endMs: number) => {
      const found = rig.library.store.lists
        .queriesOf('spans.query')
        .find((query) => rangeOfQuery(query)?.endMs === endMs);
      if (found === undefined) throw new Error('Expected a stored list of spans.');
      return found;
    };
    const spans = async (endMs: number) => (await rig.stored(queryUpTo(endMs))) as Record<string, unknown>[];
    const isIn = (fromMs: number) => (span: Record<string, unknown>) =>
      Date.parse(textOf(span, 'start_time')) >= fromMs;
    const before = await spans(range.endMs);
    const traceOf = (of: (span: Record<string, unknown>) => boolean) => {
      const ids = Map.groupBy(before, (span) => textOf(span, 'trace_id'));
      return [...ids].find(([, all]) => all.every(of))?.[0] ?? '';
    };
    const nextMs = range.startMs + DAY;
    const [late, early] = [traceOf(isIn(nextMs + DAY)), traceOf((span) => !isIn(nextMs)(span))];
    const body = { application_id: id, trace_ids: [late, early] };
    expect((await raw.raw('DELETE', raw.path('traces.delete'), { body })).status).toBe(204);

    rig.library.aheadMs = DAY;
    rig.keep.control(keptId, 'refresh');
    const done = await rig.keep.whenIdle(keptId);
    const after = await spans(range.endMs + DAY);
    const gone = after.filter((span) => goneAtOf(span) !== null);
    const expected = before.filter((span) => span['trace_id'] === late);
    expect(expected.length).toBeGreaterThan(0);
    expect(gone.map((span) => span['span_id']).toSorted()).toEqual(
      expected.map((span) => span['span_id']).toSorted(),
    );
    expect(after.filter((span) => span['trace_id'] === early)).toEqual([]);
    expect(after.filter((span) => !isIn(nextMs)(span))).toEqual([]);
    expect(done.counts.rows).toBeGreaterThanOrEqual(after.length);

    // The mark stays that of the first day without the rows, even days later.
    rig.library.aheadMs = 2 * DAY;
    rig.keep.control(keptId, 'refresh');
    await rig.keep.whenIdle(keptId);
    const later = await spans(range.endMs + 2 * DAY);
    expect(later.filter((span) => goneAtOf(span) !== null).map(goneAtOf)).toEqual(gone.map(goneAtOf));
  });

  test('typed days stay fixed', async () => {
    const id = await idOf('applications.list', 'Support assistant');
    const range: TimeRange = { startMs: nowMs() - 9 * DAY, endMs: nowMs() - 2 * DAY };
    const { keptId } = await rig.kept(planFor({ kind: 'application', id, range }));
    rig.library.aheadMs = 2 * DAY;
    rig.keep.control(keptId, 'refresh');
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ plan: { range } });
    expect(keptRanges()).toEqual(both(range.endMs));
  });
});
