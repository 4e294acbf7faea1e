/**
 * May requests of one job still leave? Asked when one is handed to the network, however long it waited for its permit;
 * and those that wait are called back once the job is held. A job gives its signal along with every request, which
 * names its departure.
 */
export class Departure {
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

  /** The job is held: what waits is called back. What is on the wire is answered all the same. */
  withdraw(): void {
    if (this.#isWithdrawn) return;
    this.#isWithdrawn = true;
    for (const listener of [...this.#listeners]) listener();
  }

  /** It goes on. */
  allow(): void {
    this.#isWithdrawn = false;
  }

  /** Returns what ends the listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const DEPARTURES = new WeakMap<object, Departure>();

/** Requests that are given `signal` leave by `departure`. */
export function departBy(departure: Departure, signal: object): void {
  DEPARTURES.set(signal, departure);
}

/** Null for whatever is sent by no job. */
export function departureOf(signal: object | undefined): Departure | null {
  return signal === undefined ? null : (DEPARTURES.get(signal) ?? null);
}
