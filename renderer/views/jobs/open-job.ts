/** Opens the view of a job of each kind. */
import type { Job, JobKindId } from '../../../electron/shared/job-contract.ts';
import { app } from '../../state/app.svelte.ts';
import { openKept } from '../offline/open-kept.ts';
import { openChanges } from '../parts/bulk-routes.ts';
import { openDataset } from '../parts/dataset-routes.ts';
import { openOutbox } from '../parts/outbox-routes.ts';
import { openDeletions, openJob as openUpload, openUploads } from '../parts/upload-routes.ts';
import { openRecord } from '../resources/open.ts';
import { openBuild } from '../spans/routes.ts';

/** Opens the dataset or experiment of a score run, and shows the scores of the run. */
function openRun(run: string, of: Job['of']): void {
  if (of !== null) openDataset(of, { part: 'scores', run });
}

/** Views by kind of job. Kinds without a view of their own (exports, mirrors) are shown in the list of jobs. */
const OPENERS: Readonly<Partial<Record<JobKindId, (job: Job) => void>>> = {
  upload: ({ id, title }) => openUpload(id, title),
  file: openUploads,
  deletion: openDeletions,
  build: ({ id, title, state, startAtMs }) =>
    openBuild(id, title, state === 'draft' && startAtMs === null ? undefined : 'commit'),
  scores: ({ id, of }) => openRun(id, of),
  items: (job) => {
    const { of } = job;
    const isOfExperiment = job.kind === 'items' && job.own.plan.experiment !== undefined;
    if (of !== null && isOfExperiment) openRecord('experiments', of.id, of.name);
    else if (of !== null) openDataset(of);
  },
  bulk: ({ id }) => openChanges(id),
  outbox: ({ id }) => openOutbox(id),
  'keep-offline': (job) => {
    if (job.kind === 'keep-offline') openKept(job.own);
  },
};

export function openJob(job: Job): void {
  const open = OPENERS[job.kind] ?? openJobs;
  open(job);
}

/** Opens the list of all jobs. */
export function openJobs(): void {
  app.tabs.open('jobs', 'Jobs');
}

/** Opens the list of all jobs, scrolled to one of them. */
export function openListed(kind: JobKindId, id: string): void {
  const tab = app.tabs.open('jobs', 'Jobs');
  app.tabs.update(tab.id, { params: { job: `${kind} ${id}` } });
}
