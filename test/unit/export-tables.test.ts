/** Exports of tables that are not lists of the service: hits of a search, and values of a chart. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTable } from '../../electron/engine/export-tables.ts';
import { ANSWER_NAMES, readValues, valueRows } from '../../electron/shared/chart-values.ts';
import { exportPlan, type StoredTable } from '../../electron/shared/export-model.ts';
import type { JsonObject } from '../../electron/shared/json-fields.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { NO_FILTER } from '../../electron/shared/run-comparison.ts';
import type { SearchHit, SearchKind } from '../../electron/shared/search-contract.ts';
import { withChanges } from '../../renderer/components/chart/changes.ts';
import { seriesColumn, tableRows } from '../../renderer/components/chart/summary.ts';
import { readAnswer } from '../../renderer/lib/monitoring/query-answer.ts';

type Parts = Parameters<typeof readTable>[0];
const none = {} as Parts;
const rowsOf = ({ rows }: Awaited<ReturnType<typeof readTable>>) => ('form' in rows ? [] : [...rows]);

describe('an exported search', () => {
  const hit = (kind: SearchKind, at: number): SearchHit => ({
    ...{
      id: `${kind} ${at}`,
      kind,
      title: `${kind} ${at}`,
      titleRanges: [],
      found: null,
      note: '',
      place: '',
    },
    ...{ atMs: null, target: { id: String(at) }, row: null },
  });
  const COUNTS = { names: 3, spans: 230 } as const;
  const search = (hasMore: boolean): Parts['search'] => ({
    follow: () => Promise.resolve(),
    find: ({ offset, limit }) => {
      const groups = (['names', 'spans'] as const).map((kind) => ({
        ...{ kind, count: COUNTS[kind], hasMore },
        hits: Array.from({ length: COUNTS[kind] }, (_, at) => hit(kind, at)).slice(offset, offset + limit),
        reach: {
          storedRows: 9,
          totalRows: 9,
          isComplete: true,
          isAtLeast: false,
          oldestMs: kind === 'spans' ? 5 : 7,
        },
      }));
      return Promise.resolve({ groups, applications: [], rowsLeft: 0, isCut: false, near: [], tookMs: 1 });
    },
  });
  const ask = { typed: 'a', kind: null, applicationId: null, sinceMs: null, untilMs: null };

  test('returns every hit once, kind by kind, and says whether there are more', async () => {
    const read = await readTable({ ...none, search: search(false) }, { form: 'search', ask });
    const rows = rowsOf(read);
    expect(rows.map(({ kind }) => kind)).toEqual([
      ...Array.from({ length: 3 }, () => 'names'),
      ...Array.from({ length: 230 }, () => 'spans'),
    ]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(233);
    expect(read).toMatchObject({ isComplete: true, oldestMs: 5, about: { table: 'search', typed: 'a' } });
    const more = await readTable({ ...none, search: search(true) }, { form: 'search', ask });
    expect(more.isComplete).toBe(false);
  });
});

test('an export of two score runs that was stored before is one of the same items', () => {
  const ids = { before: crypto.randomUUID(), after: crypto.randomUUID() };
  const parsed = (more: Record<string, unknown>) => {
    const plan = {
      ...{ name: 'Compared', format: 'csv', columns: null, isExact: false, partitionBy: null },
      table: { form: 'comparison', ...ids, name: 'tone', lowerIsBetter: true, show: null, ...more },
    };
    const found = exportPlan.parse(plan);
    return 'table' in found ? found.table : null;
  };
  const runs = [ids.before, ids.after].map((id) => ({ kind: 'scores', id }));
  expect(parsed({ show: 'worse' })).toEqual({
    ...{ form: 'runs', runs, baseline: 0, score: 'tone', lowerIsBetter: true },
    filter: { ...NO_FILTER, change: 'worse' },
  });
  expect(parsed({ before: null, show: 'scored' })).toMatchObject({
    ...{ runs: runs.slice(1), filter: { change: null, fate: 'good' } },
  });
  const filterOf = (only: unknown) => parsed({ only });
  expect(filterOf({ by: 'labels', before: 'no', after: 'yes' })).toMatchObject({
    filter: { label: 'yes', labelBefore: 'no' },
  });
  const bin = { from: 0, to: 1, isLast: true };
  expect(filterOf({ by: 'range', ...bin })).toMatchObject({ filter: { bin } });
  expect(filterOf({ by: 'failure kind', name: 'Tone', change: 'same' })).toMatchObject({
    filter: { kind: 'Tone', change: 'same' },
  });
});

test('a comparison of runs returns every item once, with the result in each run, and counts missing results', async () => {
  const side = {
    ...{ fate: 'good', output: 'Yes.', value: 0.5, label: 'mid', problem: null, results: 1 },
    reasoning: 'It names a day.',
  };
  const all = Array.from({ length: 701 }, (_, at) => ({
    ...{ itemId: `i${at}`, title: 'Where?', failureKind: at === 1 ? 'Wrong tone' : null },
    sides: [
      { ...side, change: null, difference: null, durationMs: 10 },
      at === 0 ? null : { ...side, change: 'same', difference: 0, durationMs: 12 },
    ],
  }));
  const comparisons = {
    compare: ({ offset, limit }: { offset: number; limit: number }) =>
      Promise.resolve({
        runs: [
          { name: 'v1', isComplete: true, asOfMs: 5 },
          { name: 'v2', isComplete: false, asOfMs: 9 },
        ],
        ...{ score: 'quality', rows: all.slice(offset, offset + limit), total: all.length },
      }),
  } as unknown as Parts['comparisons'];
  const runs = ['1', '2'].map((id) => ({ kind: 'experiment' as const, id }));
  const query = { runs, baseline: 0, score: null, lowerIsBetter: false, filter: NO_FILTER };
  const read = await readTable({ ...none, comparisons }, { form: 'runs', ...query });
  const rows = rowsOf(read);
  expect(new Set(rows.map(({ item_id: id }) => id)).size).toBe(701);
  expect(rows[0]).toMatchObject({ input: 'Where?', v1: { status: 'good', value: 0.5 }, v2: null });
  expect(rows[1]).toMatchObject({
    ...{ failure_kind: 'Wrong tone', v1: { reasoning: 'It names a day.' } },
    v2: { difference: 0, change: 'same', duration_ms: 12, output: 'Yes.' },
  });
  expect(read).toMatchObject({
    ...{ isComplete: false, oldestMs: 5, newestMs: 9 },
    about: { table: 'runs', names: ['v1', 'v2'], score: 'quality' },
  });
});

test('runs of one name are columns of their own', async () => {
  const side = { fate: 'good', output: '', label: null, problem: null, results: 1, reasoning: null };
  const row = {
    ...{ itemId: 'i', title: 'Where?', titleRun: 0, failureKind: null },
    sides: [0.2, 0.7].map((value) => ({ ...side, value, change: null, difference: null, durationMs: null })),
  };
  const comparisons = {
    compare: ({ offset }: { offset: number }) =>
      Promise.resolve({
        runs: [0, 1].map(() => ({ name: 'v1', isComplete: true, asOfMs: 5 })),
        ...{ score: 'quality', rows: offset === 0 ? [row] : [], total: 1 },
      }),
  } as unknown as Parts['comparisons'];
  const runs = ['1', '2'].map((id) => ({ kind: 'experiment' as const, id }));
  const query = { runs, baseline: 0, score: null, lowerIsBetter: false, filter: NO_FILTER };
  const [found] = rowsOf(await readTable({ ...none, comparisons }, { form: 'runs', ...query }));
  expect(found).toMatchObject({ 'v1 (1)': { value: 0.2 }, 'v1 (2)': { value: 0.7 } });
});

describe('an exported chart', () => {
  const COMPARED = { time_comparison: 'Previous Week', queries: [{ query_key: 'a' }, { query_key: 'b' }] };
  const query = (label: string, fields: JsonObject = COMPARED): ListQuery => ({
    ...{ operation: 'queries.run', path: {}, query: {} },
    body: { ...fields, filters: { time_label: label, time_zone: 'Europe/Berlin', bin_size: 'Day' } },
  });
  const DAYS = ['2026-03-10', '2026-03-11'];
  const answerOf = (values: (number | null)[], days = DAYS) => ({
    results: {
      a: {
        metric: 'jsd',
        col_names: ['timestamp', 'jsd,age', 'note'],
        data: days.map((day, at) => [day, values[at] ?? null, 'x']).reverse(),
      },
      b: { metric: 'traffic', data: [['2026-03-10T00:00:00Z', 'NaN']] },
    },
  });
  const library = (stored: ReadonlyMap<string, [answer: unknown, atMs: number]>): Parts['library'] => ({
    release: () => undefined,
    openList: () => Promise.reject(new Error('No lists here.')),
    readRows: () => Promise.reject(new Error('No lists here.')),
    openRecord: ({ query: asked }) => {
      const [answer, atMs = 0] = stored.get(JSON.stringify(asked)) ?? [null];
      const record = answer as Record<string, unknown> | null;
      const freshness = { oldestMs: atMs, newestMs: atMs } as Awaited<
        ReturnType<Parts['library']['openRecord']>
      >['freshness'];
      return Promise.resolve({ recordKey: '', record, parts: null, goneAtMs: null, freshness });
    },
  });
  const table = {
    form: 'chart' as const,
    query: query('7d'),
    earlier: null,
    names: { 'a/1:jsd,age': 'Drift · age' },
  };
  const read = (stored: [ListQuery, unknown, number][], asked: StoredTable = table) =>
    readTable(
      {
        ...none,
        library: library(new Map(stored.map(([of, ...answer]) => [JSON.stringify(of), answer]))),
      },
      asked,
    );
  const drift = { series: 'Drift · age', query: 'a', metric: 'jsd', column: 'jsd,age' };
  const traffic = { ...drift, series: 'Values', query: 'b', metric: 'traffic', column: 'value' };

  test('has a row for each time of each series, with the times and names that the chart shows', async () => {
    const { time_comparison: _, ...alone } = COMPARED;
    const asked = { ...table, query: query('7d', alone) };
    const found = await read([[asked.query, answerOf([0.5, null]), 3]], asked);
    expect(rowsOf(found)).toEqual([
      { ...drift, time: '2026-03-09T23:00:00.000Z', value: 0.5 },
      { ...drift, time: '2026-03-10T23:00:00.000Z', value: null },
      { ...traffic, time: '2026-03-10T00:00:00.000Z', value: null },
    ]);
    expect(found).toMatchObject({
      oldestMs: 3,
      isComplete: true,
      about: { table: 'chart', comparison: null },
    });
  });

  test('compared by a second answer: each value with the earlier one, its time, and the difference', async () => {
    const earlier = query('earlier');
    const before = answerOf([0.1, 0.7, 0.3], ['2026-03-03', '2026-03-04', '2026-04-01']);
    const found = await read(
      [
        [table.query, answerOf([0.3, null]), 3],
        [earlier, before, 2],
      ],
      { ...table, earlier },
    );
    expect(rowsOf(found)).toEqual([
      {
        ...{ ...drift, time: '2026-03-09T23:00:00.000Z', value: 0.3 },
        ...{ earlier_time: '2026-03-02T23:00:00.000Z', earlier_value: 0.1, difference: 0.2 },
      },
      {
        ...{ ...drift, time: '2026-03-10T23:00:00.000Z', value: null },
        ...{ earlier_time: '2026-03-03T23:00:00.000Z', earlier_value: 0.7, difference: null },
      },
      {
        ...{ ...traffic, time: '2026-03-10T00:00:00.000Z', value: null },
        ...{ earlier_time: null, earlier_value: null, difference: null },
      },
    ]);
    expect(found).toMatchObject({
      oldestMs: 2,
      about: {
        earlier,
        comparison: { with: 'Previous Week', found: true, series: 1, valuesWithoutCounterpart: 1 },
      },
    });
  });

  test('compared in the answer itself, with current times: the earlier times follow from the calendar', async () => {
    const answer = answerOf([0.3, 0.4]);
    const compared = { results: { a: { ...answer.results.a, comparison: answerOf([0.1, 0.5]).results.a } } };
    const rows = rowsOf(await read([[table.query, compared, 3]]));
    expect(rows.map((row) => [row['earlier_time'], row['earlier_value'], row['difference']])).toEqual([
      ['2026-03-02T23:00:00.000Z', 0.1, 0.2],
      ['2026-03-03T23:00:00.000Z', 0.5, -0.1],
    ]);
  });

  test('reports a missing comparison and the baseline of drift; the rows have no such columns', async () => {
    const asked = query('7d', {
      ...COMPARED,
      queries: [{ query_key: 'a', metric: 'jsd', baseline_id: 'b1' }],
    });
    const answer = answerOf([0.3]);
    const named = { results: { a: { ...answer.results.a, baseline: { id: 'b1', name: 'Training' } } } };
    const found = await read([[asked, named, 3]], { ...table, query: asked });
    expect(Object.keys(rowsOf(found)[0] ?? {})).toEqual([
      'time',
      'series',
      'value',
      'query',
      'metric',
      'column',
    ]);
    expect(found.about).toMatchObject({
      comparison: { with: 'Previous Week', found: false },
      baselines: [{ id: 'b1', name: 'Training' }],
    });
  });

  test('is not written if its values are no longer stored', async () => {
    await expect(read([])).rejects.toMatchObject({ code: 'NOT_STORED' });
  });
});

test('the CSV of a chart and an export contain the same values at every time', () => {
  const day = fc
    .integer({ min: 0, max: 40 })
    .map((days) => new Date(Date.UTC(2026, 2, 1 + days)).toISOString());
  const data = fc.array(fc.tuple(day, fc.oneof(fc.double({ noNaN: true }), fc.constant(null))), {
    maxLength: 40,
  });
  const body: JsonObject = {
    ...{ project_id: 'p', time_comparison: 'Previous Week', filters: { time_zone: 'UTC', bin_size: 'Day' } },
    queries: [{ query_key: 'a', metric: 'traffic' }],
  };
  fc.assert(
    fc.property(data, data, (now, then) => {
      const result = { metric: 'traffic', col_names: ['timestamp', 'traffic'], data: now };
      const record = { results: { a: { ...result, previous_period: then } } };
      const { series } = readAnswer(record, body, ANSWER_NAMES);
      const shown = tableRows(withChanges(series), [], { startMs: 0, endMs: Number.MAX_SAFE_INTEGER }).map(
        ({ timeMs, ...cells }) => [timeMs, ...[0, 1, 2].map((at) => cells[seriesColumn(at)] ?? null)],
      );
      const written = [...valueRows(readValues(record, body))].map((row) => [
        ...[Date.parse(row.time), row.value],
        ...[row.earlier_value ?? null, row.difference ?? null],
      ]);
      expect(written).toEqual(shown);
    }),
    { numRuns: 200 },
  );
});
