/** Reads a job that does not run here, so that a change of it cannot overwrite one by another process. */
import type { LeaseKeeper } from '../core/jobs/lease.ts';
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
