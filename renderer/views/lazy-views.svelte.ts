/** Views whose code is in separate files, loaded when one of them is first shown or when the window is idle. */
import type { Component } from 'svelte';
import type { Tab } from '../state/tabs.svelte.ts';

type View = Component<{ tab: Tab }>;

/** One such file, with its exports after it was loaded. */
export class LazyPart<Exports> {
  /** Null until it was loaded. */
  exports = $state.raw<Exports | null>(null);
  readonly #read: () => Promise<Exports>;
  #reading: Promise<void> | null = null;

  constructor(read: () => Promise<Exports>) {
    this.#read = read;
  }

  /** Rejects if the file cannot be loaded; another call tries again. */
  load(): Promise<void> {
    this.#reading ??= this.#take();
    return this.#reading;
  }

  async #take(): Promise<void> {
    try {
      this.exports = await this.#read();
    } finally {
      this.#reading = null;
    }
  }
}

/** A view that is loaded or can be loaded. */
export interface LazyView {
  /** Null until it was loaded; reactive. */
  readonly now: View | null;
  load(): Promise<void>;
}

/** A view that is available from the start. */
export const first = (view: View): LazyView => ({ now: view, load: () => Promise.resolve() });

export const lazy = <Exports>(part: LazyPart<Exports>, pick: (exports: Exports) => View): LazyView => ({
  get now() {
    return part.exports === null ? null : pick(part.exports);
  },
  load: () => part.load(),
});

/** The first seconds are left to the user's first actions. */
const QUIET_MS = 3_000;

/** Loads one after another while the window is idle. A failed one is loaded again when it is shown. */
export function loadLater(parts: readonly Pick<LazyPart<unknown>, 'load'>[]): void {
  setTimeout(() => loadInRests(parts), QUIET_MS);
}

function loadInRests(parts: readonly Pick<LazyPart<unknown>, 'load'>[]): void {
  const [next, ...rest] = parts;
  if (next === undefined) return;
  requestIdleCallback(() => {
    next.load().then(
      () => loadInRests(rest),
      () => undefined,
    );
  });
}
