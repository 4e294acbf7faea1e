/** Mirrors for notebooks: the ones that the test starts, and one in each state if the scenario requires it. */
import type { JobPlan } from '../../../electron/shared/job-contract.ts';
import type { MirrorJob } from '../../../electron/shared/mirror-model.ts';
import type { Repeat, RepeatChange, RepeatRule } from '../../../electron/shared/repeat-model.ts';
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

const DAY_MS = 86_400_000;
const RULES: Record<'weekdays' | 'sync', RepeatRule> = {
  weekdays: { on: 'time', days: [1, 2, 3, 4, 5], hour: 7, minute: 0, zone: 'Europe/Berlin' },
  sync: { on: 'sync' },
};
const repeatBy = (rule: RepeatRule, changes: Partial<Repeat> = {}): Repeat => ({
  ...{ rule, sinceMs: NOW, failures: 0, isPaused: false, nextId: null },
  ...changes,
});
const REPEATED: readonly MirrorJob[] = [
  job('morning', { rows: 10, totalRows: 40, repeat: repeatBy(RULES.weekdays) }),
  job('weekly report', {
    state: 'ready',
    startAtMs: scenario.power === undefined ? NOW + DAY_MS : NOW - 60_000,
    repeat: repeatBy(RULES.weekdays),
  }),
  job('after sync', { state: 'ready', repeat: repeatBy(RULES.sync) }),
  job('shared drive', {
    ...{ state: 'ready', repeat: repeatBy(RULES.weekdays, { failures: 3, isPaused: true }) },
    reason: 'The repeat is paused: 3 runs in a row failed. The folder cannot be reached.',
  }),
];

/** Like the engine, starts another job after a job that has ended. */
export function repeat(mirrorId: string, change: RepeatChange): MirrorJob {
  const before = all().find((each) => each.mirrorId === mirrorId);
  if (before === undefined) throw new Error(`There is no mirror ${mirrorId}.`);
  if (change.type === 'end') replace(mirrorId, { state: 'cancelled', repeat: null, startAtMs: null });
  else if (change.type === 'set') {
    const { rule, startAtMs } = change;
    const next = { state: 'ready', startAtMs, repeat: repeatBy(rule), reason: '' } as const;
    if (before.state === 'ready') replace(mirrorId, next);
    else {
      const made = job(`${mirrorId} again`, { ...next, folder: before.folder, createdAtMs: NOW });
      list = [made, ...all()];
      return made;
    }
  } else {
    const isPaused = change.type === 'pause';
    const own = before.repeat ?? null;
    replace(mirrorId, {
      ...{ startAtMs: isPaused ? null : NOW + DAY_MS, reason: isPaused ? 'The repeat is paused.' : '' },
      repeat: own === null ? null : { ...own, isPaused, failures: 0 },
    });
  }
  return all().find((each) => each.mirrorId === mirrorId) ?? before;
}

let list: MirrorJob[] | null = null;
export const all = (): MirrorJob[] => {
  list ??=
    scenario.hasMirrors === true ? [...FULL] : scenario.hasRepeats === true ? [...REPEATED, ...FULL] : [];
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

/** Acts as if the user had chosen a folder. */
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
