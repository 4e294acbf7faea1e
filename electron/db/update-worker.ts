/** The thread that migrates a large store to the version of this build; started by `update-store.ts`. */
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { toAppError } from '../shared/errors.ts';
import { takeFormats } from '../shared/thread-formats.ts';
import * as z from '../shared/zod.ts';
import { updateStore } from './open.ts';

takeFormats(getEnvironmentData);

/** Minimum progress between two reports, because a person could not read more. */
const TOLD_STEP = 0.02;

const migration = z.object({ number: z.number(), name: z.string(), sql: z.string() });
const given = z
  .object({
    file: z.string(),
    migrations: z.array(migration),
    synchronous: z.enum(['NORMAL', 'FULL']),
    nowMs: z.number(),
  })
  .parse(workerData);
const silent = () => undefined;
let told = 0;

try {
  await updateStore({
    file: given.file,
    migrations: given.migrations,
    synchronous: given.synchronous,
    clock: { nowMs: () => given.nowMs },
    // Nothing is logged here, because the thread that started this one logs the result.
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    onShare: (share) => {
      if (share < told + TOLD_STEP) return;
      told = share;
      parentPort?.postMessage({ share });
    },
  });
  parentPort?.postMessage({ error: null });
} catch (problem) {
  parentPort?.postMessage({ error: toAppError(problem).toWire() });
}
