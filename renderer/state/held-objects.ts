/** Objects that views keep while their tab is open, so that nothing is lost while another tab is shown. */
import { detachedRoot } from './detached-root.svelte.ts';

interface Disposable {
  dispose(): void;
}

interface Selecting {
  /** Ends the selection of rows. */
  forgetRows(): void;
}

const isSelecting = (value: object): value is Selecting => 'forgetRows' in value;
const isDisposable = (value: object): value is Disposable => 'dispose' in value;

export class HeldObjects {
  readonly #held = new Map<string, Map<string, { thing: object; end: () => void }>>();

  /**
   * The object that a tab keeps under this name, created on first use. A name always refers to the same type of object.
   */
  hold<T extends object>(tabId: string, name: string, make: () => T): T {
    let held = this.#held.get(tabId);
    if (held === undefined) {
      held = new Map();
      this.#held.set(tabId, held);
    }
    const known = held.get(name) ?? detachedRoot(make);
    held.set(name, known);
    return known.thing as T;
  }

  /** The results of `read` for all objects, by tab and name. Null results are omitted. */
  collect<T>(read: (thing: unknown) => T | null): Record<string, T> {
    const found: Record<string, T> = {};
    for (const [tabId, held] of this.#held) {
      for (const [name, { thing }] of held) {
        const value = read(thing);
        if (value !== null) found[`${tabId} ${name}`] = value;
      }
    }
    return found;
  }

  /** Ends every selection of rows, because the rows become those of another service. */
  forgetRows(): void {
    for (const held of this.#held.values())
      for (const { thing } of held.values()) if (isSelecting(thing)) thing.forgetRows();
  }

  /** Disposes of the objects of a tab that was closed. */
  drop(tabId: string): void {
    for (const { thing, end } of this.#held.get(tabId)?.values() ?? []) {
      if (isDisposable(thing)) thing.dispose();
      end();
    }
    this.#held.delete(tabId);
  }
}
