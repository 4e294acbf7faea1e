/** Exports: lists and tables written to files. Pure. */
import { type ExportJob, exportPlan } from '../export-model.ts';
import { type JobKind, type JobOf, RUNNING } from './job-kind.ts';

export const exportKind = {
  id: 'export',
  storedAs: 'export',
  damaged: { noun: 'export', goes: 'but not its file' },
  /** A draft: it starts once its file was chosen with jobs:save. */
  plan: exportPlan,
  noRepeat: null,
  actions: [...RUNNING, 'cancel', 'show-file'],
  // For a draft: starts the job, which writes its rows to the file.
  files: ['file'],
} as const satisfies JobKind;

export function exportAsJob(own: ExportJob): JobOf<'export', ExportJob> {
  const { exportId: id, plan, state, reason, error, rows, totalRows } = own;
  const { startAtMs, lateStart, repeat = null, createdAtMs, endedAtMs } = own;
  return {
    ...{
      kind: 'export',
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
    title: plan.name,
    progress: { done: rows, total: totalRows },
    unknown: 0,
    // The number of missing pages is known only when it reads.
    requests: [],
    of: null,
  };
}
