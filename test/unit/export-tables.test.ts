/** Tables that are no list of the service, as an export reads them: hits of a search, values of a chart. */
import { describe, expect, test } from 'vitest';
import { readTable } from '../../electron/engine/export-tables.ts';
import { answerRows } from '../../electron/shared/answer-table.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { SearchHit, SearchKind } from '../../electron/shared/search-contract.ts';

type Parts = Parameters<typeof readTable>[0];
const none = {} as Parts;
const rowsOf = ({ rows }: Awaited<ReturnType<typeof readTable>>) => ('form' in rows ? [] : [...rows]);

describe('a search', () => {
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
        reach: { storedRows: 9, totalRows: 9, isComplete: true, oldestMs: kind === 'spans' ? 5 : 7 },
      }));
      return Promise.resolve({ groups, applications: [], rowsLeft: 0, isCut: false, near: [], tookMs: 1 });
    },
  });
  const ask = { typed: 'a', kind: null, applicationId: null, sinceMs: null, untilMs: null };

  test('gives every hit once, kind by kind, and says whether there are more', async () => {
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

test('a comparison of two score runs gives every item once, with both scores and its failure kind', async () => {
  const score = (value: number, label: string) => ({ name: 'tone', value, label, reasoning: 'why' });
  const all = Array.from({ length: 1_203 }, (_, at) => ({
    ...{ itemId: `i${at}`, change: 'worse' as const, before: score(0.5, 'good'), after: score(0.25, 'bad') },
    ...{ difference: -0.25, failureKind: at === 0 ? 'Wrong tone' : null },
  }));
  const plan = { datasetId: 'd', datasetName: 'Refunds' };
  const scores = {
    get: () => ({ plan }),
    compare: ({ offset, limit }: { offset: number; limit: number }) =>
      Promise.resolve({ name: 'tone', rows: all.slice(offset, offset + limit), total: all.length }),
  } as unknown as Parts['scores'];
  const question = { before: 'b', after: 'a', name: null, lowerIsBetter: false, show: null };
  const read = await readTable({ ...none, scores }, { form: 'comparison', ...question });
  const rows = rowsOf(read);
  expect(new Set(rows.map(({ item_id: id }) => id)).size).toBe(1_203);
  expect(rows[0]).toEqual({
    ...{ item_id: 'i0', change: 'worse', before: 0.5, after: 0.25, difference: -0.25 },
    ...{ label_before: 'good', label_after: 'bad', reasoning_before: 'why', reasoning_after: 'why' },
    failure_kind: 'Wrong tone',
  });
  expect(read).toMatchObject({ isComplete: true, about: { table: 'comparison', name: 'tone' } });
});

describe('a chart', () => {
  const query = (label: string): ListQuery => ({
    ...{ operation: 'queries.run', path: {}, query: {} },
    body: { filters: { time_label: label, time_zone: 'Europe/Berlin' } },
  });
  const answerOf = (value: number) => ({
    results: {
      a: {
        metric: 'jsd',
        col_names: ['timestamp', 'jsd,age', 'note'],
        data: [
          ['2026-03-11', null, 'x'],
          ['2026-03-10 00:00:00', value, 'y'],
        ],
      },
      b: { metric: 'traffic', data: [['2026-03-10T00:00:00Z', 'NaN']] },
    },
  });
  const library = (stored: ReadonlyMap<string, unknown>): Parts['library'] => ({
    release: () => undefined,
    openRecord: ({ query: asked }) => {
      const record = (stored.get(JSON.stringify(asked)) ?? null) as Record<string, unknown> | null;
      const freshness = { oldestMs: 3, newestMs: 3 } as Awaited<
        ReturnType<Parts['library']['openRecord']>
      >['freshness'];
      return Promise.resolve({ recordKey: '', record, parts: null, goneAtMs: null, freshness });
    },
  });
  const table = {
    ...{ form: 'chart' as const, query: query('7d'), earlier: query('earlier') },
    names: { 'a/1:jsd,age': 'Drift · age', 'a/1:jsd,age earlier': 'Drift · age · previous week' },
  };

  test('is a row for each time of each series, in moments, with the names that the chart shows', () => {
    const rows = [...answerRows(answerOf(0.5), 'Europe/Berlin', (id) => ({ 'a/1:jsd,age': 'Drift' })[id])];
    const drift = { series: 'Drift', query: 'a', metric: 'jsd', column: 'jsd,age' };
    expect(rows).toEqual([
      { ...drift, time: '2026-03-09T23:00:00.000Z', value: 0.5 },
      { ...drift, time: '2026-03-10T23:00:00.000Z', value: null },
      {
        ...{ time: '2026-03-10T00:00:00.000Z', series: 'traffic', value: null },
        ...{ query: 'b', metric: 'traffic', column: 'value' },
      },
    ]);
  });

  test('has the earlier period at its own times, and says when its values came', async () => {
    const stored = new Map([
      [JSON.stringify(table.query), answerOf(0.5)],
      [JSON.stringify(table.earlier), answerOf(0.1)],
    ]);
    const read = await readTable({ ...none, library: library(stored) }, table);
    expect(
      rowsOf(read)
        .filter(({ query: key }) => key === 'a')
        .map(({ series, value }) => [series, value]),
    ).toEqual([
      ['Drift · age', 0.5],
      ['Drift · age', null],
      ['Drift · age · previous week', 0.1],
      ['Drift · age · previous week', null],
    ]);
    expect(read).toMatchObject({ oldestMs: 3, isComplete: true });
  });

  test('whose values are not stored any more is not written', async () => {
    const gone = readTable({ ...none, library: library(new Map()) }, table);
    await expect(gone).rejects.toMatchObject({ code: 'NOT_STORED' });
  });
});
