/** Jobs that do not run here, whose changes and removals cannot overwrite what another process does. */
import type { LeaseKeeper } from '../core/jobs/lease.ts';
import { toAppError } from '../shared/errors.ts';
import type { HostedLedger, JobKind } from './types.ts';

/** Throws INVALID_ARGUMENT for an unknown id. Changes of the job throw CONFLICT once another process has begun with it. */
export function loadFree<Ledger extends HostedLedger>(
  { rows, load }: Pick<JobKind<Ledger>, 'rows' | 'load'>,
  leases: Pick<LeaseKeeper, 'isElsewhere'>,
  id: string,
): Ledger {
  // Read before the job, so that a change in between counts as one.
  const revision = rows.revision(id);
  const ledger = load(id);
  const { writes } = ledger;
  ledger.isCurrent = () =>
    !leases.isElsewhere(id) && rows.revision(id) === (revision ?? 0) + ledger.writes - writes;
  return ledger;
}

/**
 * A job to be removed: within the commit, `checkOwn` throws CONFLICT if another process started it. An unreadable job,
 * which nobody can start, can be removed too. Throws CONFLICT while the job is running.
 */
export function removableJob<Ledger extends HostedLedger>(
  jobs: { idle(id: string): Ledger; checkIdle(id: string): void },
  id: string,
): Pick<Ledger, 'checkOwn'> {
  try {
    return jobs.idle(id);
  } catch (problem) {
    if (toAppError(problem).code !== 'STORE_DAMAGED') throw problem;
    return { checkOwn: () => jobs.checkIdle(id) };
  }
}
