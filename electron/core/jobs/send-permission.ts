/**
 * Decides whether requests of one job may still be sent. This is checked when a request is passed to the network,
 * however long it waited for its permit. Waiting requests are recalled when the job is paused. A job passes its signal
 * with every request, and the signal identifies its permission.
 */
export class SendPermission {
  #isWithdrawn = false;
  readonly #listeners = new Set<() => void>();
  /** Returns false once another process has taken the job over. */
  holdsLease: (() => boolean) | null = null;

  get isWithdrawn(): boolean {
    return this.#isWithdrawn;
  }

  get isAllowed(): boolean {
    return !this.#isWithdrawn && this.holdsLease?.() !== false;
  }

  /** Recalls waiting requests because the job is paused. Requests in flight still get their answers. */
  withdraw(): void {
    if (this.#isWithdrawn) return;
    this.#isWithdrawn = true;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Allows requests again because the job continues. */
  allow(): void {
    this.#isWithdrawn = false;
  }

  /** Calls `listener` when requests are recalled. Returns a function that stops listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const PERMISSIONS = new WeakMap<object, SendPermission>();

/** Assigns requests with `signal` to `sendPermission`. */
export function bindSendPermission(sendPermission: SendPermission, signal: object): void {
  PERMISSIONS.set(signal, sendPermission);
}

/** The permission of the job that sends with this signal; null for requests that belong to no job. */
export function sendPermissionOf(signal: object | undefined): SendPermission | null {
  return signal === undefined ? null : (PERMISSIONS.get(signal) ?? null);
}
