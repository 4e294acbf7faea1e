/** Tasks of the service that a tab follows until they end, even while the tab is not shown. */
import { app } from '../../state/app.svelte.ts';
import { JobWatchState } from '../../state/job-watch.svelte.ts';
import { activeConnectionId } from '../parts/tab-models.ts';

export function jobOfTab(tabId: string, jobId: string): JobWatchState {
  const connectionId = activeConnectionId();
  return app.tabs.hold(
    tabId,
    `job.${jobId}`,
    () => new JobWatchState(connectionId, `tab-${tabId}.job.${jobId}`, jobId),
  );
}
