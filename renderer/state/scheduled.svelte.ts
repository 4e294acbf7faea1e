/** What starts by itself later: uploads and deletions of events, of the connection at hand. */

import { uploads } from './uploads.svelte.ts';
import { deletions } from './uploads-deletions.svelte.ts';

export interface ScheduledAct {
  kind: 'upload' | 'deletion';
  id: string;
  title: string;
  startAtMs: number;
}

class ScheduledState {
  /** The next one first. */
  readonly list: readonly ScheduledAct[] = $derived(
    [
      ...uploads.jobs.map(({ jobId, fileName, state, startAtMs }) => ({
        kind: 'upload' as const,
        id: jobId,
        title: fileName,
        startAtMs: state === 'scheduled' ? startAtMs : null,
      })),
      ...deletions.list.map(({ deletionId, what, status, startAtMs }) => ({
        kind: 'deletion' as const,
        id: deletionId,
        title: what,
        startAtMs: status === 'scheduled' ? startAtMs : null,
      })),
    ]
      .filter((act): act is ScheduledAct => act.startAtMs !== null)
      .toSorted((a, b) => a.startAtMs - b.startAtMs),
  );
}

export const scheduled = new ScheduledState();
