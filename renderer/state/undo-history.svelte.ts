/**
 * The user's actions that only affect this computer, with undo and redo: by the button of the message, by Ctrl+Z and
 * Ctrl+Shift+Z, or from the palette. Requests to the service are never included.
 */
import { toast } from './toast.ts';

/** How to undo and redo an action. Both functions can be called any number of times. */
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
  /** Actions, newest last. */
  list = $state.raw<readonly LocalAct[]>([]);
  /** Undone actions, the last one at the end; cleared by the next action. */
  undone = $state.raw<readonly LocalAct[]>([]);
  /** Whether a step is being started. False while it is awaited, so that the user's actions meanwhile are recorded. */
  #isGoing = false;
  /** Number of actions and of closed connections since the start, to detect changes during a step. */
  #acts = 0;
  #lefts = 0;

  /**
   * Records an action, and shows a message with an undo button. There is no message for a quiet action, whose effect is
   * visible anyway; it can be undone by key or palette.
   */
  push(done: string, steps: ActSteps, { isQuiet = false, description = '' } = {}): void {
    // Actions that an undo performs are not recorded.
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

  /** Performs an action, and records it unless its connection was left meanwhile. Throws the errors of `redo`. */
  async perform(done: string, steps: ActSteps, options: { isQuiet?: boolean } = {}): Promise<void> {
    const lefts = this.#lefts;
    await steps.redo();
    if (lefts === this.#lefts) this.push(done, steps, options);
  }

  /**
   * Undoes an action, by default the last one. If that fails, the action stays in the list. Throws the errors of
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
    // If the user did something meanwhile, the action cannot be redone.
    const canRedo = acts === this.#acts;
    if (canRedo) this.undone = [...this.undone, act];
    toast(`Undone: ${act.done}`, {
      id: act.id,
      ...(canRedo ? { action: { label: 'Redo', onClick: () => void this.redo(act) } } : {}),
    });
  }

  /**
   * Redoes an undone action, by default the last one. If that fails, the action stays in the list. Throws the errors of
   * `redo`.
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

  /** Removes all actions, because their connection was left. */
  clear(): void {
    this.#lefts += 1;
    this.list = [];
    this.undone = [];
  }
}
