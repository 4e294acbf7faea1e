/** Objects that views keep while their tab is open, so that nothing is lost when it is left and shown again. */
import { detachedRoot } from './detached-root.svelte.ts';

interface Disposable {
  dispose(): void;
}

const isDisposable = (value: object): value is Disposable => 'dispose' in value;

export class HeldObjects {
  readonly #held = new Map<string, Map<string, { thing: object; end: () => void }>>();

  /** The object of this name of a tab; created on first use. A name always refers to objects of one type. */
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

  /** Results of `read` for all objects, by tab and name; nulls are omitted. */
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

  /** Disposes of the objects of a closed tab. */
  drop(tabId: string): void {
    for (const { thing, end } of this.#held.get(tabId)?.values() ?? []) {
      if (isDisposable(thing)) thing.dispose();
      end();
    }
    this.#held.delete(tabId);
  }
}
