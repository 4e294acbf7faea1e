/**
 * The user's actions that only affect this computer, newest last, with undo and redo: from the message, by
 * Ctrl+Z and Ctrl+Shift+Z, or from the palette. Requests to the service are never included.
 */
import { toast } from './toast.ts';

/** Both steps can be repeated any number of times. */
export interface ActSteps {
  undo: () => unknown;
  redo: () => unknown;
}

interface LocalAct extends ActSteps {
  id: string;
  /** A sentence without the full stop: `Deleted “Slow spans”`. */
  done: string;
}

type Direction = keyof ActSteps;

const MAX_ACTS = 50;

export class UndoHistory {
  /** Newest last. */
  list = $state.raw<readonly LocalAct[]>([]);
  /** Undone actions, the last one at the end; cleared by the next action. */
  undone = $state.raw<readonly LocalAct[]>([]);
  /** True while a step is started, not while it is awaited: actions of the user in the meantime are recorded. */
  #isGoing = false;
  /** Counters of actions and of closed connections since the start, to detect changes during a step. */
  #acts = 0;
  #lefts = 0;

  /**
   * Records an action. Shows a message with an undo button; quiet actions, whose effect is visible anyway,
   * can only be undone by key or palette.
   */
  push(done: string, steps: ActSteps, { isQuiet = false, description = '' } = {}): void {
    // Actions performed by an undo are not recorded.
    if (this.#isGoing) return;
    const act = { id: crypto.randomUUID(), done, ...steps };
    this.#acts += 1;
    this.list = [...this.list, act].slice(-MAX_ACTS);
    this.undone = [];
    if (isQuiet) return;
    toast(done, {
      id: act.id,
      ...(description === '' ? {} : { description }),
      action: { label: 'Undo', onClick: () => void this.undo(act) },
    });
  }

  /** Does an action, and records it unless its connection was left in the meantime. Throws the errors of `redo`. */
  async perform(done: string, steps: ActSteps, options: { isQuiet?: boolean } = {}): Promise<void> {
    const lefts = this.#lefts;
    await steps.redo();
    if (lefts === this.#lefts) this.push(done, steps, options);
  }

  /**
   * Undoes an action, by default the last one. It stays in the list if that fails. Throws the errors of
   * `undo`.
   */
  async undo(act: LocalAct | undefined = this.list.at(-1)): Promise<void> {
    if (act === undefined || !this.list.includes(act)) return;
    const place = this.list.indexOf(act);
    const [acts, lefts] = [this.#acts, this.#lefts];
    this.list = this.list.filter((each) => each !== act);
    await this.#go(act, 'undo', () => {
      this.list = this.list.toSpliced(place, 0, act);
    });
    if (lefts !== this.#lefts) return;
    // An action cannot be redone over later changes.
    const canRedo = acts === this.#acts;
    if (canRedo) this.undone = [...this.undone, act];
    toast(`Undone: ${act.done}`, {
      id: act.id,
      ...(canRedo ? { action: { label: 'Redo', onClick: () => void this.redo(act) } } : {}),
    });
  }

  /**
   * Redoes an undone action, by default the last one. It stays in the list if that fails. Throws the errors
   * of `redo`.
   */
  async redo(act: LocalAct | undefined = this.undone.at(-1)): Promise<void> {
    if (act === undefined || !this.undone.includes(act)) return;
    const [acts, lefts] = [this.#acts, this.#lefts];
    this.undone = this.undone.filter((each) => each !== act);
    await this.#go(act, 'redo', () => {
      if (acts === this.#acts) this.undone = [...this.undone, act];
    });
    if (lefts !== this.#lefts) return;
    this.list = [...this.list, act];
    toast(`Redone: ${act.done}`, {
      id: act.id,
      action: { label: 'Undo', onClick: () => void this.undo(act) },
    });
  }

  async #go(act: LocalAct, direction: Direction, failed: () => void): Promise<void> {
    const lefts = this.#lefts;
    try {
      await this.#begin(act[direction]);
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

  /** The actions belong to a connection that was left. */
  clear(): void {
    this.#lefts += 1;
    this.list = [];
    this.undone = [];
  }
}
