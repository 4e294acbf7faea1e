/**
 * The lock of the window. The main process enforces it, and while locked rejects every other call; this object displays
 * it.
 */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { LockState } from '../../electron/shared/lock-model.ts';
import { client } from '../lib/client.ts';

/** Minimum interval between reports of activity, as the main process checks only every few seconds. */
const NEWS_EVERY_MS = 5_000;

class Lock {
  /** Null until the main process has answered. */
  state = $state.raw<LockState | null>(null);
  error = $state.raw<AppError | null>(null);
  isBusy = $state(false);
  isDialogOpen = $state(false);
  #saidActiveAt = Number.NEGATIVE_INFINITY;

  async load(): Promise<void> {
    try {
      this.state = await client.act('lock:act', 'look', {});
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /** Returns true on success; otherwise `error` has the reason. */
  async #try(work: () => Promise<LockState>): Promise<boolean> {
    this.isBusy = true;
    this.error = null;
    try {
      this.state = await work();
      return true;
    } catch (thrown) {
      this.error = toAppError(thrown);
      return false;
    } finally {
      this.isBusy = false;
    }
  }

  open(passphrase: string): Promise<boolean> {
    return this.#try(() => client.act('lock:act', 'open', { passphrase }));
  }

  openBySystem(): Promise<boolean> {
    return this.#try(() => client.act('lock:act', 'open-by-system', {}));
  }

  set(passphrase: string, current: string | null): Promise<boolean> {
    return this.#try(() => client.act('lock:act', 'set', { passphrase, current }));
  }

  remove(current: string): Promise<boolean> {
    return this.#try(() => client.act('lock:act', 'remove', { current }));
  }

  /**
   * Locks the window. The main process reloads the page, so that nothing it showed remains in memory. Unsent input is
   * stored before that.
   */
  async now(): Promise<void> {
    await client.act('lock:act', 'lock', {});
  }

  ask(): void {
    this.error = null;
    this.isDialogOpen = true;
  }

  /** Reports that the user typed, clicked or scrolled at `nowMs`. */
  active(nowMs: number): void {
    if (this.state?.isSet !== true || this.state.isLocked || nowMs - this.#saidActiveAt < NEWS_EVERY_MS)
      return;
    this.#saidActiveAt = nowMs;
    client.act('lock:act', 'active', {}).catch((thrown: unknown) => {
      this.error = toAppError(thrown);
    });
  }
}

export const lock = new Lock();
