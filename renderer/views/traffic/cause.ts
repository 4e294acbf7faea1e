/** Causes of requests as people know them, and the way to them. */
import { causeOf } from '../../lib/request-cause.ts';
import { app } from '../../state/app.svelte.ts';
import { builds } from '../../state/builds.svelte.ts';
import { bulkActs } from '../../state/bulk-acts.svelte.ts';
import { uploads } from '../../state/uploads.svelte.ts';
import { openChanges } from '../parts/bulk-routes.ts';
import { openBuild } from '../spans/routes.ts';
import { openDeletions, openFiles, openJob } from '../uploads/routes.ts';

interface ShownCause {
  text: string;
  /** Null where there is nothing to go to: its tab was closed, or it is nobody's. */
  open: (() => void) | null;
}

/** Reads state that may change: call it where it is followed. */
export function shownCause(group: string): ShownCause {
  const cause = causeOf(group);
  switch (cause.kind) {
    case 'tab': {
      const tab = app.tabs.list.find(({ id }) => id === cause.tabId);
      if (tab === undefined) return { text: 'A closed view', open: null };
      return { text: `View: ${tab.title}`, open: () => app.tabs.activate(tab.id) };
    }
    case 'upload': {
      const job = uploads.jobs.find(({ jobId }) => jobId === cause.id);
      if (job === undefined) return { text: 'An upload', open: null };
      return { text: `Upload of ${job.fileName}`, open: () => openJob(job.jobId, job.fileName) };
    }
    case 'build': {
      const build = builds.list.find(({ buildId }) => buildId === cause.id);
      if (build === undefined) return { text: 'Dataset from spans', open: null };
      return {
        text: `Dataset from spans: ${build.name}`,
        open: () => openBuild(build.buildId, build.name),
      };
    }
    case 'file':
      return { text: 'A file sent as is', open: openFiles };
    case 'deletion':
      return { text: 'A deletion of events', open: openDeletions };
    case 'scores':
      return { text: 'Scores of a dataset', open: null };
    case 'bulk': {
      const act = bulkActs.list.find(({ bulkId }) => bulkId === cause.id);
      if (act === undefined) return { text: 'A change of several records', open: null };
      return { text: act.words.title, open: () => openChanges(act.bulkId) };
    }
    case 'job':
      return { text: 'A job of the service', open: null };
    case 'act':
      return { text: 'A change you made', open: null };
    case 'named':
      return { text: cause.text, open: null };
    case 'none':
      return { text: '', open: null };
  }
}
