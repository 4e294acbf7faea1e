/** The first steps on Home: which were done, and whether they are still shown. Stored per connection. */
import { readSteps, STEPS, type Step, type StoredSteps } from '../lib/first-steps.ts';

const KEY = 'first-steps';
/** Stored as true once the form for a new dataset created one. */
export const MADE_DATASET = 'made-dataset';
/** Stored as true once the steps of a trace were shown. */
export const READ_TRACE = 'read-trace';
const DAY_MS = 86_400_000;

interface Memory {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
}

export class FirstSteps {
  readonly steps: readonly Step[];
  #stored: StoredSteps = $state.raw({ done: [], isClosed: false, endMs: null });
  /** True until every step is done or the user closes the steps. */
  readonly isShown: boolean;
  readonly #memory: Memory;

  /** The user's own service has the steps only if they existed at its first visit. */
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

  /** End of the shown range: at most a day before `nowMs`, unless nothing can be read at present. */
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
