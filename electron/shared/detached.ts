/**
 * Background work whose result nobody awaits. A failure reaches the handler of unhandled rejections together with the
 * name of the work.
 */

/** The reason of an unhandled rejection of background work. */
class DetachedFailure extends Error {
  /** The failed work in a few words, for the log and the person. */
  readonly what: string;

  constructor(what: string, cause: unknown) {
    super(what, { cause });
    this.what = what;
  }
}

/** Runs work in the background. `what`: the work in a few words, such as `opening the window`. */
export function detached(what: string, work: Promise<unknown>): void {
  work.catch((thrown: unknown) => {
    throw new DetachedFailure(what, thrown);
  });
}

/** The name of the work and the cause of an unhandled rejection. */
export function failureOf(reason: unknown): { what: string; thrown: unknown } {
  return reason instanceof DetachedFailure
    ? { what: reason.what, thrown: reason.cause }
    : { what: 'background work', thrown: reason };
}
