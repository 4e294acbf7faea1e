/** Mirrors for notebooks: those started here, and one in each state if the scenario requests them. */
import type { JobPlan } from '../../../electron/shared/job-contract.ts';
import type { MirrorJob } from '../../../electron/shared/mirror-model.ts';
import { CONNECTION_ID, NOW, scenario } from './scenario.ts';

function job(mirrorId: string, changes: Partial<MirrorJob> = {}): MirrorJob {
  return {
    ...{ mirrorId, connectionId: CONNECTION_ID, plan: { tables: null }, reason: '', error: null },
    ...{ folder: `/home/ada/${mirrorId}`, state: 'running', rows: 0, totalRows: null, result: null },
    ...{ startAtMs: null, lateStart: null, createdAtMs: NOW - 60_000, endedAtMs: null },
    ...changes,
  };
}

const FULL: readonly MirrorJob[] = [
  job('notebooks', {
    ...{ state: 'done', rows: 1_204_000, totalRows: 1_204_000, endedAtMs: NOW - 30_000 },
    result: {
      ...{ tables: 12, incompleteTables: 1, rows: 1_204_000, files: 81, sizeBytes: 96_000_000 },
      ...{ rowsWritten: 14_000, filesWritten: 2 },
    },
  }),
  job('nightly', { rows: 310_000, totalRows: 1_204_000 }),
  job('shared', {
    ...{ state: 'paused', rows: 20_000, totalRows: 90_000 },
    reason: 'The disk has no room for this mirror. Free some space, then resume it.',
  }),
];

let list: MirrorJob[] | null = null;
export const all = (): MirrorJob[] => {
  list ??= scenario.hasMirrors === true ? [...FULL] : [];
  return list;
};

function replace(mirrorId: string, changes: Partial<MirrorJob>): void {
  list = all().map((each) => (each.mirrorId === mirrorId ? { ...each, ...changes } : each));
}

export function create({ again = null }: JobPlan<'mirror'>): MirrorJob {
  const before = all().find(({ mirrorId }) => mirrorId === again);
  const made = job(`mirror-${all().length + 1}`, {
    folder: before?.folder ?? null,
    state: before === undefined ? 'draft' : 'running',
  });
  list = [made, ...all().filter((each) => each !== before)];
  return made;
}

/** Acts as if a folder had been chosen. */
export function save(mirrorId: string): { fileName: string; rows: number } {
  replace(mirrorId, { state: 'running', folder: '/home/ada/chosen' });
  return { fileName: 'chosen', rows: 0 };
}

export function control(mirrorId: string, action: string): void {
  const states = { pause: 'paused', resume: 'running', cancel: 'cancelled' } as const;
  const state = Object.entries(states).find(([name]) => name === action)?.[1];
  if (state !== undefined) replace(mirrorId, { state });
}

export function forget(mirrorId: string): void {
  list = all().filter((each) => each.mirrorId !== mirrorId);
}
