/** The causes of requests in the words of the user, with links to them. */
import { causeOf } from '../../lib/request-cause.ts';
import { app } from '../../state/app.svelte.ts';
import { jobs } from '../../state/jobs.svelte.ts';
import { openChanges } from '../parts/bulk-routes.ts';
import { openDeletions, openJob, openUploads } from '../parts/upload-routes.ts';
import { openBuild } from '../spans/routes.ts';

interface ShownCause {
  text: string;
  /** Opens the cause; null if there is nothing to open, because its tab was closed or it has none. */
  open: (() => void) | null;
}

/** Reads reactive state, so it must be called in a reactive context. */
export function shownCause(group: string): ShownCause {
  const cause = causeOf(group);
  switch (cause.kind) {
    case 'tab': {
      const tab = app.tabs.list.find(({ id }) => id === cause.tabId);
      if (tab === undefined) return { text: 'A closed view', open: null };
      return { text: `View: ${tab.title}`, open: () => app.tabs.activate(tab.id) };
    }
    case 'upload': {
      const job = jobs.own('upload', cause.id);
      if (job === null) return { text: 'An upload', open: null };
      return { text: `Upload of ${job.fileName}`, open: () => openJob(job.jobId, job.fileName) };
    }
    case 'build': {
      const build = jobs.own('build', cause.id);
      if (build === null) return { text: 'Dataset from spans', open: null };
      return {
        text: `Dataset from spans: ${build.name}`,
        open: () => openBuild(build.buildId, build.name),
      };
    }
    case 'file':
      return { text: 'A file sent as is', open: openUploads };
    case 'deletion':
      return { text: 'A deletion of events', open: openDeletions };
    case 'scores':
      return { text: 'Scores of a dataset', open: null };
    case 'bulk': {
      const act = jobs.own('bulk', cause.id);
      if (act === null) return { text: 'A change of several records', open: null };
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
