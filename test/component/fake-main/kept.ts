/** Offline content: entries of every kind and state, the space that they use, and a test that finds gaps. */
import type {
  KeepDrop,
  KeepEstimate,
  KeepKind,
  KeepPlan,
  KeepSpace,
  KeepTest,
  Kept,
} from '../../../electron/shared/keep-model.ts';
import { UNREACHABLE } from './lists.ts';
import { CONNECTION_ID, NOW, scenario, uuid } from './scenario.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RANGE = { startMs: Date.UTC(2026, 9, 20), endMs: Date.UTC(2026, 10, 19) };

function plan(kind: KeepKind, id: string, name: string, changes: Partial<KeepPlan> = {}): KeepPlan {
  return { kind, id, name, range: null, withValues: false, entities: null, body: null, ...changes };
}

function entry(keptId: string, own: KeepPlan, changes: Partial<Kept> = {}): Kept {
  return {
    keptId,
    connectionId: CONNECTION_ID,
    plan: own,
    state: 'done',
    reason: '',
    error: null,
    counts: { questions: 4, read: 4, failed: 0, incomplete: 0, rows: 2_000, sizeBytes: 21e6 },
    reading: null,
    oldestMs: NOW - 2 * HOUR,
    refreshHours: null,
    startAtMs: null,
    lateStart: null,
    createdAtMs: NOW - 3 * DAY,
    endedAtMs: NOW - 2 * HOUR,
    ...changes,
  };
}

const counts = (questions: number, read: number, failed: number, rows: number, sizeBytes: number) => ({
  ...{ questions, read, failed, rows, sizeBytes },
  incomplete: 0,
});
const FULL: readonly Kept[] = [
  entry('kept-1', plan('application', uuid(0), 'Support assistant', { withValues: true }), {
    state: 'running',
    counts: counts(12, 7, 0, 6_290, 188e6),
    reading: {
      query: { operation: 'catalog.list', path: { application_id: uuid(0) }, query: {} },
      rows: 2_100,
      totalRows: 5_000,
    },
    refreshHours: 6,
    endedAtMs: null,
  }),
  entry('kept-2', plan('application', uuid(0), 'Support assistant', { range: RANGE }), {
    counts: counts(14, 14, 0, 4_116, 96e6),
    refreshHours: 6,
    startAtMs: NOW + 4 * HOUR,
  }),
  entry('kept-3', plan('dataset', uuid(500), 'Support answers, golden set'), {
    refreshHours: 0,
    oldestMs: NOW - DAY,
  }),
  entry('kept-4', plan('model', uuid(700), 'Bank churn'), {
    counts: counts(8, 8, 0, 61, 2.4e6),
    oldestMs: NOW - 2 * DAY,
  }),
  entry('kept-5', plan('alert-rule', uuid(800), 'Traffic drops', { range: RANGE }), {
    counts: counts(29, 27, 2, 3_318, 6.2e6),
    oldestMs: NOW - 3 * DAY,
  }),
  entry('kept-6', plan('chart', 'chart-1', 'Churn traffic'), {
    state: 'paused',
    reason: 'Paused.',
    counts: counts(3, 1, 0, 90, 0.3e6),
  }),
];
let list: Kept[] = scenario.kept === 'full' ? structuredClone([...FULL]) : [];

export const all = (): Kept[] => list;

export function create({ keep, refreshHours }: { keep: KeepPlan; refreshHours: number | null }): Kept {
  const made = entry(`kept-${list.length + 1}`, keep, { state: 'running', refreshHours, oldestMs: null });
  const kept = { ...made, counts: counts(9, 0, 0, 0, 0), endedAtMs: null };
  list = [kept, ...list];
  return kept;
}

function change(keptId: string, changes: Partial<Kept>): Kept {
  const found = list.find((each) => each.keptId === keptId);
  if (found === undefined) throw new Error(`There is no kept entry ${keptId}.`);
  const changed = { ...found, ...changes };
  list = list.map((each) => (each === found ? changed : each));
  return changed;
}

/** Deleted entries as they were before. */
const dropped: Kept[] = [];

export function control(keptId: string, action: string): Kept {
  if (action === 'restore') {
    const back = dropped.find((each) => each.keptId === keptId);
    if (back === undefined) throw new Error(`The kept entry ${keptId} is gone.`);
    list = [back, ...list];
    return back;
  }
  return change(keptId, action === 'pause' ? { state: 'paused', reason: 'Paused.' } : { state: 'running' });
}

export function forget(keptId: string): void {
  dropped.push(...list.filter((each) => each.keptId === keptId));
  list = list.filter((each) => each.keptId !== keptId);
}

export function setRefresh(keptId: string, refreshHours: number | null): Kept {
  const startAtMs = refreshHours === null || refreshHours === 0 ? null : NOW + refreshHours * HOUR;
  return change(keptId, { refreshHours, startAtMs });
}

export function estimate(asked: KeepPlan): KeepEstimate {
  if (scenario.kept === 'failed') throw UNREACHABLE;
  const requests = asked.withValues ? (asked.entities?.length ?? 5_000) + 61 : 61;
  return {
    requests,
    rows: requests * 80,
    sizeBytes: requests * 1.6e6,
    questions: requests,
    withoutTotal: asked.range === null ? 0 : 1,
    durationMs: requests * 180,
    limits: [
      { operation: 'catalog.list', requests: 61, count: 30, lengthMs: 1_000 },
      { operation: 'catalog.list', requests: 61, count: 1_000, lengthMs: 60_000 },
    ],
  };
}

export function test(): KeepTest {
  if (scenario.kept === 'failed') throw UNREACHABLE;
  const gap = (query: Record<string, string>, operation: string, reason: string) => ({
    keptId: 'kept-5',
    query: { operation, path: { alert_id: uuid(800) }, query },
    reason,
  });
  return {
    atMs: NOW,
    questions: 74,
    rows: 15_869,
    gaps: [
      gap({}, 'alert-rules.records', 'Only 2,900 of 3,318 rows are stored.'),
      gap({}, 'alert-rules.history', 'The service answered 500.'),
    ],
    gapCount: 2,
  };
}

export function space(): KeepSpace {
  if (scenario.kept === 'failed') throw UNREACHABLE;
  const isFull = list.length > 0;
  const kinds = isFull
    ? { catalog: 188e6, spans: 96e6, items: 25e6, rest: 12e6 }
    : { catalog: 0, spans: 0, items: 0, rest: 0 };
  const shares = [
    { operation: 'catalog.list', count: 30, lengthMs: 1_000, allowed: 10 },
    { operation: 'catalog.list', count: 1_000, lengthMs: 60_000, allowed: 333 },
    { operation: 'spans.query', count: 10, lengthMs: 1_000, allowed: 3 },
  ];
  const left = [
    {
      query: { operation: 'catalog.values', path: { application_id: uuid(2) }, query: { name: 'user.id' } },
      atMs: NOW - DAY,
      sizeBytes: 4.2e6,
      limit: '2 GB',
    },
  ];
  return {
    keptBytes: Object.values(kinds).reduce((sum, bytes) => sum + bytes, 0),
    kinds,
    seenBytes: isFull ? 91e6 : 0.4e6,
    limitBytes: 2e9,
    left: isFull ? left : [],
    leftCount: isFull ? 3 : 0,
    shares,
  };
}

export function planDrop(keptId: string): KeepDrop {
  const others = list.filter((each) => each.keptId !== keptId).map((each) => each.plan.name);
  const isShared = keptId === 'kept-2';
  return {
    goes: isShared ? 2 : 4,
    goesBytes: 21e6,
    stays: isShared ? 12 : 0,
    others: isShared ? others.slice(0, 1) : [],
  };
}
