/** Builds and score runs that are planned for later, on a folder whose wall time the test sets. */
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from './data-folder.ts';
import { cleanUp, open, openRig } from './dataset-builds.ts';
import type { DatasetRig } from './dataset-rig.ts';
import { listedJobs } from './listed-jobs.ts';

export const HOUR_MS = 3_600_000;

/** A service, and rigs on one folder whose wall time is set by hand. Timers are so fast that checks happen at once. */
export async function rigs() {
  const folder = new DataFolder();
  cleanUp(() => folder[Symbol.dispose]());
  const time = { aheadMs: 0 };
  const options = { keptFolder: folder, haste: 5_000, aheadMs: () => time.aheadMs };
  const { raw, rig } = await open(options);
  const again = (more: { processId?: number } = {}) => openRig(raw, { ...options, ...more });
  const now = () => systemClock.nowMs() + time.aheadMs;
  return { raw, rig, again, time, now, folder };
}

export const planned = (rig: DatasetRig) =>
  rig.datasets.sources.flatMap((source) => listedJobs(source)).filter(({ startAtMs }) => startAtMs !== null);
