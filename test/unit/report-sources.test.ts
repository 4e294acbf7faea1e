/** Sources of reports: a fact names everything that is missing in a stored answer. */
import { expect, test } from 'vitest';
import type { ReportParts } from '../../electron/engine/report-columns.ts';
import { boardSource } from '../../electron/engine/report-of-records.ts';

test('a chart of a board without the values of a metric says so', async () => {
  const times = ['2026-05-01T00:00:00Z', '2026-05-02T00:00:00Z'];
  const record = {
    results: {
      a: { metric: 'traffic', col_names: ['timestamp', 'traffic'], data: times.map((time) => [time, 5]) },
      b: { metric: 'psi', error: 'The baseline was deleted.' },
    },
  };
  const library = {
    openRecord: () => Promise.resolve({ record, freshness: { oldestMs: 0 } }),
    release: () => undefined,
  };
  const query = {
    ...{ operation: 'queries.run' as const, path: {}, query: {} },
    body: {
      query_type: 'MONITORING',
      queries: [
        { query_key: 'a', metric: 'traffic', model_id: 'm', columns: [] },
        { query_key: 'b', metric: 'psi', model_id: 'm', columns: [] },
      ],
    },
  };
  // Safe cast, as a board needs only the library.
  const parts = { session: { library } } as unknown as ReportParts;
  const charts = [{ title: 'Traffic and drift', about: 'Bank churn', query }];
  const { facts, tables } = await boardSource(parts, { kind: 'board', title: 'Churn', charts });
  expect(tables[0]?.rows).toBe(2);
  expect(facts[0]?.text).toMatch(
    /^Bank churn, read 1970-\S+Z, bins of any size\. .*The baseline was deleted\.$/,
  );
});
