/**
 * Which of several answers about one thing holds: they may come in another order than they were asked for in, and
 * main may tell of a change meanwhile. Pure.
 */
export class InOrder {
  #asked = 0;
  #newest = 0;

  /** To be noted when a question is asked; what main tells by itself counts as asked for when it comes. */
  ask(): number {
    this.#asked += 1;
    return this.#asked;
  }

  /** Does the answer to this question hold? Not after the answer to a later one. */
  holds(asked: number): boolean {
    if (asked < this.#newest) return false;
    this.#newest = asked;
    return true;
  }
}
