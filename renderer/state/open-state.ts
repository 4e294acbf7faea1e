/** The newest state of the list or record that is open. The answer to opening says which one that is. Pure. */
import { Newest } from './newest.ts';

interface Come<State> {
  state: State;
  seq: number;
}

export class OpenState<State> {
  readonly #keyOf: (state: State) => string;
  #key: string | null = null;
  #newest = new Newest();
  /** Events from before the answer, by key: one of them may be about what is being opened. */
  readonly #early = new Map<string, Come<State>>();

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
    this.#early.clear();
  }

  /** The answer to opening, or an early event of the same that is newer. Null where something newer is shown. */
  opened(state: State, seq: number): State | null {
    const key = this.#keyOf(state);
    if (key !== this.#key) this.#newest = new Newest();
    this.#key = key;
    const early = this.#early.get(key);
    this.#early.clear();
    const come = early !== undefined && early.seq > seq ? early : { state, seq };
    return this.#newest.takes(come.seq) ? come.state : null;
  }

  /** Does this state hold? Not where it is of something else, or older than what is known. */
  takes(state: State, seq: number): boolean {
    const key = this.#keyOf(state);
    if (this.#key !== null) return key === this.#key && this.#newest.takes(seq);
    const known = this.#early.get(key);
    if (known === undefined || known.seq <= seq) this.#early.set(key, { state, seq });
    return false;
  }
}
