/** Drift of columns on the home page of a model: the query, and the values of its answer. */
import { expect, test } from 'vitest';
import { readMetrics } from '../../electron/shared/metrics.ts';
import { driftMetric, driftQuery, readDrift } from '../../renderer/lib/monitoring/column-drift.ts';

const METRICS = readMetrics({
  metrics: [
    { id: 'traffic', name: 'Traffic', type: 'service_metrics', columns: [], requires_baseline: false },
    { id: 'jsd', name: 'Distance', type: 'drift', columns: ['age', 'amount'], requires_baseline: true },
  ],
});
const RECORD = { id: 'm', project: { id: 'p' } };
const RANGE = { startMs: Date.UTC(2026, 0, 1), endMs: Date.UTC(2026, 0, 3) };
const ask = (columns: readonly string[], record: Record<string, unknown> = RECORD) => {
  const metric = driftMetric(METRICS);
  return metric === undefined ? null : driftQuery({ record, metric, baselineId: 'b', columns }, RANGE);
};

test('asks for the drift of those shown columns that the metric applies to, by day', () => {
  expect(ask(['age', 'note'])).toMatchObject({
    operation: 'queries.run',
    body: {
      project_id: 'p',
      filters: { bin_size: 'Day' },
      queries: [{ model_id: 'm', baseline_id: 'b', metric: 'jsd', columns: ['age'] }],
    },
  });
});

test('asks for nothing without a metric of drift, a column or a project', () => {
  expect(driftMetric(METRICS.slice(0, 1))).toBeUndefined();
  expect(ask(['note'])).toBeNull();
  expect(ask(['age'], { id: 'm' })).toBeNull();
});

test('reads the newest and the largest value of each column', () => {
  const query = ask(['age', 'amount']);
  const metric = driftMetric(METRICS);
  if (query === null || metric === undefined) throw new Error('Expected a query.');
  const answer = {
    results: {
      drift: {
        col_names: ['timestamp', 'age', 'amount'],
        data: [
          ['2026-01-01T00:00:00Z', 0.3, null],
          ['2026-01-02T00:00:00Z', 0.1, null],
        ],
      },
    },
  };
  const drifts = readDrift(answer, query, metric);
  expect(drifts.get('age')).toMatchObject({ last: 0.1, most: 0.3 });
  expect(drifts.get('amount')).toMatchObject({ last: null, most: null });
});
