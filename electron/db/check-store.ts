/** The check of a store that is too large to be read completely on the main thread. */

import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Clock, Logger } from '../core/ports.ts';
import { detached } from '../shared/detached.ts';
import type { AppError } from '../shared/errors.ts';
import { scriptPath } from '../shared/script-path.ts';
import * as z from '../shared/zod.ts';
import { damagedError } from './migrate.ts';
import { ALWAYS_CHECKED_BYTES } from './open.ts';

interface CheckDeps {
  clock: Clock;
  logger: Logger;
  onDamage: (error: AppError) => void;
}

const reply = z.object({ finding: z.string() });

/**
 * Checks a large store in a thread while it is in use, `afterMs` from now, and reports any damage. Small stores are
 * checked when they are opened. Returns a function that ends the check.
 */
export function checkInBackground(
  file: string,
  afterMs: number,
  { clock, logger, onDamage }: CheckDeps,
): () => void {
  let end: () => void = () => undefined;
  const cancelTimer = clock.setTimer(
    () => {
      end = check(file, logger, onDamage);
    },
    afterMs,
    'checking stored data',
  );
  return () => {
    cancelTimer();
    end();
  };
}

function check(file: string, logger: Logger, onDamage: (error: AppError) => void): () => void {
  const sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (sizeBytes <= ALWAYS_CHECKED_BYTES) return () => undefined;
  const script = new URL(scriptPath('./check-worker.ts', import.meta.url), import.meta.url);
  const thread = new Worker(script, { name: 'store check', workerData: { file } });
  thread.once('message', (message: unknown) => {
    const parsed = reply.safeParse(message);
    const finding = parsed.success ? parsed.data.finding : 'ok';
    if (finding !== 'ok') onDamage(damagedError(file, 'its check found a broken page.', finding));
  });
  // Lets the program end while the thread runs. Called after the listener was added, because adding one would undo it.
  thread.unref();
  thread.once('error', (problem: NodeJS.ErrnoException) => {
    if (String(problem.code).startsWith('SQLITE_CORRUPT')) {
      onDamage(damagedError(file, `SQLite reports ${problem.code}.`, problem));
    } else {
      logger.warn('store not checked', { reason: problem.message });
    }
  });
  return () => {
    thread.removeAllListeners('message');
    detached('ending the check of a store', thread.terminate());
  };
}
