/** Deletes the rows of what was forgotten, a little at a time. */
import { toAppError } from '../shared/errors.ts';
import type { DatasetsDeps } from './types.ts';

const ROWS = 200;
/** A copy that is not whole after this long belongs to a process that was killed. */
const ABANDONED_AFTER_MS = 15 * 60_000;

export class Sweeper {
  readonly #deps: Pick<DatasetsDeps, 'store' | 'clock' | 'logger'>;
  #running: Promise<void> | null = null;
  #isStopping = false;

  constructor(deps: Pick<DatasetsDeps, 'store' | 'clock' | 'logger'>) {
    this.#deps = deps;
  }

  run(): void {
    if (this.#running !== null || this.#isStopping) return;
    this.#running = this.#sweep().finally(() => {
      this.#running = null;
    });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #sweep(): Promise<void> {
    const { store, clock, logger } = this.#deps;
    try {
      while (!this.#isStopping && store.sweep(ROWS, clock.nowMs() - ABANDONED_AFTER_MS) > 0) {
        await new Promise<void>((resolve) => {
          clock.setTimer(resolve, 0);
        });
      }
    } catch (problem) {
      // Forgotten rows are not seen by anyone; the next start goes on.
      logger.warn('forgotten rows not deleted', { reason: toAppError(problem).message });
    }
  }
}
