/** Views whose code lies in files of its own, read when one of them is shown first or when the window rests. */
import type { Component } from 'svelte';
import type { Tab } from '../state/tabs.svelte.ts';

type View = Component<{ tab: Tab }>;

/** One such file: what it exports, once it was read. */
export class LazyPart<Exports> {
  /** Null until then. */
  exports = $state.raw<Exports | null>(null);
  readonly #read: () => Promise<Exports>;
  #reading: Promise<void> | null = null;

  constructor(read: () => Promise<Exports>) {
    this.#read = read;
  }

  /** Rejects where the file cannot be read; asked again, it is tried again. */
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

/** A view that is there or comes. */
export interface LazyView {
  /** Null until it was loaded; reactive. */
  readonly now: View | null;
  load(): Promise<void>;
}

/** One that is there from the start. */
export const first = (view: View): LazyView => ({ now: view, load: () => Promise.resolve() });

export const lazy = <Exports>(part: LazyPart<Exports>, pick: (exports: Exports) => View): LazyView => ({
  get now() {
    return part.exports === null ? null : pick(part.exports);
  },
  load: () => part.load(),
});

/** The first seconds belong to what a person does at once. */
const QUIET_MS = 3_000;

/** Reads one after another, while the window has nothing else to do. What fails is tried again where it is shown. */
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
