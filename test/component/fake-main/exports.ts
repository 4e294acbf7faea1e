/** Exports of lists: the ones that the test starts, and one in each state if the scenario requires it. */
import type { ExportJob, ExportPlan } from '../../../electron/shared/export-model.ts';
import { CONNECTION_ID, NOW, scenario } from './scenario.ts';

const PLAN: ExportPlan = {
  name: 'Spans of Support assistant',
  query: { operation: 'datasets.list', path: {}, query: {} },
  reads: 'whole',
  ...{ narrow: null, filters: [], sort: null, ranges: null, seen: null, columns: null, partitionBy: null },
  format: 'parquet',
  isExact: false,
};

function job(exportId: string, plan: ExportPlan, changes: Partial<ExportJob> = {}): ExportJob {
  return {
    ...{ exportId, connectionId: CONNECTION_ID, plan, state: 'done', reason: '', error: null },
    source: 'table' in plan ? null : { baseUrl: 'https://service.invalid', request: 'GET /v3/datasets' },
    step: 'writing',
    file: '/home/ada/spans.parquet',
    ...{ rows: 10_148, totalRows: 10_148, sizeBytes: 1_200_000 },
    ...{ startAtMs: null, lateStart: null, createdAtMs: NOW - 60_000, endedAtMs: NOW - 30_000 },
    ...changes,
  };
}

const going = { endedAtMs: null, sizeBytes: null };
const FULL: readonly ExportJob[] = [
  job('export-1', PLAN),
  job(
    'export-2',
    { ...PLAN, name: 'Datasets', format: 'csv' },
    { ...going, state: 'running', step: 'reading', rows: 3_200, file: '/home/ada/datasets.csv' },
  ),
  job(
    'export-3',
    { ...PLAN, name: 'Items of Golden set', format: 'arrow' },
    {
      ...going,
      state: 'paused',
      rows: 400,
      reason: 'The disk has no room for this file. Free some space, then resume the export.',
    },
  ),
];

let list: ExportJob[] | null = null;
export const all = (): ExportJob[] => {
  list ??= scenario.hasExports === true ? [...FULL] : [];
  return list;
};

function replace(exportId: string, changes: Partial<ExportJob>): void {
  list = all().map((each) => (each.exportId === exportId ? { ...each, ...changes } : each));
}

export function create(plan: ExportPlan): ExportJob {
  const made = job(`export-${all().length + 1}`, plan, {
    ...going,
    ...{ state: 'draft', rows: 0, totalRows: null, file: null },
  });
  list = [made, ...all()];
  return made;
}

/** Acts as if the user had chosen a target. */
export function save(exportId: string): { fileName: string; rows: number } {
  replace(exportId, { state: 'running', step: 'reading', file: '/home/ada/list.csv' });
  return { fileName: 'list.csv', rows: 0 };
}

export function control(exportId: string, action: string): void {
  const states = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const;
  const state = Object.entries(states).find(([name]) => name === action)?.[1];
  if (state !== undefined) replace(exportId, { state });
}

export function forget(exportId: string): void {
  list = all().filter((each) => each.exportId !== exportId);
}
