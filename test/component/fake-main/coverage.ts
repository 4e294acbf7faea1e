/** A fake comparison of a dataset with production. */
import type { InvokeArgs } from '../../../electron/shared/contract.ts';
import type { Coverage, CoverageDimension } from '../../../electron/shared/coverage-model.ts';
import { DAMAGED } from './lists.ts';
import { iso, NOW, scenario, uuid } from './scenario.ts';

const HOUR_MS = 3_600_000;

function dimension(
  key: string,
  title: string,
  values: readonly (readonly [string, number, number, number])[],
  more: Partial<CoverageDimension> = {},
): CoverageDimension {
  const sum = (at: 1 | 2 | 3) => values.reduce((all, value) => all + value[at], 0);
  const overlap = (at: 2 | 3) =>
    values.reduce((all, value) => all + Math.min(value[1] / sum(1), value[at] / Math.max(1, sum(at))), 0);
  return {
    ...{ key, title, entityType: key.split(' ')[0] ?? null, isCounted: true },
    ...{ coverage: overlap(2), afterFill: overlap(3), rows: sum(1), items: sum(2), filled: sum(3) },
    ...{ storedValues: values.length, totalValues: values.length, oldestMs: NOW - 3 * HOUR_MS },
    values: values.map(([value, rows, items, afterFill]) => ({ value, rows, items, afterFill })),
    otherValues: 0,
    ...more,
  };
}

const DIMENSIONS: readonly CoverageDimension[] = [
  dimension('agent_name', 'Agent', [
    ['Refund agent', 42_000, 12, 31],
    ['Order tracker', 38_000, 210, 210],
    ['Returns desk', 21_000, 160, 160],
    ['Voucher agent', 9_800, 0, 8],
    ['Escalation agent', 1_200, 30, 30],
    ['Old router', 0, 4, 4],
  ]),
  dimension(
    'attribute fiddler.span.user.country',
    'fiddler.span.user.country',
    [
      ['DE', 61_000, 380, 391],
      ['FR', 24_000, 12, 23],
      ['IT', 9_000, 20, 20],
      ['PL', 4_000, 0, 3],
    ],
    { storedValues: 24, totalValues: 31, otherValues: 20 },
  ),
  dimension('span_type', 'Span type', [
    ['llm', 52_000, 412, 441],
    ['tool', 30_000, 0, 21],
  ]),
  dimension('attribute order.reference', 'order.reference', [['ORD-118822', 3, 1, 1]], {
    isCounted: false,
    storedValues: 500,
    totalValues: 1_900,
    otherValues: 499,
  }),
];

function withoutItems(known: CoverageDimension): CoverageDimension {
  const values = known.values.map((value) => ({ ...value, items: 0, afterFill: 0 }));
  return { ...known, values, items: 0, filled: 0, coverage: 0, afterFill: 0 };
}

export function answerCoverage({
  dimensions,
  spanType,
  size,
}: InvokeArgs<'datasets:coverage'>): Coverage | Promise<never> {
  if (scenario.coverage === 'failed') throw DAMAGED;
  if (scenario.coverage === 'slow' && dimensions !== null) return new Promise<never>(() => undefined);
  const isEmpty = scenario.coverage === 'empty';
  const isUnknown = scenario.coverage === 'unknown';
  const picked = isEmpty ? 0 : Math.min(size, 50);
  const query = {
    ...{ operation: 'spans.query', path: {}, query: {} },
    body: { application_id: uuid(1), start_time: iso(86_400_000), end_time: iso(0) },
  };
  return {
    items: {
      ...{ stored: 412, total: 412, oldestMs: NOW - 12 * 60_000 },
      ...{ fromSpans: 380, withSpan: isEmpty || isUnknown ? 0 : 380 },
    },
    spans: {
      stored: isEmpty ? 0 : 2_300,
      oldestMs: NOW - 2 * HOUR_MS,
      inDataset: isEmpty ? 0 : 380,
    },
    inBasket: 0,
    dimensions: isEmpty
      ? []
      : DIMENSIONS.map((each) => (isUnknown ? withoutItems(each) : each)).map((each) =>
          dimensions === null ? each : { ...each, isCounted: dimensions.includes(each.key) },
        ),
    otherDimensions: 0,
    unread: isEmpty ? { names: [], count: 0 } : { names: ['gen_ai.model', 'user.plan'], count: 2 },
    spanTypes: isEmpty ? [] : ['llm', 'tool'],
    fill: {
      candidates: isEmpty ? 0 : spanType === null ? 1_920 : 800,
      picks: isEmpty
        ? []
        : [
            {
              query,
              spans: Array.from({ length: picked }, (_, position) => {
                return { trace_id: uuid(position), span_id: `s${position}`, position, start_time: iso(0) };
              }),
            },
          ],
      picked,
      before: isEmpty ? null : 0.61,
      after: isEmpty ? null : 0.84,
      blind: isEmpty ? null : 0.66,
    },
  };
}
