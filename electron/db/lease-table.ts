/** Leases of jobs: which process is at work on one. */
import { z } from 'zod';
import type { Lease, LeaseTable } from '../core/jobs/lease.ts';
import { type Database, parseRow } from './open.ts';

const leaseRow = z.object({ owner: z.string(), processId: z.number(), atMs: z.number() });

export function createLeaseTable(db: Database): LeaseTable {
  const read = db.prepare(
    `SELECT lease_owner AS owner, lease_pid AS processId, lease_at_ms AS atMs FROM job
     WHERE job_id = ? AND lease_owner IS NOT NULL`,
  );
  const take = db.prepare(`UPDATE job SET lease_owner = ?, lease_pid = ?, lease_at_ms = ? WHERE job_id = ?`);
  const renew = db.prepare(`UPDATE job SET lease_at_ms = ? WHERE job_id = ? AND lease_owner = ?`);
  const release = db.prepare(
    `UPDATE job SET lease_owner = NULL, lease_pid = NULL, lease_at_ms = NULL
     WHERE job_id = ? AND lease_owner = ?`,
  );
  const held = (id: string): Lease | null => {
    const row = read.get(id);
    return row === undefined ? null : parseRow(leaseRow, row, 'lease');
  };
  const takeFree = db.transaction((id: string, wanted: Lease, isStale: (lease: Lease) => boolean) => {
    const before = held(id);
    if (before !== null && before.owner !== wanted.owner && !isStale(before)) return false;
    return take.run(wanted.owner, wanted.processId, wanted.atMs, id).changes === 1;
  });
  return {
    read: held,
    take: (id, lease, isStale) => takeFree.immediate(id, lease, isStale),
    renew: (id, owner, atMs) => renew.run(atMs, id, owner).changes === 1,
    release: (id, owner) => {
      release.run(id, owner);
    },
  };
}
