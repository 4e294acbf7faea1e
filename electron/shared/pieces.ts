/** Long work that can be done a little at a time. Pure. */

/** Work that is done a little at a time, and its result. */
export type Pieces<T> = Generator<undefined, T>;

/** All of it at once. */
export function whole<T>(pieces: Pieces<T>): T {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
  }
}
