/** Background work may fail: the log has the reason, and everything else continues. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AnalysisLink } from '../../electron/analysis/analysis-link.ts';
import type { ServiceClient } from '../../electron/api/types.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('an analysis process that cannot be started fails each call that needs it, but no call because of its timer', async () => {
  const clock = new VirtualClock();
  let starts = 0;
  const startChild = () => {
    starts += 1;
    throw new Error('no process can be started');
  };
  const link = new AnalysisLink({ startChild, clock, idleMs: 20 });
  const call = () => link.call('check-sql', { sql: 'SELECT 1', views: [] });
  await expect(call()).rejects.toThrow(/no process/);
  clock.advance(60_000);
  await settled();
  // The next call tries again.
  await expect(call()).rejects.toThrow(/no process/);
  expect(starts).toBe(2);
  await link.end();
});

let raw: RawService;
beforeEach(async () => {
  raw = await RawService.start({ settings: { jobPendingMs: 60_000, jobRunMs: 60_000 } });
});
afterEach(() => raw.service.stop());

test('a full disk at the end of the undo window of a removed entry fails nothing', async () => {
  using folder = new DataFolder();
  const late: (() => void)[] = [];
  await using rig = new KeepRig({
    ...{ baseUrl: raw.service.baseUrl, token: TOKEN, folder },
    setTimer: (callback, delayMs) => {
      if (delayMs >= 600_000) {
        late.push(callback);
        return () => undefined;
      }
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
  });
  const { value } = await rig.library.clientRig.client.list('applications.list', {}, { priority: 'view' });
  const kept = await rig.kept(planFor({ kind: 'application', id: String(value.items[0]?.['id']) }));
  rig.keep.softDelete(kept.keptId);
  const { kept: store } = rig.library.store;
  store.purgeDeleted = () => {
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  };
  expect(late).toHaveLength(1);
  expect(() => late[0]?.()).not.toThrow();
});

test('removing an upload while its undo is counted ends the counting without a failure', async () => {
  const gate = Promise.withResolvers<void>();
  let isCounting = false;
  const wrapClient = (client: ServiceClient): ServiceClient => ({
    ...client,
    list: async (...given) => {
      const answer = await client.list(...given);
      if (isCounting) await gate.promise;
      return answer;
    },
  });
  await using rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 100, wrapClient });
  const rows = Array.from({ length: 20 }, (_value, at) => `e-${at},2025-01-01 00:00:${10 + at}`);
  const file = rig.write('w.csv', ['transaction_id,processed_at', ...rows].join('\n'));
  const job = await rig.send(file, 'Card fraud', { batchRows: 10 });
  const plan = await rig.uploads.planUndo(job.jobId);
  // The service accepts the deletion, but does not report its end.
  raw.service.setFaults([{ match: { operation: 'jobs.get' }, action: { type: 'status', status: 404 } }]);
  await rig.uploads.undo(job.jobId, { events: plan.events, deletions: plan.deletions.length });
  await rig.until(() =>
    rig.uploads.getJob(job.jobId).deletions.find(({ outcome }) => outcome === 'accepted'),
  );
  isCounting = true;
  await rig.until(() => (rig.uploads.getJob(job.jobId).rowCounts.afterUndo === null ? null : true));
  rig.uploads.forgetJob(job.jobId);
  gate.resolve();
  await settled();
  expect(() => rig.uploads.getJob(job.jobId)).toThrow(AppError);
});
