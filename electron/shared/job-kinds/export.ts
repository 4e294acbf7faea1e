/** Exports: lists and tables written to files. Pure. */
import { type ExportJob, exportPlan } from '../export-model.ts';
import { type JobKind, type JobOf, RUNNING, writtenAsJob } from './job-kind.ts';

export const exportKind = {
  id: 'export',
  storedAs: 'export',
  damaged: { noun: 'export', goes: 'but not its file' },
  /** Creates a draft, which starts once its file was chosen with jobs:save. */
  plan: exportPlan,
  noRepeat: null,
  actions: [...RUNNING, 'cancel', 'show-file'],
  // For a draft: starts the job, which writes its rows to the file.
  files: ['file'],
} as const satisfies JobKind;

export function exportAsJob(own: ExportJob): JobOf<'export', ExportJob> {
  return { ...writtenAsJob('export', own.exportId, own), title: own.plan.name };
}
