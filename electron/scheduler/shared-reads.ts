/** Lets equal reads share one request: finds a request of a lane that is waiting or in flight. */

/** The fields of a request that are needed for sharing. */
interface SharedRead {
  /** Equal for requests that may share an answer; null if it must not be shared. */
  readonly shareKey: string | null;
  readonly state: string;
  readonly trip: { readonly sentAtMs: number };
}

export class SharedReads<R extends SharedRead> {
  readonly #byKey = new Map<string, R>();

  /**
   * A request that an equal one may join. Requests that may have been answered before a change that ended at
   * `changedAtMs` are excluded, because they would show the old state.
   */
  find(shareKey: string, changedAtMs: number): R | undefined {
    const request = this.#byKey.get(shareKey);
    const isOld = request?.state === 'in-flight' && request.trip.sentAtMs <= changedAtMs;
    return isOld ? undefined : request;
  }

  add(request: R): void {
    if (request.shareKey !== null) this.#byKey.set(request.shareKey, request);
  }

  remove(request: R): void {
    if (request.shareKey !== null && this.#byKey.get(request.shareKey) === request)
      this.#byKey.delete(request.shareKey);
  }
}
