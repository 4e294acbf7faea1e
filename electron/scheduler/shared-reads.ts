/** Equal reads share one request: which one of a lane is under way or waiting for whom. */

/** A request as far as sharing it goes. */
interface SharedRead {
  /** Equal for requests that may share an answer; null where none may. */
  readonly shareKey: string | null;
  readonly state: string;
  readonly trip: { readonly sentAtMs: number };
}

export class SharedReads<R extends SharedRead> {
  readonly #byKey = new Map<string, R>();

  /**
   * The request that an equal one may join. Not one that may have been answered before a change that ended at
   * `changedAtMs`: it would show what was before.
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
