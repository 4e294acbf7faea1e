/** Everything that starts later, out of the made-up uploads, deletions and builds. */
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import type { PlannedAct } from '../../../electron/shared/planned-model.ts';
import * as builds from './builds.ts';
import * as bulk from './bulk.ts';
import * as uploads from './uploads.ts';

export function list(): PlannedAct[] {
  const common = { error: null, of: null };
  const jobs = uploads.listJobs().flatMap(({ jobId, fileName, state, startAtMs }): PlannedAct[] => {
    if (state !== 'scheduled' || startAtMs === null) return [];
    const requests = [{ operation: 'events.publish', count: 10 }];
    return [{ ...common, kind: 'upload', id: jobId, title: fileName, startAtMs, requests }];
  });
  const deletions = uploads
    .listDeletions()
    .deletions.flatMap(({ deletionId, what, status, startAtMs }): PlannedAct[] => {
      if (status !== 'scheduled' || startAtMs === null) return [];
      const requests = [{ operation: 'events.delete', count: 1 }];
      return [{ ...common, kind: 'deletion', id: deletionId, title: what, startAtMs, requests }];
    });
  const changes = bulk.list().flatMap(({ bulkId, words, startAtMs, operation, total }): PlannedAct[] => {
    if (startAtMs === null) return [];
    const requests = [{ operation, count: total }];
    return [{ ...common, kind: 'bulk', id: bulkId, title: words.title, startAtMs, requests }];
  });
  const made = builds.list().flatMap(({ buildId, name, startAtMs }): PlannedAct[] => {
    if (startAtMs === null) return [];
    const { requests } = builds.plan(buildId);
    return [{ ...common, kind: 'build', id: buildId, title: name, startAtMs, requests }];
  });
  return [...jobs, ...deletions, ...changes, ...made].toSorted(
    (one, other) => one.startAtMs - other.startAtMs,
  );
}

export function control({
  connectionId,
  kind,
  id,
  action,
  startAtMs,
}: ParsedArgs<'traffic:control-planned'>): PlannedAct[] {
  const rest = { connectionId, action, startAtMs };
  if (kind === 'upload') uploads.control({ ...rest, jobId: id });
  if (kind === 'bulk')
    bulk.control({ bulkId: id, action: action === 'cancel' ? 'stop' : action, startAtMs: startAtMs ?? null });
  const buildActions = { start: 'commit', schedule: 'schedule', cancel: 'unschedule' } as const;
  if (kind === 'build') builds.control({ ...rest, buildId: id, action: buildActions[action] });
  if (kind === 'deletion') uploads.controlDeletion({ ...rest, deletionId: id });
  return list();
}
