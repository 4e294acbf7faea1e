/** Migrates large stores of earlier versions in a thread, so that the window stays responsive. */

import { Worker } from 'node:worker_threads';
import { wireError } from '../core/jobs/job-record.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import { scriptPath } from '../shared/script-path.ts';
import * as z from '../shared/zod.ts';
import { DATASET_MIGRATIONS } from './migrations/datasets/index.ts';
import { LIBRARY_MIGRATIONS } from './migrations/library/index.ts';
import { UPLOAD_MIGRATIONS } from './migrations/uploads/index.ts';
import { outdatedBytes } from './open.ts';

/** The stores of a connection that can become large, by their files. */
const STORE_KINDS = ['library', 'uploads', 'datasets'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

export const MIGRATIONS_OF = {
  library: LIBRARY_MIGRATIONS,
  uploads: UPLOAD_MIGRATIONS,
  datasets: DATASET_MIGRATIONS,
} as const;

/** The values that are also used for opening. Only the data of the library can be fetched again. */
const SYNCHRONOUS = { library: 'NORMAL', uploads: 'FULL', datasets: 'FULL' } as const;

const reply = z.union([z.object({ share: z.number() }), z.object({ error: wireError.nullable() })]);

interface StoreUpdate {
  /** Total size of the stores to migrate. */
  sizeBytes: number;
  /**
   * Errors of stores that could not be migrated, by file; all others were migrated. Rejects with CANCELLED after `end`.
   */
  done: Promise<Map<string, AppError>>;
  /** Ends the migration between two chunks of the backup; each store is then unchanged or fully migrated. */
  end: () => Promise<void>;
}

/**
 * Starts the migration; null if no outdated store is large enough for a noticeable delay. Smaller stores are migrated
 * when they are opened.
 */
export function updateStores(
  files: Readonly<Record<StoreKind, string>>,
  deps: { clock: Pick<Clock, 'nowMs' | 'monotonicMs'>; logger: Logger },
  /** Overall progress of all stores, from 0 to 1. */
  onShare: (share: number) => void,
): StoreUpdate | null {
  const large = STORE_KINDS.flatMap((kind) => {
    const bytes = outdatedBytes(files[kind], MIGRATIONS_OF[kind]);
    return bytes === null ? [] : [{ kind, file: files[kind], bytes }];
  });
  if (large.length === 0) return null;
  const sizeBytes = large.reduce((sum, { bytes }) => sum + bytes, 0);
  let isEnded = false;
  let thread: Worker | null = null;
  const run = async () => {
    const problems = new Map<string, AppError>();
    let before = 0;
    for (const { kind, file, bytes } of large) {
      const startedAt = deps.clock.monotonicMs();
      thread = startThread(kind, file, deps.clock.nowMs());
      const error = await endOf(thread, (share) => onShare((before + bytes * share) / sizeBytes));
      if (isEnded) throw new AppError('CANCELLED', 'The connection was closed while its data was updated.');
      if (error !== null) problems.set(file, error);
      const durationMs = Math.round(deps.clock.monotonicMs() - startedAt);
      deps.logger.info('store updated', { store: kind, bytes, durationMs, code: error?.code ?? null });
      before += bytes;
      onShare(before / sizeBytes);
    }
    return problems;
  };
  return {
    sizeBytes,
    done: run(),
    end: async () => {
      isEnded = true;
      await thread?.terminate();
    },
  };
}

function startThread(kind: StoreKind, file: string, nowMs: number): Worker {
  const script = new URL(scriptPath('./update-worker.ts', import.meta.url), import.meta.url);
  return new Worker(script, {
    name: `update of ${kind}`,
    workerData: { file, migrations: MIGRATIONS_OF[kind], synchronous: SYNCHRONOUS[kind], nowMs },
  });
}

/** The error of a thread; null on success, and if it was terminated. */
function endOf(thread: Worker, onShare: (share: number) => void): Promise<AppError | null> {
  return new Promise((resolve) => {
    thread.on('message', (message: unknown) => {
      const parsed = reply.safeParse(message);
      if (!parsed.success) return;
      if ('share' in parsed.data) onShare(parsed.data.share);
      else resolve(parsed.data.error === null ? null : fromWire(parsed.data.error));
    });
    thread.once('error', (problem) => resolve(toAppError(problem)));
    thread.once('exit', () => resolve(null));
  });
}
