/** Builds against a sample service of the test. Also checks counts of requests that must not occur. */
import { expect, vi } from 'vitest';
import type { FaultRule } from '../../electron/sample-service/faults.ts';
import type { BuildRow } from '../../electron/shared/dataset-model.ts';
import { cleanUpAfterEach } from './clean-ups.ts';
import { DatasetRig, type DatasetRigOptions } from './dataset-rig.ts';
import { RawService, TOKEN } from './sample-service.ts';

export const cleanUp = cleanUpAfterEach();

export async function open(
  options: Partial<DatasetRigOptions> = {},
): Promise<{ raw: RawService; rig: DatasetRig }> {
  const raw = await RawService.start();
  cleanUp(async () => {
    expect(raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
    await raw.service.stop();
  });
  const rig = openRig(raw, options);
  return { raw, rig };
}

export function openRig(raw: RawService, options: Partial<DatasetRigOptions> = {}): DatasetRig {
  const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, schedulerHaste: 20, ...options });
  cleanUp(() => rig[Symbol.asyncDispose]());
  return rig;
}

export const call = (action: FaultRule['action'], more: Partial<FaultRule> = {}): FaultRule => ({
  match: { operation: 'datasets.add-spans' },
  times: 1,
  ...more,
  action,
});
export const making = (action: FaultRule['action']): FaultRule => ({
  match: { operation: 'datasets.create' },
  times: 1,
  action,
});

export async function prepared(rig: DatasetRig, count = 450): Promise<string> {
  const buildId = await rig.newBuild();
  await rig.pick(buildId, count);
  await rig.target(buildId, 'Answers', [
    { bucket: 'inputs', field: 'intent', key: 'user.intent' },
    { bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' },
  ]);
  return buildId;
}

/** Ids of the spans that the items at the service were made from, in the service's order. */
export async function sources(raw: RawService, datasetId: string | null): Promise<string[]> {
  const path = raw.path('datasets.items', { dataset_id: datasetId ?? '' }, '?limit=1000');
  return (await raw.page(path)).items.map((item) => String(item['source_id']));
}

export function expectOnce(ids: readonly string[], count: number): void {
  expect(ids).toHaveLength(count);
  expect(new Set(ids).size).toBe(count);
}

export const isLlm = (record: Record<string, unknown>) => record['span_type'] === 'llm';

/** Every row of the preview, read piece by piece as by a grid. */
export function preview(rig: DatasetRig, buildId: string): BuildRow[] {
  const rows: BuildRow[] = [];
  for (;;) {
    const page = rig.datasets.builds.readRows(buildId, {
      mapping: null,
      show: 'all',
      offset: rows.length,
      limit: 200,
    });
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length === page.matchingRows) return rows;
  }
}

/** Items of the service in the format of the preview. */
export async function storedItems(raw: RawService, datasetId: string): Promise<Record<string, unknown>[]> {
  const path = raw.path('datasets.items', { dataset_id: datasetId }, '?limit=1000');
  return (await raw.page(path)).items;
}

export const bucketsOf = ({ inputs, expected_outputs, metadata, extras }: Record<string, unknown>) => ({
  inputs,
  expected_outputs,
  metadata,
  extras,
});

export function callsOf(raw: RawService): { requests: number; statuses: Record<string, number> } {
  return raw.service.report().operations['datasets.add-spans'] ?? { requests: 0, statuses: {} };
}

const MAX_ARRIVAL_MS = 60_000;
/**
 * Waits until a call meets a fault of the service. A call counts as being sent even before it leaves, and until then a
 * pause or stop would recall it.
 */
export const arrived = (raw: RawService) =>
  vi.waitUntil(() => raw.service.report().faults > 0, { timeout: MAX_ARRIVAL_MS });

/** 450 existing spans, plus two of a trace that is deleted at the service after they were selected. */
export async function withTwoGone(
  raw: RawService,
  rig: DatasetRig,
): Promise<{ buildId: string; gone: string[] }> {
  const buildId = await rig.newBuild();
  const query = await rig.openSpans(await rig.selection());
  const { rows } = await rig.library.rows(query, { limit: 200 });
  const traceId = String(rows[100]?.record['trace_id']);
  const two = rows.filter(({ record }) => record['trace_id'] === traceId).slice(0, 2);
  expect(two).toHaveLength(2);
  const others = (record: Record<string, unknown>) => record['trace_id'] !== traceId;
  await rig.pick(buildId, 250, others);
  await rig.pick(buildId, 2, (record) => two.some((row) => row.record['span_id'] === record['span_id']));
  await rig.pick(buildId, 450, others);
  const applicationId = await rig.applicationId();
  await raw.raw('DELETE', raw.path('traces.delete'), {
    body: { application_id: applicationId, trace_ids: [traceId] },
  });
  return { buildId, gone: two.map(({ record }) => String(record['span_id'])) };
}
