import type { AnyJobSource } from '../../electron/jobs/source.ts';
import type { Job } from '../../electron/shared/job-contract.ts';

/** All jobs of a kind, newest first. */
export function listedJobs(source: AnyJobSource): Job[] {
  return source.jobs.listed().map(({ id }): Job => source.get(id));
}
