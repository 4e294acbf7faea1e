/** Work whose result nobody awaits: a failure reaches the handler of unhandled rejections together with its name. */

/** The reason of an unhandled rejection of named work. */
class DetachedFailure extends Error {
  /** The failed work in a few words, for the log and the person. */
  readonly what: string;

  constructor(what: string, cause: unknown) {
    super(what, { cause });
    this.what = what;
  }
}

/** Runs in the background; nobody waits for it. `what`: the work in a few words, such as `opening the window`. */
export function detached(what: string, work: Promise<unknown>): void {
  work.catch((thrown: unknown) => {
    throw new DetachedFailure(what, thrown);
  });
}

/** Name and cause of an unhandled rejection. */
export function failureOf(reason: unknown): { what: string; thrown: unknown } {
  return reason instanceof DetachedFailure
    ? { what: reason.what, thrown: reason.cause }
    : { what: 'background work', thrown: reason };
}
