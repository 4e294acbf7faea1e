/** Boards: the standard tiles of a model and of an application, stored tiles, and the bodies of their requests. */
import { describe, expect, test } from 'vitest';
import { readRule } from '../../electron/shared/alert-rule.ts';
import { periodOf, tileBody } from '../../electron/shared/board-times.ts';
import { readBody } from '../../electron/shared/chart-query.ts';
import { type MetricChoice, readMetrics } from '../../electron/shared/metrics.ts';
import { MAX_VIEW_CHARACTERS } from '../../electron/shared/saved-view.ts';
import {
  columnsText,
  emptyTile,
  isComplete,
  isSameTile,
  keptWhole,
  MAX_TILES,
  movedTile,
  readTiles,
  tileOfChart,
  tilesText,
} from '../../renderer/lib/monitoring/board.ts';
import { type BoardFacts, newTile, standardTiles } from '../../renderer/lib/monitoring/board-tiles.ts';
import { removeQuery, setQuery } from '../../renderer/lib/monitoring/chart-body.ts';
import { describeView } from '../../renderer/lib/view-words.ts';

const COLUMNS = [
  { id: 'amount', name: 'amount', group: 'inputs', data_type: 'float' },
  { id: 'hour', name: 'hour', group: 'inputs', data_type: 'int' },
  { id: 'score', name: 'score', group: 'outputs', data_type: 'float' },
];
const ALL = COLUMNS.map(({ id }) => id);
const METRICS = readMetrics({
  metrics: [
    { id: 'psi', name: 'PSI', type: 'drift', columns: ALL, requires_baseline: true },
    { id: 'jsd', name: 'JSD', type: 'drift', columns: ALL, requires_baseline: true },
    { id: 'traffic', name: 'Traffic', type: 'service_metrics', columns: [] },
    { id: 'null_violation_count', name: 'Nulls', type: 'data_integrity', columns: ALL },
    { id: 'null_violation_percentage', name: 'Nulls, %', type: 'data_integrity', columns: ALL },
    { id: 'accuracy', name: 'Accuracy', type: 'performance', columns: [] },
    { id: 'precision', name: 'Precision', type: 'performance', columns: [] },
    { id: 'recall', name: 'Recall', type: 'performance', columns: [] },
    { id: 'average', name: 'Average', type: 'statistic', columns: ALL },
    { id: 'c1', name: 'Blocked amount', type: 'custom', columns: [] },
  ],
  columns: COLUMNS,
});
const MODEL = { kind: 'model', projectId: 'p', modelId: 'm' } as const;
const rule = (fields: Record<string, unknown>) =>
  readRule({
    id: 'r1',
    name: 'Rule',
    model: { id: 'm' },
    bin_size: 'Day',
    compare_to: 'raw_value',
    ...fields,
  });

function facts(change: Partial<BoardFacts> = {}): BoardFacts {
  const baselines = [
    { id: 'b1', name: 'training' },
    { id: 'b2', name: 'month before' },
  ];
  return { subject: MODEL, name: 'Card fraud', metrics: METRICS, baselines, rules: [], ...change };
}
const titles = (change: Partial<BoardFacts> = {}) => standardTiles(facts(change)).map(({ title }) => title);
const bodyOf = (id: string, change: Partial<BoardFacts> = {}) => {
  const tile = standardTiles(facts(change)).find((each) => each.id === id);
  return tile === undefined ? null : readBody(tile.body);
};

describe('the standard board of a model', () => {
  test('shows traffic, drift, performance, missing values, outputs and custom metrics', () => {
    expect(titles()).toEqual([
      'Traffic',
      'Drift against training',
      'Precision and recall',
      'Missing values',
      'score, average',
      'Blocked amount',
    ]);
  });

  test('asks for drift of every column, outputs first, and draws the three highest', () => {
    expect(bodyOf('drift')?.queries).toMatchObject([
      { metric: 'jsd', baselineId: 'b1', columns: ['score', 'amount', 'hour'], modelId: 'm' },
    ]);
    expect(standardTiles(facts()).find(({ id }) => id === 'drift')?.top).toBe(3);
  });

  const wide = (count: number, name = 'column') =>
    readMetrics({
      metrics: ['jsd', 'null_violation_percentage'].map((id) => ({
        ...{ id, name: id, type: id === 'jsd' ? 'drift' : 'data_integrity', requires_baseline: id === 'jsd' },
        columns: Array.from({ length: count }, (_, at) => `${name} ${at}`),
      })),
      columns: [],
    });

  test('asks for all columns in queries of 20, as many as one chart can have, and says how many are left out', () => {
    for (const id of ['drift', 'missing']) {
      const tileOf = (metrics: MetricChoice[]) => {
        const found = standardTiles(facts({ metrics })).find((each) => each.id === id);
        return found ?? emptyTile('missing');
      };
      const some = tileOf(wide(50));
      expect(readBody(some.body).queries.map(({ columns }) => columns.length)).toEqual([20, 20, 10]);
      expect(new Set(readBody(some.body).queries.map(({ key }) => key)).size).toBe(3);
      expect(columnsText(some)).toBeNull();
      const many = tileOf(wide(300));
      expect(readBody(many.body).queries.map(({ columns }) => columns.length)).toEqual(
        Array.from({ length: 6 }, () => 20),
      );
      expect(columnsText(many)).toBe('120 of 300 columns');
      expect(isComplete(many)).toBe(true);
      expect(readTiles(tilesText([many]))).toEqual([many]);
    }
  });

  test('with many columns of long names still can be stored', () => {
    const rules = Array.from({ length: 6 }, (_, at) =>
      rule({ id: `r${at}`, metric: { id: 'jsd' }, feature_names: ['__ANY__'], baseline: { id: `o${at}` } }),
    );
    const tiles = standardTiles(
      facts({ metrics: wide(300, 'a column with a name of fifty characters, or so'), rules }),
    );
    expect(tilesText(tiles).length).toBeLessThan(MAX_VIEW_CHARACTERS);
  });

  test('with many columns and rules on all of them leaves space for changes, and says how many columns are left out', () => {
    const names = Array.from({ length: 300 }, (_, at) => `column ${at}`.padEnd(30, ' of the model'));
    const ids = ['psi', ...Array.from({ length: 5 }, (_, at) => `range ${at}`)];
    const metrics = readMetrics({
      metrics: ['jsd', 'null_violation_percentage', ...ids].map((id) => ({
        ...{ id, name: id, type: id === 'jsd' ? 'drift' : 'data_integrity', requires_baseline: id === 'jsd' },
        columns: names,
      })),
      columns: [],
    });
    const rules = ids.map((id) => rule({ id, name: id, metric: { id }, feature_names: ['__ANY__'] }));
    const tiles = standardTiles(facts({ metrics, rules }));
    expect(tiles).toHaveLength(8);
    expect(tilesText(tiles).length).toBeLessThanOrEqual(0.75 * MAX_VIEW_CHARACTERS);
    for (const tile of tiles) expect(columnsText(tile)).toMatch(/^[1-9]\d+ of 300 columns$/);
    expect(tiles.every(isComplete)).toBe(true);
  });

  test('says how many columns are left out, until its metric or its columns are changed', () => {
    const drift = standardTiles(facts({ metrics: wide(300) })).find(({ id }) => id === 'drift');
    const { body, whole } = drift ?? emptyTile('missing');
    const keys = readBody(body).queries.map(({ key }) => key);
    const all = (change: Parameters<typeof setQuery>[2]) =>
      keys.reduce((changed, key) => setQuery(changed, key, change), body);
    const wholeOf = (changed: typeof body) => keptWhole({ body, whole }, changed);
    const [key = ''] = keys;
    expect(wholeOf(body)).toBe(300);
    expect(wholeOf(all({ viz_type: 'bar' }))).toBe(300);
    expect(wholeOf(all({ baseline_id: 'b2' }))).toBe(300);
    expect(wholeOf(all({ metric: 'psi' }))).toBe(0);
    expect(wholeOf(setQuery(body, key, { columns: ['column 1'] }))).toBe(0);
    expect(wholeOf(removeQuery(body, key))).toBe(0);
  });

  test('requests at least one column, however long its name is', () => {
    const tiles = standardTiles(facts({ metrics: wide(3, 'long '.repeat(900)) }));
    expect(tiles.filter(({ body }) => readBody(body).queries.length === 0)).toEqual([]);
  });

  test('has no tile for a rule that watches a change between bins', () => {
    const metric = { id: 'range', type: 'data_integrity' };
    const change = { id: 'r1', name: 'Change', metric, feature_names: ['amount'], compare_to: 'time_period' };
    expect(titles({ rules: [rule(change)] })).not.toContain('Change');
  });

  test('measures drift against the baseline of the alert rule', () => {
    const rules = [rule({ metric: { id: 'jsd' }, baseline: { id: 'b2' }, feature_names: ['score'] })];
    expect(bodyOf('drift', { rules })?.queries).toMatchObject([{ baselineId: 'b2' }]);
  });

  test('leaves out what has no baseline, no metric or no column', () => {
    expect(titles({ baselines: [] })).not.toContain('Drift against training');
    expect(titles({ metrics: METRICS.filter(({ type }) => type !== 'performance') })).not.toContain(
      'Precision and recall',
    );
  });

  test('shows traffic and the values of rules while the metrics are unknown', () => {
    const rules = [
      rule({
        id: 'r1',
        name: 'Amounts',
        metric: { id: 'range', type: 'data_integrity' },
        feature_names: ['amount'],
      }),
      rule({ id: 'r2', name: 'Any column', metric: { id: 'nulls' }, feature_names: ['__ANY__'] }),
      rule({ id: 'r3', name: 'No metric', metric: null }),
    ];
    expect(titles({ metrics: [], baselines: [], rules })).toEqual(['Traffic', 'Amounts']);
    expect(bodyOf('rule r1', { metrics: [], rules })?.queries).toMatchObject([
      { metric: 'range', columns: ['amount'] },
    ]);
  });

  test('shows the value of a rule once, and not again if another tile shows it', () => {
    const metric = { id: 'range', type: 'data_integrity' };
    const rules = [
      rule({ id: 'r1', name: 'First', metric, feature_names: ['amount'] }),
      rule({ id: 'r2', name: 'Same', metric, feature_names: ['amount'] }),
      rule({ id: 'r3', name: 'Traffic drops', metric: { id: 'traffic' } }),
      rule({
        id: 'r4',
        name: 'Category',
        metric: { id: 'frequency' },
        feature_names: ['amount'],
        category: 'x',
      }),
    ];
    const shown = titles({ rules });
    expect(shown).toContain('First');
    expect(shown).toContain('Category');
    expect(shown).not.toContain('Same');
    expect(shown).not.toContain('Traffic drops');
  });

  test('has distinct tiles for rules without ids, and for a column that is listed twice', () => {
    const rules = ['x', 'y'].map((id) => rule({ id: null, name: id, metric: { id } }));
    const metrics = METRICS.map((metric) => ({ ...metric, columns: [...metric.columns, ...metric.columns] }));
    const ids = standardTiles(facts({ rules, metrics })).map(({ id }) => id);
    expect(ids.filter((id) => id.startsWith('rule'))).toHaveLength(1);
    expect(new Set(ids).size).toBe(ids.length);
    expect(bodyOf('drift', { metrics })?.queries[0]?.columns).toEqual(['score', 'amount', 'hour']);
  });

  test('has at most 20 tiles with distinct ids, and the same bodies each time', () => {
    const many = Array.from({ length: 40 }, (_, at) =>
      rule({ id: `r${at}`, name: `Rule ${at}`, metric: { id: `x${at}` } }),
    );
    const tiles = standardTiles(facts({ rules: many }));
    expect(tiles.length).toBeLessThanOrEqual(MAX_TILES);
    expect(new Set(tiles.map(({ id }) => id)).size).toBe(tiles.length);
    expect(tilesText(standardTiles(facts({ rules: many })))).toBe(tilesText(tiles));
  });
});

describe('the standard board of an application', () => {
  const metric = (type: string, id: string): MetricChoice => ({
    ...{ id, name: id, type, typeName: type, columns: [] },
    ...{ requiresBaseline: false, requiresCategories: false, requiresThreshold: false, requiresTopK: false },
  });
  const subject = { kind: 'application', applicationId: 'a' } as const;

  test('shows metrics of every type before a second one of any, in the order of the service', () => {
    const metrics = [
      ...Array.from({ length: 12 }, (_, at) => metric('attribute', `attribute ${at}`)),
      metric('traffic', 'spans'),
      metric('latency', 'p95'),
    ];
    const shown = titles({ subject, metrics, baselines: [], rules: [] });
    expect(shown).toHaveLength(9);
    expect(shown.slice(-2)).toEqual(['spans', 'p95']);
  });

  test('is empty while its metrics are unknown', () => {
    expect(titles({ subject, metrics: [], baselines: [], rules: [] })).toEqual([]);
  });

  test('asks without fields of models and without a comparison', () => {
    const [tile] = standardTiles(
      facts({ subject, metrics: [metric('traffic', 'spans')], baselines: [], rules: [] }),
    );
    expect(tileBody(tile ?? newTile(facts(), 'x'), { label: '7d', compare: 'period' })).toEqual({
      application_id: 'a',
      filters: { time_label: '7d', time_range: null, time_zone: 'UTC', bin_size: 'Day' },
      queries: [expect.not.objectContaining({ model_id: expect.anything() })],
    });
  });
});

describe('what a tile requests', () => {
  const tile = newTile(facts(), 'new');

  test.each([
    ['today', 'Hour', 'Previous Day'],
    ['7d', 'Day', 'Previous Week'],
    ['30d', 'Day', 'Previous Month'],
    ['90d', 'Day', 'Previous Quarter'],
    ['12m', 'Week', 'Previous Year'],
    ['something new', 'Week', 'Previous Year'],
  ])('has the times of the board: %s', (label, bin, period) => {
    expect(tileBody(tile, { label, compare: 'period' })).toMatchObject({
      filters: { time_label: label, time_range: null, bin_size: bin },
      time_comparison: period,
    });
    expect(periodOf(label)).toBe(period);
  });

  test('is compared only on request', () => {
    expect(tileBody(tile, { label: '30d', compare: '' })).not.toHaveProperty('time_comparison');
    expect(tileBody(tile, { label: '30d', compare: 'Previous Week' })).toMatchObject({
      time_comparison: 'Previous Week',
    });
  });
});

describe('stored tiles', () => {
  const tiles = standardTiles(facts());

  test('are read as they were written', () => {
    expect(readTiles(tilesText(tiles))).toEqual(tiles);
  });

  test('leave out what cannot be requested, keep the others, and never repeat an id', () => {
    const [first] = tiles;
    const bad = [
      null,
      3,
      {},
      { id: 'x', title: 'X' },
      { ...first, id: 'y', body: { queries: [] } },
      first,
      first,
    ];
    expect(readTiles(JSON.stringify(bad))).toEqual([first]);
  });

  test.each(['', 'no JSON', '{}', '3'])('are unreadable as %j', (text) => {
    expect(readTiles(text)).toBeNull();
  });

  test('are at most 20', () => {
    const many = Array.from({ length: 40 }, (_, at) => ({ ...tiles[0], id: String(at) }));
    expect(readTiles(JSON.stringify(many))).toHaveLength(MAX_TILES);
  });

  test('are the same whatever the order of their fields', () => {
    const [first] = tiles;
    const other = {
      ...first,
      body: { ...Object.fromEntries(Object.entries(first?.body ?? {}).toReversed()) },
    };
    const turned = Object.fromEntries(Object.entries(other).toReversed()) as unknown as typeof other;
    expect(isSameTile(first ?? emptyTile('x'), { ...emptyTile('x'), ...turned })).toBe(true);
    expect(isSameTile(first ?? emptyTile('x'), { ...emptyTile('x'), ...turned, title: 'Other' })).toBe(false);
  });

  test('are neither requested nor stored without a metric', () => {
    expect(isComplete(emptyTile('x'))).toBe(false);
    expect(readTiles(tilesText([emptyTile('x')]))).toEqual([]);
    expect(tiles.every(isComplete)).toBe(true);
  });

  test('lose their own times: those of the board apply', () => {
    const body = tileBody(newTile(facts(), 'x'), { label: '12m', compare: 'period' });
    const tile = tileOfChart('t', { name: 'Saved', body, about: 'Card fraud', right: ['k'] });
    expect(tile.body).not.toHaveProperty('filters');
    expect(tile.body).not.toHaveProperty('time_comparison');
    const [read] = readTiles(JSON.stringify([{ ...tile, body }])) ?? [];
    expect(read).toEqual(tile);
  });

  test('move within the list', () => {
    const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id);
    const [a, b, c] = tiles.slice(0, 3);
    const three = tiles.slice(0, 3);
    expect(ids(movedTile(three, c?.id ?? '', 0))).toEqual([c?.id, a?.id, b?.id]);
    expect(ids(movedTile(three, a?.id ?? '', 9))).toEqual([b?.id, c?.id, a?.id]);
    expect(ids(movedTile(three, a?.id ?? '', -1))).toEqual(ids(three));
    expect(ids(movedTile(three, 'unknown', 0))).toEqual(ids(three));
  });
});

test('a shared board says which charts it requests, for which times', () => {
  const lines = (params: Record<string, string>) =>
    describeView({
      ...{ name: 'Night watch', service: '' },
      view: { kind: 'board', title: 'Night watch', grid: null, params: { board: 'own:x', ...params } },
    }).map(({ name, value }) => [name, value]);
  expect(
    lines({
      about: 'Card fraud',
      time: '7d',
      compare: 'period',
      tiles: tilesText(standardTiles(facts()).slice(0, 2)),
    }),
  ).toEqual([
    ['Opens', 'Board of charts: Night watch'],
    ['About', 'Card fraud'],
    ['Charts', 'Traffic, Drift against training'],
    ['Time range', 'Last 7 days'],
    ['Compared with', 'previous week'],
  ]);
  expect(lines({})).toContainEqual(['Charts', 'the standard ones']);
  expect(lines({ tiles: 'no JSON' })).toContainEqual(['Charts', 'none']);
});
