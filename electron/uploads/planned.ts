/** Uploads that begin by themselves later, for the list of everything that is planned. */

import { readable } from '../core/readable.ts';
import type { UploadStore } from '../db/upload-store.ts';
import type { PlannedSource } from '../jobs/schedule.ts';
import type { UploadJob } from '../shared/upload-model.ts';
import type { JobControl } from './job-control.ts';

export function plannedUploads(store: UploadStore, control: JobControl): PlannedSource {
  return {
    kind: 'upload',
    starts: control.jobs.starts,
    list: () =>
      readable(store.jobs.scheduled(), ({ id, startAtMs }) => {
        const job = control.view(id);
        const requests = [requestsOf(job)];
        return { kind: 'upload', id, startAtMs, of: null, title: job.fileName, error: job.error, requests };
      }),
    control: (id, action, startAtMs) => control.act(id, action, startAtMs),
  };
}

/** Rows are counted only once the file has been read; a smaller batch after a refusal is not foreseen. */
function requestsOf({ plan, counts }: UploadJob): { operation: string; count: number } {
  const operation = plan.mode === 'publish' ? 'events.publish' : 'events.update';
  return { operation, count: Math.max(1, Math.ceil((counts.unsent || counts.rows) / plan.batchRows)) };
}
