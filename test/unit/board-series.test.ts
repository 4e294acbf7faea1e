/** Values of the tiles of a board: series, names, the shared time axis, the crosshair, and thresholds. */
import { describe, expect, test } from 'vitest';
import { type RuleParts, readRule } from '../../electron/shared/alert-rule.ts';
import type { ChartSeries } from '../../renderer/lib/chart/types.ts';
import { tileOfChart } from '../../renderer/lib/monitoring/board.ts';
import {
  boardSeries,
  earlierText,
  fittingEntries,
  keyEntries,
  sharedSpan,
  shortNames,
  stateOf,
  tileThresholds,
  topSeries,
  unitText,
} from '../../renderer/views/monitoring/board/board-series.ts';

const DAY = 86_400_000;
function line(id: string, values: (number | null)[], change: Partial<ChartSeries> = {}): ChartSeries {
  const times = values.map((_, at) => at * DAY);
  return { id, name: id, kind: 'line', axis: 'left', times, values, look: 0, ...change };
}

describe('drawn series', () => {
  const all = [line('a', [1, 1]), line('b', [9, 9]), line('c', [null, null]), line('d', [5, 5])];

  test('are those with the highest mean, in descending order; their colours start with the first one', () => {
    expect(topSeries(all, 2).map(({ id, look }) => [id, look])).toEqual([
      ['b', 0],
      ['d', 1],
    ]);
  });

  test('are all series if the limit is 0, or not exceeded', () => {
    expect(topSeries(all, 0)).toEqual(all);
    expect(topSeries(all, 4)).toEqual(all);
  });

  test('come with their earlier periods, which do not count', () => {
    const earlier = line('b earlier', [100, 100], { earlierOf: 'b' });
    expect(topSeries([...all, earlier], 1).map(({ id }) => id)).toEqual(['b', 'b earlier']);
  });

  test('are judged without the bin that is not over', () => {
    const open = line('open', [1, 100], { openFromMs: DAY });
    expect(topSeries([open, line('high', [2, 2])], 1).map(({ id }) => id)).toEqual(['high']);
  });
});

describe('names of series', () => {
  const named = (...names: string[]) =>
    shortNames(names.map((name) => line(name, [1], { name }))).map(({ name }) => name);

  test('leave out the words that all begin with', () => {
    expect(named('JSD · amount', 'JSD · hour')).toEqual(['amount', 'hour']);
    expect(named('M · JSD · amount', 'M · JSD · hour')).toEqual(['amount', 'hour']);
    expect(named('Traffic')).toEqual(['Traffic']);
    expect(named('JSD', 'JSD · hour')).toEqual(['JSD', 'JSD · hour']);
    expect(named('Precision', 'Recall')).toEqual(['Precision', 'Recall']);
    expect(named()).toEqual([]);
  });

  test('of an earlier period are the period alone beside a single series', () => {
    const series = [
      line('a', [1], { name: 'JSD · amount' }),
      line('a earlier', [1], { name: 'JSD · amount · previous week', earlierOf: 'a' }),
    ];
    expect(shortNames(series).map(({ name }) => name)).toEqual(['amount', 'previous week']);
    const two = [...series, line('b', [1], { name: 'JSD · hour' })];
    expect(shortNames(two).map(({ name }) => name)).toEqual(['amount', 'amount · previous week', 'hour']);
  });
});

test.each([
  ['Traffic', { left: 'Traffic, events', right: '' }, 'events, by day'],
  ['Precision and recall', { left: 'Precision · Recall', right: '' }, 'by day'],
  [
    'Drift against training',
    { left: 'Jensen-Shannon distance', right: '' },
    'Jensen-Shannon distance, by day',
  ],
  ['Both', { left: 'Traffic, events', right: 'AUC' }, 'Traffic, events, AUC, by day'],
])('what the title leaves out is shown beside it: %s', (title, axes, text) => {
  expect(unitText(title, axes, 'Day')).toBe(text);
});

describe('the common time axis', () => {
  test('covers the times of all tiles', () => {
    const late = line('b', [1, 2], { times: [5 * DAY, 6 * DAY] });
    expect(sharedSpan([[line('a', [1, 2])], [], [late]])).toEqual({ startMs: 0, endMs: 6 * DAY });
  });

  test('is unknown without values, and has a length for a single time', () => {
    expect(sharedSpan([[], []])).toBeNull();
    const one = sharedSpan([[line('a', [1])]]);
    expect((one?.endMs ?? 0) - (one?.startMs ?? 0)).toBeGreaterThan(0);
  });

  test('has room for half a bar at each end', () => {
    expect(sharedSpan([[line('a', [1, 2], { kind: 'bar' })]])).toEqual({
      startMs: -DAY / 2,
      endMs: 1.5 * DAY,
    });
  });
});

describe('values at the crosshair', () => {
  const now = line('a', [10, 20, 1_234.567, 5], { openFromMs: 3 * DAY });
  const earlier = line('a earlier', [5, 10, 1_000, 4], { earlierOf: 'a', name: 'previous week' });
  const texts = (ms: number | null) => keyEntries([now, earlier], ms).map(({ text }) => text);

  test('are those at its time', () => {
    expect(texts(DAY)).toEqual(['20', '10']);
    expect(keyEntries([now, earlier], DAY)[1]?.title()).toContain('change +10 (+100 %)');
  });

  test('are the last ones of finished bins without it, of both periods at the same time', () => {
    expect(texts(null)).toEqual(['1,235', '1,000']);
  });

  test('are named as partial in a bin that is not over', () => {
    expect(keyEntries([now], 3 * DAY)[0]?.title()).toBe('a: 5 so far');
  });

  test('of several series leave out earlier periods, whose change is in the words of each', () => {
    const other = line('b', [1, 2, 3, 4]);
    const entries = keyEntries([now, earlier, other], DAY);
    expect(entries.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(entries[0]?.title()).toBe('a: 20, change +10 (+100 %)');
  });

  test('are missing at a gap, and at a time that this tile does not have', () => {
    expect(keyEntries([line('a', [null])], 0)).toMatchObject([{ text: '–', isMissing: true }]);
    expect(texts(DAY + 1)).toEqual(['–', '–']);
  });
});

describe('thresholds of a tile', () => {
  const body = (columns: string[], change: object = {}) => ({
    project_id: 'p',
    query_type: 'MONITORING',
    queries: [{ query_key: 'k', model_id: 'm', metric: 'jsd', columns, ...change }],
  });
  const tile = (columns: string[], change: object = {}) =>
    tileOfChart('t', { name: 'Tile', body: body(columns, change), about: '', right: [] });
  const rule = (change: Record<string, unknown> = {}): RuleParts =>
    readRule({
      ...{ id: 'r', name: 'Drifts', model: { id: 'm' }, metric: { id: 'jsd' }, bin_size: 'Day' },
      ...{ condition: 'greater', compare_to: 'raw_value', feature_names: ['amount'] },
      ...{ warning_threshold: 0.1, critical_threshold: 0.2, ...change },
    });
  const levels = (of: ReturnType<typeof tile>, label: string, ...rules: RuleParts[]) =>
    tileThresholds(of, label, rules).map(({ severity, level, side }) => [severity, level, side]);

  test('are those of rules that watch what it shows', () => {
    const both = [
      ['warning', 0.1, 'above'],
      ['critical', 0.2, 'above'],
    ];
    expect(levels(tile(['amount', 'hour']), '30d', rule())).toEqual(both);
    expect(levels(tile(['hour']), '30d', rule({ feature_names: ['__ANY__'] }))).toEqual(both);
    expect(levels(tile([]), '30d', rule({ feature_names: null, critical_threshold: null }))).toEqual([
      both[0],
    ]);
  });

  test('are drawn as one line for several rules with the same level, with all their names', () => {
    const rules = [rule(), rule({ id: 'r2', name: 'Copy', critical_threshold: 0.3 })];
    const found = tileThresholds(tile(['amount']), '30d', rules);
    expect(found.map(({ level, rule: name }) => [level, name])).toEqual([
      [0.1, 'Drifts, Copy'],
      [0.2, 'Drifts'],
      [0.3, 'Copy'],
    ]);
  });

  test('have distinct ids, also for rules without ids', () => {
    const rules = [rule({ id: null }), rule({ id: null, warning_threshold: 0.15 })];
    const ids = tileThresholds(tile(['amount']), '30d', rules).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
  });

  test.each([
    ['another model', { model: { id: 'n' } }],
    ['another metric', { metric: { id: 'psi' } }],
    ['another column', { feature_names: ['hour'] }],
    ['another size of bins', { bin_size: 'Hour' }],
    ['a change between bins', { compare_to: 'time_period' }],
    ['another category', { category: 'x' }],
    ['another baseline', { baseline: { id: 'b' } }],
    ['another segment', { segment: { id: 's' } }],
  ])('are not those of a rule for %s', (_, change) => {
    expect(levels(tile(['amount']), '30d', rule(change))).toEqual([]);
  });

  const about = (column: string, values: (number | null)[], change: Partial<ChartSeries> = {}) =>
    line(column, values, { source: { queryKey: 'k', column }, ...change });

  test('mark a tile whose last finished value is beyond them, with the names of the series', () => {
    const thresholds = tileThresholds(tile(['amount']), '30d', [rule()]);
    const state = (values: (number | null)[], change: Partial<ChartSeries> = {}) =>
      stateOf([about('amount', values, change)], thresholds);
    expect(state([0.05, 0.3, 0.15])).toEqual({ severity: 'warning', names: ['amount'] });
    expect(state([0.05, 0.3])).toEqual({ severity: 'critical', names: ['amount'] });
    expect(state([0.05, 0.3], { openFromMs: DAY })).toBeNull();
    expect(state([0.3], { earlierOf: 'b' })).toBeNull();
    expect(state([null])).toBeNull();
  });

  test('mark a tile only for the series that their rule watches', () => {
    const [high, low] = [about('hour', [0.9]), about('amount', [0.01])];
    const one = tileThresholds(tile(['amount', 'hour']), '30d', [rule()]);
    expect(stateOf([high, low], one)).toBeNull();
    const any = tileThresholds(tile(['amount', 'hour']), '30d', [rule({ feature_names: ['__ANY__'] })]);
    expect(stateOf([high, low], any)).toEqual({ severity: 'critical', names: ['hour'] });
    const other = about('amount', [0.9], { source: { queryKey: 'another query', column: 'amount' } });
    expect(stateOf([other], one)).toBeNull();
  });

  test('are one line for a rule whose columns are in several queries', () => {
    const query = (key: string, column: string) => ({
      ...{ query_key: key, model_id: 'm', metric: 'jsd', columns: [column] },
    });
    const both = { queries: [query('k', 'amount'), query('l', 'hour')] };
    const body = { project_id: 'p', query_type: 'MONITORING', ...both };
    const wide = tileOfChart('t', { name: 'Tile', body, about: '', right: [] });
    const found = tileThresholds(wide, '30d', [rule({ feature_names: ['__ANY__'] })]);
    expect(found.map(({ rule: name, level }) => [name, level])).toEqual([
      ['Drifts', 0.1],
      ['Drifts', 0.2],
    ]);
    const later = line('hour', [0.15], { source: { queryKey: 'l', column: 'hour' } });
    expect(stateOf([later], found)).toEqual({ severity: 'warning', names: ['hour'] });
  });
});

test('the series of a board have distinct ids, and names with the title of their tile', () => {
  const series = [line('k/1', [1]), line('k/1 earlier', [1], { earlierOf: 'k/1', name: 'previous week' })];
  const all = boardSeries([
    { id: 'one', title: 'k/1', series },
    { id: 'two', title: 'Drift', series },
  ]);
  expect(all.map(({ name }) => name)).toEqual([
    'k/1',
    'k/1 · previous week',
    'Drift · k/1',
    'Drift · previous week',
  ]);
  expect(new Set(all.map(({ id }) => id)).size).toBe(4);
  expect(all[3]?.earlierOf).toBe(all[2]?.id);
});

test('the grey lines of a tile with several series are named by their period', () => {
  const earlier = (id: string) =>
    line(`${id} earlier`, [1], { name: `JSD · ${id} · previous week`, earlierOf: id });
  expect(earlierText([line('a', [1]), earlier('a'), line('b', [1]), earlier('b')])).toBe(
    'grey: previous week',
  );
  expect(earlierText([line('a', [1]), earlier('a')])).toBe('');
  expect(earlierText([line('a', [1]), line('b', [1])])).toBe('');
});

test('the key line has as many entries as are readable beside the thresholds, and at least one', () => {
  const entries = ['merchant_category', 'amount', 'hour_of_day'].map((name) => ({ name }));
  expect(fittingEntries(entries, [], 800, false)).toBe(3);
  expect(fittingEntries(entries, ['below 80', 'below 60'], 420, false)).toBe(1);
  expect(fittingEntries(entries, ['below 80', 'below 60'], 520, false)).toBe(2);
  expect(fittingEntries(entries, ['below 80', 'below 60'], 100, false)).toBe(1);
  expect(fittingEntries(entries, [], 400, false)).toBe(3);
  expect(fittingEntries(entries, [], 400, true)).toBe(2);
  expect(fittingEntries([], [], 100, false)).toBe(0);
});
