/** The first steps on Home: which of them were done, and whether they are still shown. Stored per connection. */
import { readSteps, STEPS, type Step, type StoredSteps } from '../lib/first-steps.ts';

const KEY = 'first-steps';
/** True once the form of a new dataset made one. */
export const MADE_DATASET = 'made-dataset';
/** True once the steps of a trace were shown. */
export const READ_TRACE = 'read-trace';
const DAY_MS = 86_400_000;

interface Memory {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

export class FirstSteps {
  readonly steps: readonly Step[];
  #stored: StoredSteps = $state.raw({ done: [], isClosed: false, endMs: null });
  /** Shown until each step is done, or until they are closed. */
  readonly isShown: boolean;
  readonly #memory: Memory;

  /** A service of one's own has them from its first visit on. */
  constructor(memory: Memory, { isSample, isFirstVisit }: { isSample: boolean; isFirstVisit: boolean }) {
    this.#memory = memory;
    this.steps = isSample ? STEPS.sample : STEPS.own;
    const kept = memory.get(KEY);
    const isOffered = isSample || isFirstVisit || kept !== undefined;
    this.#stored = readSteps(kept);
    if (isOffered && kept === undefined) memory.set(KEY, this.#stored);
    this.isShown = $derived(
      isOffered && !this.#stored.isClosed && !this.steps.every((step) => this.isDone(step)),
    );
  }

  isDone(step: Step): boolean {
    return this.#stored.done.includes(step);
  }

  finish(step: Step): void {
    if (!this.isDone(step)) this.#put({ done: [...this.#stored.done, step] });
  }

  setClosed(isClosed: boolean): void {
    this.#put({ isClosed });
  }

  /** End of the shown range: a day at most before `nowMs`, unless nothing can be read now. */
  endOf(nowMs: number, canRead: boolean): number {
    const { endMs } = this.#stored;
    if (endMs !== null && endMs <= nowMs + DAY_MS && (!canRead || nowMs - endMs < DAY_MS)) return endMs;
    this.#put({ endMs: nowMs });
    return nowMs;
  }

  #put(change: Partial<StoredSteps>): void {
    this.#stored = { ...this.#stored, ...change };
    this.#memory.set(KEY, this.#stored);
  }
}
