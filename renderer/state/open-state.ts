/** The newest state of the open list or record. The answer to opening identifies it. Pure. */
import { Newest } from './newest.ts';

interface Come<State> {
  state: State;
  seq: number;
}

export class OpenState<State> {
  readonly #keyOf: (state: State) => string;
  #key: string | null = null;
  #newest = new Newest();
  /** Events received before the answer, by key: one of them can be about the subject being opened. */
  readonly #early = new Map<string, Come<State>>();

  constructor(keyOf: (state: State) => string) {
    this.#keyOf = keyOf;
  }

  /** Null until something was opened. */
  get key(): string | null {
    return this.#key;
  }

  /** Another subject is being opened. */
  reset(): void {
    this.#key = null;
    this.#early.clear();
  }

  /**
   * Returns the answer to opening, or a newer early event of the same subject. Null if something newer is
   * already shown.
   */
  opened(state: State, seq: number): State | null {
    const key = this.#keyOf(state);
    if (key !== this.#key) this.#newest = new Newest();
    this.#key = key;
    const early = this.#early.get(key);
    this.#early.clear();
    const come = early !== undefined && early.seq > seq ? early : { state, seq };
    return this.#newest.takes(come.seq) ? come.state : null;
  }

  /** Whether the state is current: not of another subject, nor older than the known state. */
  takes(state: State, seq: number): boolean {
    const key = this.#keyOf(state);
    if (this.#key !== null) return key === this.#key && this.#newest.takes(seq);
    const known = this.#early.get(key);
    if (known === undefined || known.seq <= seq) this.#early.set(key, { state, seq });
    return false;
  }
}
