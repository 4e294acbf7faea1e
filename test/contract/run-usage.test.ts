/**
 * Tokens, cost and critical path of experiments whose results refer to traces, with the sample service and without a
 * network.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { cliRig } from '../helpers/cli-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';

const cli = cliRig('run-usage');
const DATASET = 'Claims triage, edge cases';
const APPLICATION = 'Claims triage agent';
const HOUR = 3_600_000;

const answered = async (...args: string[]) => {
  const { stdout, stderr, code } = await cli.run(...args, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};

const span = z.object({
  ...{ trace_id: z.string(), span_id: z.string(), parent_span_id: z.string().nullish() },
  ...{ span_type: z.string(), start_time: z.string(), duration: z.number() },
  span_attributes: z.record(z.string(), z.unknown()),
});
type Span = z.infer<typeof span>;

/** The traces of one day in the sample, read directly from the service. */
async function traces(): Promise<{ range: string[]; traces: Map<string, Span[]> }> {
  const { items: applications } = await answered('applications');
  const id: unknown = applications.find(({ name }: { name: string }) => name === APPLICATION)?.id;
  const end = Math.floor(Date.now() / HOUR) * HOUR - 24 * HOUR;
  const range = [end - 48 * HOUR, end].map((ms) => new Date(ms).toISOString());
  const found: Span[] = [];
  for (let offset = 0; ; offset += 1_000) {
    const response = await fetch(`${cli.service.baseUrl}/v3/spans/query`, {
      ...{
        method: 'POST',
        headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      },
      body: JSON.stringify({
        ...{ application_id: id, start_time: range[0], end_time: range[1], page_size: 1_000, offset },
      }),
    });
    const { items } = z
      .object({ data: z.object({ items: z.array(span) }) })
      .parse(await response.json()).data;
    found.push(...items);
    if (items.length < 1_000) break;
  }
  return { range, traces: Map.groupBy(found, ({ trace_id: traceId }) => traceId) };
}

const sumOf = (spans: readonly Span[], key: string) =>
  spans
    .filter(({ span_type: type }) => type === 'llm')
    .reduce((sum, { span_attributes: attributes }) => sum + Number(attributes[key] ?? 0), 0);

/** Uploads a run with one result for each of the first items. Each result refers to a trace. */
async function upload(name: string, itemIds: readonly string[], traceIds: readonly (string | undefined)[]) {
  await answered('experiments', 'create', name, '--dataset', DATASET);
  const file = cli.file(`${name}.jsonl`);
  const lines = itemIds.map((itemId, at) =>
    JSON.stringify({
      ...{ dataset_item_id: itemId, status: 'SUCCESS', duration_ms: 900 },
      outputs: { answer: 'Yes', ...(traceIds[at] === undefined ? {} : { trace_id: traceIds[at] }) },
      scores: [{ evaluator_name: 'Human', name: 'good', value: at % 2, status: 'SUCCESS' }],
    }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  await answered('experiments', 'upload', name, file);
}

test('sums up the traces of runs offline, and compares the items whose traces are stored', async () => {
  const { range, traces: all } = await traces();
  const isWhole = (spans: readonly Span[]) => {
    const ids = new Set(spans.map(({ span_id: id }) => id));
    return spans.every(({ parent_span_id: parent }) => !parent || ids.has(parent));
  };
  const wholeIds = [...all.keys()].filter((id) => isWhole(all.get(id) ?? []));
  expect(wholeIds.length).toBeGreaterThan(24);
  const { items } = await answered('items', DATASET, '--limit', '14');
  const itemIds: string[] = items.map(({ id }: { id: string }) => id);
  const [before, after] = [wholeIds.slice(0, 12), wholeIds.slice(12, 20)];
  await upload('Before', itemIds, before);
  await upload('After', itemIds, [...after, 'f'.repeat(32)]);
  await answered('experiments', 'results', 'Before', '--all');
  await answered('experiments', 'results', 'After', '--all');
  const none = await answered('experiments', 'usage', 'Before', '--offline');
  expect(none).toMatchObject({ results: 14, named: 12, whole: 0, missing: 12, sums: [] });

  await answered(
    'spans',
    '--application',
    APPLICATION,
    '--start',
    range[0] ?? '',
    '--end',
    range[1] ?? '',
    '--all',
  );
  const usage = await answered('experiments', 'usage', 'Before', '--offline');
  expect(usage).toMatchObject({ results: 14, named: 12, whole: 12, missing: 0, traces: 12 });
  const spansOf = (ids: readonly string[]) => ids.flatMap((id) => all.get(id) ?? []);
  const sums = Object.fromEntries(usage.sums.map((sum: { figure: string }) => [sum.figure, sum]));
  expect(sums['tokens']).toMatchObject({
    ...{ sum: sumOf(spansOf(before), 'system.gen_ai.usage.total_tokens'), traces: 12 },
  });
  expect(sums['costUsd'].sum).toBeCloseTo(sumOf(spansOf(before), 'user.cost_usd'), 8);
  expect(sums['pathMs'].sum).toBeGreaterThan(0);

  const file = cli.file('compared.jsonl');
  const compared = await answered('experiments', 'compare', 'Before', 'After', '--offline', '--output', file);
  expect(compared.usage[1]).toMatchObject({ results: 14, named: 9, whole: 8, missing: 1 });
  const tokens = compared.usage[1].sums.find(({ figure }: { figure: string }) => figure === 'tokens');
  const differences = after
    .map((id, at) => {
      const [own, other] = [all.get(id) ?? [], all.get(before[at] ?? '') ?? []];
      const key = 'system.gen_ai.usage.total_tokens';
      return sumOf(own, key) - sumOf(other, key);
    })
    .toSorted((one, other) => one - other);
  expect(tokens.difference).toMatchObject({
    ...{ items: 8, value: ((differences[3] ?? 0) + (differences[4] ?? 0)) / 2 },
    interval: [differences[0], differences[7]],
  });
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const first = rows.find((row: { item_id: string }) => row.item_id === itemIds[0]);
  expect(first['Before tokens']).toBe(sumOf(spansOf(before.slice(0, 1)), 'system.gen_ai.usage.total_tokens'));
  expect(rows.filter((row) => row['After tokens'] !== null)).toHaveLength(8);

  const { stdout } = await cli.run('experiments', 'usage', 'After', '--offline');
  expect(stdout).toContain('over 8 of 14 results; the traces of 1 are not stored here; 5 name no trace.');
});

test('says how a run gets them if no result names a trace', async () => {
  const { stdout } = await cli.run('experiments', 'usage', 'Triage rules 2.1');
  expect(stdout).toContain('No result of Triage rules 2.1 names its trace');
});

test('usage of runs needs no request beyond the results, once these were read', async () => {
  await answered('experiments', 'results', 'Triage rules 2.1', '--all');
  expect(await answered('experiments', 'usage', 'Triage rules 2.1', '--offline')).toMatchObject({
    ...{ name: 'Triage rules 2.1', unstored: 0 },
  });
});

test('says that only a part of the results is stored, and ends as incomplete', async () => {
  const { items } = await answered('items', DATASET, '--limit', '1');
  await answered('experiments', 'create', 'Long', '--dataset', DATASET);
  const file = cli.file('long.jsonl');
  const line = (at: number) =>
    JSON.stringify({ dataset_item_id: items[0].id, outputs: { trace_id: `${at}` }, scores: [] });
  writeFileSync(file, `${Array.from({ length: 1_300 }, (_, at) => line(at)).join('\n')}\n`);
  await answered('experiments', 'upload', 'Long', file);
  await answered('experiments', 'get', 'Long');
  await cli.run('experiments', 'results', 'Long', '--limit', '5');
  const { stdout, stderr, code } = await cli.run('experiments', 'usage', 'Long', '--offline', '--json');
  const { results, total, complete } = JSON.parse(stdout);
  expect({ total, complete }).toEqual({ total: 1_300, complete: false });
  expect(results).toBeLessThan(1_300);
  expect(stderr).toContain(`Only ${results} of 1,300 results are stored.`);
  expect(code).toBe(7);
  expect((await cli.run('experiments', 'usage', 'Long', '--offline')).stdout).toContain(
    `over 0 of 1,300 results; ${(1_300 - results).toLocaleString('en-US')} are not stored here; the traces of`,
  );
  const whole = await answered('experiments', 'usage', 'Long');
  expect(whole).toMatchObject({ results: 1_300, total: 1_300, unstored: 0, complete: false });
});
