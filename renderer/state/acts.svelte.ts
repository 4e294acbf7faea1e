/**
 * What a person did to what lies on this computer alone, newest last, and how each is taken back and done again: by the
 * message, by Ctrl+Z and Ctrl+Shift+Z, or from the palette. What the service was asked for is never in here.
 */
import { toast } from './toast.ts';

/** Both ways, as often as a person goes to and fro. */
export interface ActSteps {
  undo: () => unknown;
  redo: () => unknown;
}

interface LocalAct extends ActSteps {
  id: string;
  /** As a sentence without its full stop: `Deleted “Slow spans”`. */
  done: string;
}

type Way = keyof ActSteps;

const MOST_ACTS = 50;

export class LocalActs {
  /** Newest last. */
  list = $state.raw<readonly LocalAct[]>([]);
  /** Those that were taken back, the last one last; until something else is done. */
  undone = $state.raw<readonly LocalAct[]>([]);
  /** While the step of an act is begun, not while it is waited for: what a person does meanwhile is an act. */
  #isGoing = false;
  /** Acts since the start, and connections that were left: what came between a step and its end. */
  #acts = 0;
  #lefts = 0;

  /**
   * Something was done. It is said with a way back; quietly where it is seen anyway: then only the key and the palette
   * take it back.
   */
  did(done: string, steps: ActSteps, { isQuiet = false, description = '' } = {}): void {
    // What taking something back does is no act of its own.
    if (this.#isGoing) return;
    const act = { id: crypto.randomUUID(), done, ...steps };
    this.#acts += 1;
    this.list = [...this.list, act].slice(-MOST_ACTS);
    this.undone = [];
    if (isQuiet) return;
    toast(done, {
      id: act.id,
      ...(description === '' ? {} : { description }),
      action: { label: 'Undo', onClick: () => void this.undo(act) },
    });
  }

  /** Takes an act back, the last one where none is named. It stays where that fails. Throws what `undo` throws. */
  async undo(act: LocalAct | undefined = this.list.at(-1)): Promise<void> {
    if (act === undefined || !this.list.includes(act)) return;
    const place = this.list.indexOf(act);
    const [acts, lefts] = [this.#acts, this.#lefts];
    this.list = this.list.filter((each) => each !== act);
    await this.#go(act, 'undo', () => {
      this.list = this.list.toSpliced(place, 0, act);
    });
    if (lefts !== this.#lefts) return;
    // Over something that was done since it is not done again.
    const canRedo = acts === this.#acts;
    if (canRedo) this.undone = [...this.undone, act];
    toast(`Undone: ${act.done}`, {
      id: act.id,
      ...(canRedo ? { action: { label: 'Redo', onClick: () => void this.redo(act) } } : {}),
    });
  }

  /** Does again what was taken back, the last one where none is named. It stays where that fails. Throws what `redo` throws. */
  async redo(act: LocalAct | undefined = this.undone.at(-1)): Promise<void> {
    if (act === undefined || !this.undone.includes(act)) return;
    const [acts, lefts] = [this.#acts, this.#lefts];
    this.undone = this.undone.filter((each) => each !== act);
    await this.#go(act, 'redo', () => {
      if (acts === this.#acts) this.undone = [...this.undone, act];
    });
    if (lefts !== this.#lefts) return;
    this.list = [...this.list, act];
    toast(`Done again: ${act.done}`, {
      id: act.id,
      action: { label: 'Undo', onClick: () => void this.undo(act) },
    });
  }

  async #go(act: LocalAct, way: Way, failed: () => void): Promise<void> {
    const lefts = this.#lefts;
    try {
      await this.#begin(act[way]);
    } catch (thrown) {
      if (lefts === this.#lefts) failed();
      throw thrown;
    }
  }

  #begin(step: () => unknown): unknown {
    this.#isGoing = true;
    try {
      return step();
    } finally {
      this.#isGoing = false;
    }
  }

  /** They were of a connection that was left. */
  clear(): void {
    this.#lefts += 1;
    this.list = [];
    this.undone = [];
  }
}
