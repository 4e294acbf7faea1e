/**
 * What a person did to what lies on this computer alone, newest last, and how each is taken back: by the message, by
 * Ctrl+Z, or from the palette. What the service was asked for is never in here.
 */
import { toast } from './toast.ts';

interface LocalAct {
  id: string;
  /** As a sentence without its full stop: `Deleted “Slow spans”`. */
  done: string;
  undo: () => unknown;
}

const MOST_ACTS = 50;

export class LocalActs {
  /** Newest last. */
  list = $state.raw<readonly LocalAct[]>([]);
  #isUndoing = false;

  /**
   * Something was done. It is said with a way back; quietly where it is seen anyway: then only the key and the palette
   * take it back.
   */
  did(done: string, undo: () => unknown, { isQuiet = false, description = '' } = {}): void {
    // What taking something back does is no act of its own.
    if (this.#isUndoing) return;
    const act = { id: crypto.randomUUID(), done, undo };
    this.list = [...this.list, act].slice(-MOST_ACTS);
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
    this.list = this.list.filter((each) => each !== act);
    this.#isUndoing = true;
    try {
      await act.undo();
    } catch (thrown) {
      this.list = [...this.list, act];
      throw thrown;
    } finally {
      this.#isUndoing = false;
    }
    toast(`Undone: ${act.done}`, { id: act.id });
  }

  /** They were of a connection that was left. */
  clear(): void {
    this.list = [];
  }
}
