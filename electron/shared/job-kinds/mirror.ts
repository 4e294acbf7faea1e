/** Mirrors: stored tables written to a folder for notebooks. Pure. */
import { type MirrorJob, newMirror } from '../mirror-model.ts';
import { type JobKind, type JobOf, RUNNING } from './job-kind.ts';

export const mirrorKind = {
  id: 'mirror',
  storedAs: 'mirror',
  damaged: { noun: 'mirror', goes: 'but not its files' },
  /** A draft, unless it refreshes an earlier one: it starts once its folder was chosen with jobs:save. */
  plan: newMirror,
  noRepeat: null,
  actions: [...RUNNING, 'cancel', 'show-file'],
  // For a draft: starts the job, which writes its tables to the folder.
  files: ['folder'],
} as const satisfies JobKind;

export function mirrorAsJob(own: MirrorJob): JobOf<'mirror', MirrorJob> {
  const { mirrorId: id, folder, state, reason, error, rows, totalRows } = own;
  const { startAtMs, lateStart, repeat = null, createdAtMs, endedAtMs } = own;
  return {
    ...{
      kind: 'mirror',
      id,
      state,
      reason,
      error,
      startAtMs,
      lateStart,
      repeat,
      createdAtMs,
      endedAtMs,
      own,
    },
    title: folder?.split(/[\\/]/).findLast((name) => name !== '') ?? 'Mirror',
    progress: { done: rows, total: totalRows },
    unknown: 0,
    requests: [],
    of: null,
  };
}
