/** The newest state of the open list or record, which is identified by the answer to opening it. Pure. */
import { Newest } from './newest.ts';

interface Come<State> {
  state: State;
  seq: number;
}

export class OpenState<State> {
  readonly #keyOf: (state: State) => string;
  #key: string | null = null;
  #newest = new Newest();
  /** Events received before that answer, by key, as one of them can be about the subject being opened. */
  readonly #early = new Map<string, Come<State>>();

  constructor(keyOf: (state: State) => string) {
    this.#keyOf = keyOf;
  }

  /** Key of the open subject; null until something was opened. */
  get key(): string | null {
    return this.#key;
  }

  /** To be called when another subject is being opened. */
  reset(): void {
    this.#key = null;
    this.#early.clear();
  }

  /**
   * Returns the answer to opening, or an early event about the same subject if that is newer. Null if something newer
   * is already shown.
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

  /** Whether to show the state: it is about the open subject and not older than the known state. */
  takes(state: State, seq: number): boolean {
    const key = this.#keyOf(state);
    if (this.#key !== null) return key === this.#key && this.#newest.takes(seq);
    const known = this.#early.get(key);
    if (known === undefined || known.seq <= seq) this.#early.set(key, { state, seq });
    return false;
  }
}
