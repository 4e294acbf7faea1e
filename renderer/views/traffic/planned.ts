/** Words of what starts later, and where each kind of it is shown. */
import type { Job, JobKindId } from '../../../electron/shared/job-contract.ts';
import { app } from '../../state/app.svelte.ts';
import { openChanges } from '../parts/bulk-routes.ts';
import { openBuild } from '../spans/routes.ts';
import { openDeletions, openFiles, openJob } from '../uploads/routes.ts';

interface KindWords {
  /** Before the title in a list. */
  lead: string;
  open: (act: Job) => void;
  /** Asked before it begins at once, where what it does cannot be undone. */
  warning?: string;
}

/** The scores of a dataset, at one run. */
function openRun(run: string, of: Job['of']): void {
  if (of === null) return;
  const tab = app.tabs.open('dataset', of.name, { datasetId: of.id, name: of.name });
  app.tabs.update(tab.id, { params: { ...tab.params, part: 'scores', run } });
}

const KINDS: Readonly<Record<JobKindId, KindWords>> = {
  upload: { lead: 'Upload of', open: ({ id, title }) => openJob(id, title) },
  deletion: {
    lead: 'Deletion:',
    open: openDeletions,
    warning: 'You cannot undo a deletion of events.',
  },
  build: { lead: 'Dataset from spans:', open: ({ id, title }) => openBuild(id, title, 'commit') },
  bulk: {
    lead: '',
    open: ({ id }) => openChanges(id),
    warning: 'You cannot undo a deletion.',
  },
  scores: { lead: 'Scores by', open: ({ id, of }) => openRun(id, of) },
  file: { lead: 'File sent as is:', open: openFiles },
};

export const wordsOfKind = (kind: JobKindId): KindWords => KINDS[kind];
