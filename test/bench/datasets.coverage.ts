/**
 * The spans that fill the gaps of a dataset, compared with the same number of random spans; also the comparison of
 * 100,000 stored spans.
 */
import { drawBlindly, fillGap, meanOverlap } from '../../electron/core/coverage/fill.ts';
import { measureCoverage } from '../../electron/core/coverage/measure.ts';
import type { SourceList } from '../../electron/core/coverage/sources.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { plantedCandidates } from '../helpers/planted-coverage.ts';

const SIZES = [10, 20, 50, 100, 200, 500, 1_000];
const DRAWS = 10;
const SPANS = 100_000;

function besideBlind(): BenchResult[] {
  const { facets, tally, dimensions, candidates } = plantedCandidates(11, 20_000);
  const coverageOf = (places: readonly number[]) => {
    const filled = tally.copy();
    for (const place of places) filled.add(candidates[place] ?? []);
    return 100 * (meanOverlap(facets, filled, dimensions) ?? 0);
  };
  return SIZES.map((size) => {
    const greedy = coverageOf(fillGap({ facets, tally, dimensions, candidates, size }));
    const drawn = Array.from({ length: DRAWS }, (_, draw) =>
      coverageOf(drawBlindly(candidates.length, size, 31 * (draw + 1))),
    );
    const best = Math.max(...drawn);
    return result(
      `coverage with ${size} spans`,
      greedy,
      '%',
      best,
      `more is better; the limit is the best of ${DRAWS} blind draws; before ${coverageOf([]).toFixed(1)} %`,
    );
  });
}

interface Rows extends SourceList {
  at: (position: number) => Record<string, unknown>;
}

/** The work of the thread, without reading the file. */
function overStored(): BenchResult[] {
  const application = { path: { application_id: 'a' }, query: {} };
  const list = (query: Rows['query'], rowCount: number, at: Rows['at']): Rows => {
    return { query, rowCount, totalRows: rowCount, isComplete: true, oldestMs: 0, at };
  };
  const agents = Array.from({ length: 40 }, (_, at) => `Agent ${at}`);
  const names = Array.from({ length: 60 }, (_, at) => `user.field_${at}`);
  const filler = 'lorem ipsum '.repeat(80);
  const valueAt = (name: number, at: number) => `v${(at * (name + 3)) % (5 + name)}`;
  const lists = [
    list({ operation: 'catalog.list', ...application, query: { entity_type: 'agent_name' } }, 40, (at) => {
      return { name: agents[at], semantic_name: 'agent_name', row_count: 1_000 - 20 * at };
    }),
    list({ operation: 'catalog.list', ...application, query: { entity_type: 'attribute' } }, 60, (at) => {
      return { name: names[at], semantic_name: `concept_${at % 9}`, data_type: 'string', row_count: 500 };
    }),
    ...names.map((name, index) =>
      list(
        { operation: 'catalog.values', ...application, query: { entity_type: 'attribute', name } },
        5 + index,
        (at) => ({ value: `v${at}`, row_count: 100 + at }),
      ),
    ),
    list({ operation: 'datasets.items', path: { dataset_id: 'd' }, query: {} }, 1_000, (at) => {
      return { id: `i${at}`, source_name: 'span', source_id: `s${at * 3}`, inputs: {} };
    }),
    list({ operation: 'spans.query', path: {}, query: {}, body: { application_id: 'a' } }, SPANS, (at) => {
      const attributes = names.slice(0, 20).map((name, index) => [name, valueAt(index, at)]);
      return {
        ...{ trace_id: `t${at}`, span_id: `s${at}`, span_type: 'llm', agent_name: agents[at % 17] },
        span_attributes: { ...Object.fromEntries(attributes), 'gen_ai.input': filler },
      };
    }),
  ];
  const question = {
    ...{ datasetId: 'd', applicationId: 'a', buildId: null, dimensions: null, spanType: null },
    size: 1_000,
  };
  global.gc?.();
  const before = process.memoryUsage().rss;
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  const found = measureCoverage(
    {
      lists,
      *rowsOf({ rowCount, at }) {
        for (let position = 0; position < rowCount; position += 1)
          yield { position, json: JSON.stringify(at(position)) };
      },
      spansOfItems: () => [],
      spansOfBuild: () => [],
    },
    question,
  );
  const { user, system } = process.cpuUsage(cpu);
  const on = `${SPANS.toLocaleString('en-US')} spans of 1.5 KB, 63 dimensions, 1,000 selected`;
  if (found.spans.stored !== SPANS) throw new Error(`Only ${found.spans.stored} spans were compared.`);
  return [
    result(
      'comparing with production',
      (performance.now() - startedAt) / 1_000,
      's',
      10,
      `less is better; in a thread; ${((user + system) / 1e6).toFixed(1)} s on the processor; ${on}`,
    ),
    result('memory grown', (process.memoryUsage().rss - before) / 1e6, 'MB', 200, `less is better; ${on}`),
  ];
}

export async function run(): Promise<BenchResult[]> {
  return [...besideBlind(), ...overStored()];
}
