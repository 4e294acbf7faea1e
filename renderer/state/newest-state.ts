/** Which of the states that come for a list or record holds: answers and events may overtake each other. Pure. */

interface Made {
  /** See `ListState`. */
  madeAtMs: number;
}

export class NewestState<State extends Made> {
  readonly #keyOf: (state: State) => string;
  #key: string | null = null;
  #madeAtMs = Number.NEGATIVE_INFINITY;
  /** Told while the answer that says which key is ours was on its way. */
  readonly #early = new Map<string, State>();

  constructor(keyOf: (state: State) => string) {
    this.#keyOf = keyOf;
  }

  /** Null until something was opened. */
  get key(): string | null {
    return this.#key;
  }

  /** Something else is being opened. */
  reset(): void {
    this.#key = null;
    this.#madeAtMs = Number.NEGATIVE_INFINITY;
    this.#early.clear();
  }

  /**
   * The answer to opening, or what was told of the same meanwhile, where that was made later. Null where it was open
   * already and something later is known.
   */
  opened(answer: State): State | null {
    const key = this.#keyOf(answer);
    const early = this.#early.get(key);
    this.#early.clear();
    const newest = early !== undefined && early.madeAtMs > answer.madeAtMs ? early : answer;
    if (key === this.#key && newest.madeAtMs < this.#madeAtMs) return null;
    this.#key = key;
    this.#madeAtMs = newest.madeAtMs;
    return newest;
  }

  /** Does what is told hold? Not where it is about something else, or older than what is known. */
  takes(state: State): boolean {
    if (this.#key === null) {
      const known = this.#early.get(this.#keyOf(state));
      if (known === undefined || known.madeAtMs <= state.madeAtMs) this.#early.set(this.#keyOf(state), state);
      return false;
    }
    if (this.#keyOf(state) !== this.#key || state.madeAtMs < this.#madeAtMs) return false;
    this.#madeAtMs = state.madeAtMs;
    return true;
  }
}
