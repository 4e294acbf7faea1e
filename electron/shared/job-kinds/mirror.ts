/** Mirrors: stored tables written to a folder for notebooks. Pure. */
import { type MirrorJob, newMirror } from '../mirror-model.ts';
import { type JobKind, type JobOf, RUNNING, writtenAsJob } from './job-kind.ts';

export const mirrorKind = {
  id: 'mirror',
  storedAs: 'mirror',
  damaged: { noun: 'mirror', goes: 'but not its files' },
  /**
   * Creates a draft, which starts once its folder was chosen with jobs:save; a mirror that refreshes an earlier one
   * starts at once.
   */
  plan: newMirror,
  noRepeat: null,
  actions: [...RUNNING, 'cancel', 'show-file'],
  // For a draft: starts the job, which writes its tables to the folder.
  files: ['folder'],
} as const satisfies JobKind;

export function mirrorAsJob(own: MirrorJob): JobOf<'mirror', MirrorJob> {
  return {
    ...writtenAsJob('mirror', own.mirrorId, own),
    title: own.folder?.split(/[\\/]/).findLast((name) => name !== '') ?? 'Mirror',
  };
}
