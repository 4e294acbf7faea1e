/** Deletes rows of removed builds and runs in small batches. */
import { toAppError } from '../shared/errors.ts';
import type { DatasetsDeps } from './types.ts';

const ROWS = 200;
/** Age after which an incomplete copy must have been left by a killed process. */
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
      // Removed rows are invisible, so the next start can continue.
      logger.warn('forgotten rows not deleted', { reason: toAppError(problem).message });
    }
  }
}
