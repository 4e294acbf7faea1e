/**
 * Decides whether requests of one job may still be sent. Checked when one is passed to the network, however long it
 * waited for its permit; waiting ones are recalled when the job is paused. A job passes its signal with every request,
 * and the signal identifies its permission.
 */
export class SendPermission {
  #isWithdrawn = false;
  readonly #listeners = new Set<() => void>();
  /** False once another process has taken the job over. */
  holdsLease: (() => boolean) | null = null;

  get isWithdrawn(): boolean {
    return this.#isWithdrawn;
  }

  get isAllowed(): boolean {
    return !this.#isWithdrawn && this.holdsLease?.() !== false;
  }

  /** The job is paused: recalls waiting requests. Requests on the wire are still answered. */
  withdraw(): void {
    if (this.#isWithdrawn) return;
    this.#isWithdrawn = true;
    for (const listener of [...this.#listeners]) listener();
  }

  /** The job continues. */
  allow(): void {
    this.#isWithdrawn = false;
  }

  /** Returns a function that stops listening. */
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

/** Null for requests that belong to no job. */
export function sendPermissionOf(signal: object | undefined): SendPermission | null {
  return signal === undefined ? null : (PERMISSIONS.get(signal) ?? null);
}
