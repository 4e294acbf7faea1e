/** The lock of the window: main decides and refuses everything else while it is locked; this shows it. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { LockState } from '../../electron/shared/lock-model.ts';
import { client } from '../lib/client.ts';

/** Main looks every few seconds; more news of activity would say no more. */
const NEWS_EVERY_MS = 5_000;

class Lock {
  /** Null until main has answered. */
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

  /** True where it was done; `error` says why not. */
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

  /** Main loads the page anew, so that nothing of what it showed stays in it. What is typed was handed over before. */
  async now(): Promise<void> {
    await client.act('lock:act', 'lock', {});
  }

  ask(): void {
    this.error = null;
    this.isDialogOpen = true;
  }

  /** A person typed, pressed or scrolled, at `nowMs`. */
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
